//! The model that comes with tiebreak.
//!
//! Weights that exist when tiebreak is built (`build.rs` looks) become a part of the program, which then has its
//! model wherever it is. The package of the registry is without them, as is a build without the feature
//! `shipped-model`.

use tiebreak_base::error::Error;

/// The name of the model.
pub const NAME: &str = "tiebreak-small";

/// Files by name; none where the build is without them.
#[cfg(shipped_model)]
static FILES: &[(&str, &[u8])] = {
    macro_rules! files {
        ($($name:literal)*) => {
            &[$(($name, include_bytes!(concat!("../../../models/tiebreak-small/", $name)))),*]
        };
    }
    files!(
        "calibration.toml" "config.json" "model.safetensors" "tiebreak.toml" "tokenizer.json"
        "tokenizer_config.json"
    )
};
#[cfg(not(shipped_model))]
static FILES: &[(&str, &[u8])] = &[];

/// Whether the model is in the program.
pub fn is_here() -> bool {
    !FILES.is_empty()
}

/// One of its files.
pub(super) fn file(name: &str) -> Option<&'static [u8]> {
    let mut files = FILES.iter();
    files.find_map(|&(one, bytes)| (one == name).then_some(bytes))
}

/// The names of its files.
pub(super) fn names() -> Vec<String> {
    FILES.iter().map(|(name, _)| (*name).to_string()).collect()
}

/// The error for a model that is neither in the program nor in a folder of models.
pub(super) fn missing(places: &str) -> Error {
    Error::model(NAME, format!("not in this build, nor in {places}")).with_hint(format!(
        "released programs include it. Or copy models/{NAME} from the source of version {} into one of these folders, or give its folder as the model",
        env!("CARGO_PKG_VERSION")
    ))
}

#[cfg(all(test, shipped_model))]
mod tests {
    use super::*;
    use crate::Checkpoint;
    use crate::descriptor::ModelDescriptor;
    use std::path::Path;

    #[test]
    fn its_files_are_those_of_its_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../models")
            .join(NAME);
        for (name, bytes) in FILES {
            assert_eq!(std::fs::read(folder.join(name)).unwrap(), *bytes, "{name}");
        }
        let descriptor = Checkpoint::shipped().unwrap().descriptor;
        assert_eq!(
            descriptor,
            Checkpoint::in_folder(&folder).unwrap().descriptor
        );
        let needed = descriptor.files.keys().chain(&descriptor.calibration);
        for name in needed.map(String::as_str).chain([ModelDescriptor::FILE]) {
            assert!(file(name).is_some(), "{name}");
        }
    }
}
