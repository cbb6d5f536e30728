//! What of this machine neural models can use.

use super::Device;
use super::packed;
use super::weights::open_device;

/// Returns the instruction sets of this processor that the encoder has code for, the most general first.
pub fn instruction_sets() -> Vec<&'static str> {
    packed::instruction_sets(true)
}

/// Returns the devices that this build and this machine have, by the names that [`Device`] is parsed from.
pub fn devices() -> Vec<String> {
    let mut all = vec!["cpu".to_string()];
    let gpus = (0..).take_while(|&number| open_device(Device::Cuda(number)).is_ok());
    all.extend(gpus.map(|number| format!("cuda:{number}")));
    let metal = open_device(Device::Metal).map(|_| "metal".to_string());
    all.extend(metal);
    all
}
