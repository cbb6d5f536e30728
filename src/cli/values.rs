//! How the values of flags are read: a wrong one is told with what was expected.

use crate::annotators::LabelModel;
use crate::encoders::{Precision, Scope};
use crate::engine::parts::Shard;
use crate::env::Device;
use crate::error::{Error, Result};
use crate::estimators::Goal;
use crate::inputs::judging::Parts;
use crate::keys::named::Named;
use crate::keys::setting::Eliminate;
use crate::model_based::ucb_elimination::{Formula, Options};
use crate::preference::Draws;
use crate::stages::spec::Select;

fn message(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

pub(super) fn named(text: &str) -> Result<Named, String> {
    Named::parse(text).map_err(|error| message(&error))
}

pub(super) fn goal(text: &str) -> Result<Goal, String> {
    text.parse().map_err(|error| message(&error))
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("expected NAME=COLUMN, such as item=segment_id".to_string()),
    }
}

pub(super) fn draws(text: &str) -> Result<Draws, String> {
    text.parse().map_err(|error| message(&error))
}

pub(super) fn scope(text: &str) -> Result<Scope, String> {
    let all = [Scope::All, Scope::LastLayer];
    let named = all.into_iter().find(|scope| scope.name() == text);
    named.ok_or_else(|| "expected all or last-layer".to_string())
}

pub(super) fn precision(text: &str) -> Result<Precision, String> {
    let all = [Precision::F32, Precision::Bf16];
    let named = all.into_iter().find(|precision| precision.name() == text);
    named.ok_or_else(|| "expected f32 or bf16".to_string())
}

pub(super) fn device(text: &str) -> Result<Device, String> {
    match text.split_once(':').unwrap_or((text, "0")) {
        ("cpu", _) => Ok(Device::Cpu),
        ("metal", _) => Ok(Device::Metal),
        ("cuda", number) => number
            .parse()
            .map(Device::Cuda)
            .map_err(|_| format!("`{number}` is not a GPU number")),
        _ => Err("expected cpu, cuda, cuda:N or metal".to_string()),
    }
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parse = || {
        let (number, of) = text.split_once('/')?;
        Some(Shard {
            number: number.trim().parse().ok()?,
            of: of.trim().parse().ok()?,
        })
    };
    parse()
        .filter(|shard| (1..=shard.of).contains(&shard.number))
        .ok_or_else(|| "expected I/N with I from 1 to N, such as 2/4".to_string())
}

pub(super) fn unit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1, such as 0.2".to_string()),
    }
}

pub(super) fn open_unit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a number between 0 and 1, such as 0.95".to_string()),
    }
}

pub(super) fn parts(text: &str) -> Result<Parts, String> {
    let all = [Parts::Mean, Parts::Any];
    let named = all.into_iter().find(|how| how.name() == text);
    named.ok_or_else(|| "expected mean or any".to_string())
}

pub(super) fn labels(text: &str) -> Result<LabelModel, String> {
    let named = LabelModel::ALL
        .into_iter()
        .find(|model| model.name() == text);
    named.ok_or_else(|| "expected dawid-skene or mace".to_string())
}

pub(super) fn range(text: &str) -> Result<[f64; 2], String> {
    let parse = || {
        let (low, high) = text.split_once(',')?;
        Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
    };
    parse()
        .filter(|[low, high]: &[f64; 2]| low < high && low.is_finite() && high.is_finite())
        .ok_or_else(|| "expected LO,HI with LO below HI, such as 0,100".to_string())
}

pub(super) fn thresholds(text: &str) -> Result<(f64, f64), String> {
    let parse = || {
        let (tau1, tau2) = text.split_once(',')?;
        Some((tau1.trim().parse().ok()?, tau2.trim().parse().ok()?))
    };
    parse().ok_or_else(|| "expected T1,T2, such as 0.45,0.55".to_string())
}

pub(super) fn select(text: &str) -> Result<Select, String> {
    let wrong =
        || "expected bald:T or std:T, with a threshold T such as 0.025, or auto".to_string();
    let (by, above) = match text.trim() {
        "auto" => ("bald", "auto"),
        other => other.split_once(':').ok_or_else(wrong)?,
    };
    Ok(Select {
        by: by.parse().map_err(|_| wrong())?,
        above: above.parse().map_err(|_| wrong())?,
    })
}

pub(super) fn eliminate(text: &str) -> Result<Eliminate, String> {
    if text == "auto" {
        return Ok(Eliminate::Auto);
    }
    let mut options = Options::default();
    let expected =
        || "expected alpha=A,copeland=C,formula=paper|released (any of them) or auto".to_string();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        match part.split_once('=').ok_or_else(expected)? {
            ("alpha", value) => options.alpha = value.parse().map_err(|_| expected())?,
            ("copeland", value) => options.copeland = value.parse().map_err(|_| expected())?,
            ("formula", "paper") => options.formula = Formula::Paper,
            ("formula", "released") => options.formula = Formula::Released,
            _ => return Err(expected()),
        }
    }
    Ok(Eliminate::As(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::setting::Setting;
    use crate::model_based::Measure;

    #[test]
    fn flags_are_read_as_the_interface_writes_them() {
        assert_eq!(
            select("bald:0.025"),
            Ok(Select {
                by: Measure::Bald,
                above: Setting::Value(0.025)
            })
        );
        for (text, by) in [("auto", Measure::Bald), ("std:auto", Measure::Std)] {
            let above = Setting::Auto;
            assert_eq!(select(text), Ok(Select { by, above }));
        }
        for wrong in ["bald", "bold:0.1", "std:x", ""] {
            assert!(select(wrong).is_err(), "{wrong}");
        }
        let released = eliminate("alpha=0.5,copeland=0.8,formula=released").unwrap();
        let released = released.options();
        assert_eq!((released.alpha, released.formula), (0.5, Formula::Released));
        assert_eq!(eliminate(""), Ok(Eliminate::As(Options::default())));
        assert_eq!(eliminate("auto"), Ok(Eliminate::Auto));
        assert_eq!(shard("2/4"), Ok(Shard { number: 2, of: 4 }));
        assert!(shard("5/4").is_err() && shard("0/4").is_err());
        assert_eq!(device("cuda:1"), Ok(Device::Cuda(1)));
    }
}
