//! Whether the shipped model's weights lie beside the source.

use std::path::Path;

/// The largest of the shipped model's files, which the package of the registry is without.
const WEIGHTS: &str = "../../models/tiebreak-small/model.safetensors";

fn main() {
    println!("cargo:rustc-check-cfg=cfg(shipped_model)");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={WEIGHTS}");
    let wanted = std::env::var_os("CARGO_FEATURE_SHIPPED_MODEL").is_some();
    if wanted && Path::new(WEIGHTS).is_file() {
        println!("cargo:rustc-cfg=shipped_model");
    }
}
