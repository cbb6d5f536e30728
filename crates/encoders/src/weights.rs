//! The tensors of a checkpoint, by name and checked against the shape they must have.

use super::{Checkpoint, Device, Precision, checkpoint::digest, config::EncoderFamily, int8};
use candle_core::utils::{cuda_is_available, metal_is_available};
use candle_core::{DType, Tensor};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Flag, Key, Message, Result, nearest};
use tiebreak_base::limits::{Excess, Part, advice};
use tiebreak_base::message;

/// The file that states the type of a checkpoint's weights.
const CONFIG: &str = "config.json";

/// The tensors of a checkpoint.
pub struct Weights {
    model: String,
    digest: String,
    device: candle_core::Device,
    precision: Precision,
    tensors: BTreeMap<String, Tensor>,
    quantised: bool,
    /// The type of storage that config.json states.
    stated: Option<DType>,
}

impl Weights {
    /// Reads every tensor of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Input`] for a file that is missing or damaged, [`Error::Model`] for a device this
    /// build or machine does not have.
    pub fn read(checkpoint: &Checkpoint, device: Device) -> Result<Self> {
        Self::read_for(checkpoint, device, Precision::default())
    }

    /// Reads every tensor of a checkpoint, to be multiplied in some precision.
    ///
    /// # Errors
    /// Those of [`Weights::read`]; [`Error::Model`] for a precision that the device does not have.
    pub fn read_for(checkpoint: &Checkpoint, device: Device, precision: Precision) -> Result<Self> {
        if precision != Precision::F32 && device != Device::Cpu {
            let what = format!("{} is computed on the processor only", precision.name());
            return Err(Error::model(&checkpoint.name, what).with_hint(message!(
                "leave out {}, or {}",
                Key("precision"),
                on_processor()
            )));
        }
        let device = open_device(device).map_err(|(what, hint)| {
            Error::model(&checkpoint.name, what)
                .with_hint(message!("{}, or {hint}", on_processor()))
        })?;
        let mut tensors = BTreeMap::new();
        let mut digests = String::new();
        let mut quantised = false;
        for file in checkpoint.weight_files()? {
            let bytes = checkpoint.read(&file)?;
            require_short_header(&bytes).map_err(|excess| {
                let what = format!("a header of {excess}");
                checkpoint.unfit(&file, what).with_hint(advice())
            })?;
            digests.push_str(&digest(&bytes));
            let (read, in_eight_bits) = int8::read(&bytes).map_err(|what| {
                let error = checkpoint.unfit(&file, what);
                error.with_hint("fetch or copy it again")
            })?;
            tensors.extend(read);
            quantised |= in_eight_bits;
        }
        Ok(Self {
            model: checkpoint.name.clone(),
            digest: digest(digests.as_bytes()),
            device,
            precision,
            tensors,
            stated: stated_type(checkpoint)?.filter(|_| !quantised),
            quantised,
        })
    }

    /// The precision in which they are multiplied.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// SHA-256 over the digests of the files, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the files hold matrices in eight bits.
    pub fn is_quantised(&self) -> bool {
        self.quantised
    }

    /// The device of the tensors.
    pub fn device(&self) -> &candle_core::Device {
        &self.device
    }

    /// Whether there is a tensor of that name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The shape of a tensor, if there is one of that name.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(Tensor::dims)
    }

    /// The same tensors with a prefix removed from the names that have it.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        let tensors = std::mem::take(&mut self.tensors).into_iter();
        let bare = |name: String| {
            name.strip_prefix(prefix)
                .map(str::to_string)
                .unwrap_or(name)
        };
        self.tensors = tensors.map(|(name, tensor)| (bare(name), tensor)).collect();
        self
    }

    /// All tensors, by name.
    #[cfg(feature = "judges")]
    pub fn all(&self) -> impl Iterator<Item = (&String, &Tensor)> {
        self.tensors.iter()
    }

    /// The elements of a tensor, row by row.
    ///
    /// # Errors
    /// As [`Weights::get`].
    pub fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let tensor = self.get(name, shape)?;
        let numbers = tensor.flatten_all().and_then(|all| all.to_vec1::<f32>());
        let numbers = numbers.map_err(|source| self.failed(source))?;
        Ok(numbers.into_iter().map(f64::from).collect())
    }

    /// The prefix of `embeddings.…` in tensor names: the family's in a model with a head, nothing in
    /// a bare encoder.
    pub fn prefix(&self, family: EncoderFamily) -> String {
        let (usual, first) = (family.prefix(), family.words());
        if !self.has(&format!("{usual}{first}")) && self.has(first) {
            String::new()
        } else {
            usual.to_string()
        }
    }

    /// A tensor as f32 on the device, of the type that config.json states. Scale and shift of a `LayerNorm` may have
    /// their older names, gamma and beta.
    ///
    /// # Errors
    /// [`Error::Model`] naming the tensor, what was found and what was expected.
    pub fn get(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        let found = self.tensors.get(name).or_else(|| self.older(name));
        let tensor = found.ok_or_else(|| self.missing(name))?;
        if tensor.dims() != shape {
            return Err(Error::model(
                &self.model,
                format!(
                    "tensor `{name}` has shape {:?}, expected {shape:?}",
                    tensor.dims()
                ),
            )
            .with_hint("config.json and the weights belong to different models"));
        }
        self.require_type(name, tensor.dtype())?;
        tensor
            .to_dtype(DType::F32)
            .and_then(|tensor| tensor.to_device(&self.device))
            .map_err(|source| self.failed(format!("tensor `{name}`: {source}")))
    }

    /// Checks that a tensor is stored as config.json says, and in any case as numbers that weights can be.
    fn require_type(&self, name: &str, found: DType) -> Result<()> {
        let expected = match self.stated {
            Some(stated) if stated != found => stated.as_str(),
            None if !found.is_float() => "floating-point numbers",
            _ => return Ok(()),
        };
        let what = format!(
            "tensor `{name}` is stored as {}, expected {expected}",
            found.as_str()
        );
        Err(Error::model(&self.model, what)
            .with_hint("config.json (`torch_dtype`) and the weights belong to different models"))
    }

    /// Zeros for a tensor that a model does not have.
    pub(super) fn zeros(&self, shape: &[usize]) -> Result<Tensor> {
        Tensor::zeros(shape, DType::F32, &self.device).map_err(|source| self.failed(source))
    }

    /// The error for a fault of the model.
    pub(super) fn failed(&self, source: impl std::fmt::Display) -> Error {
        Error::model(&self.model, source)
    }

    fn older(&self, name: &str) -> Option<&Tensor> {
        let norm = name
            .rsplit_once('.')
            .filter(|(norm, _)| norm.ends_with("LayerNorm"));
        let (norm, part) = norm?;
        let older = if part == "weight" { "gamma" } else { "beta" };
        self.tensors.get(&format!("{norm}.{older}"))
    }

    fn missing(&self, name: &str) -> Error {
        let error = Error::model(&self.model, format!("tensor `{name}` is missing"));
        match nearest(name, self.tensors.keys().map(String::as_str)) {
            Some(near) => error.with_hint(format!("the nearest name it has is `{near}`")),
            None => error.with_hint("the weights belong to another kind of model"),
        }
    }
}

/// Checks that the header of a safetensors file, which is JSON and takes many times its bytes, is within the limit on
/// memory. What is no such file is refused when it is read.
fn require_short_header(file: &[u8]) -> Result<(), Excess> {
    let length = file
        .first_chunk()
        .map_or(0, |head| u64::from_le_bytes(*head));
    match length < file.len() as u64 {
        true => Part::Row.holds(length),
        false => Ok(()),
    }
}

/// The type in which config.json says that the weights are stored, where it is one we know.
fn stated_type(checkpoint: &Checkpoint) -> Result<Option<DType>> {
    if !checkpoint.files.has(CONFIG) {
        return Ok(None);
    }
    let config: serde_json::Value = serde_json::from_slice(&checkpoint.read(CONFIG)?)
        .map_err(|source| checkpoint.unfit(CONFIG, format!("is not JSON: {source}")))?;
    let stated = [&config["dtype"], &config["torch_dtype"]];
    Ok(
        match stated.into_iter().find_map(serde_json::Value::as_str) {
            Some("float32") => Some(DType::F32),
            Some("float16") => Some(DType::F16),
            Some("bfloat16") => Some(DType::BF16),
            Some("float64") => Some(DType::F64),
            _ => None,
        },
    )
}

/// The advice to use the device that is always there, which no file names.
fn on_processor() -> Message {
    Message::except_in_python(
        format!("run it on the processor (`{} cpu`)", Flag("device")),
        "run it on the processor (`device=\"cpu\"`)".to_string(),
    )
}

/// Opens a device; the error says what is wrong with it and what could be done.
pub(super) fn open_device(device: Device) -> Result<candle_core::Device, (String, String)> {
    match device {
        Device::Cpu => Ok(candle_core::Device::Cpu),
        // With a stream that all threads share: else each has one of its own, nothing orders what they do with the same
        // tensors, and numbers change from run to run.
        Device::Cuda(number) => {
            candle_core::Device::new_cuda_with_stream(number).map_err(|source| {
                let what = format!("GPU number {number} of CUDA");
                lacking(&what, cuda_is_available(), "cuda", &source)
            })
        }
        Device::Metal => candle_core::Device::new_metal(0)
            .map_err(|source| lacking("a GPU of Metal", metal_is_available(), "metal", &source)),
    }
}

/// The fault of a device that this build has or lacks, and what could be done.
fn lacking(
    what: &str,
    built: bool,
    feature: &str,
    source: &candle_core::Error,
) -> (String, String) {
    if !built {
        let hint = format!("build with the feature `{feature}`");
        return (format!("{what} is not for this build"), hint);
    }
    // Only the first line: candle may add its stack.
    let source = source.to_string();
    let source = source.lines().next().unwrap_or_default();
    let hint = "see what the system says of its GPUs".to_string();
    (format!("{what} is not available: {source}"), hint)
}
