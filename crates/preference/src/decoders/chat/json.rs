//! Values of templates from JSON, and back as Python's `json.dumps` writes them: blanks after commas and colons,
//! nothing escaped for pages, keys in their order.

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind};
use serde_json::Value as Json;

/// The value of a template for one of JSON.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(one) => Value::from(*one),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, number) => Value::from(number.unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(all) => Value::from(all.iter().map(value).collect::<Vec<_>>()),
        Json::Object(map) => {
            Value::from_pairs(map.iter().map(|(key, one)| (key.as_str(), value(one))))
        }
    }
}

/// The filter `tojson`, with `indent`.
// Jinja hands arguments over by value.
#[allow(clippy::needless_pass_by_value)]
pub(super) fn filter(value: &Value, arguments: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = arguments.get("indent")?;
    // Python has further ones, which decide nothing here.
    for other in ["ensure_ascii", "separators", "sort_keys"] {
        let _: Option<Value> = arguments.get(other)?;
    }
    arguments.assert_all_used()?;
    let mut text = String::new();
    write(value, indent, 0, &mut text)?;
    Ok(Value::from(text))
}

fn write(
    value: &Value,
    indent: Option<usize>,
    depth: usize,
    text: &mut String,
) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None | ValueKind::Undefined => *text += "null",
        ValueKind::Bool => *text += if value.is_true() { "true" } else { "false" },
        ValueKind::Number => *text += &value.to_string(),
        ValueKind::String => *text += &quoted(value)?,
        ValueKind::Map => {
            let keys: Vec<Value> = value.try_iter()?.collect();
            let entries = keys.len();
            *text += "{";
            for (at, key) in keys.iter().enumerate() {
                line(indent, depth + 1, at > 0, text);
                *text += &quoted(key)?;
                *text += ": ";
                write(&value.get_item(key)?, indent, depth + 1, text)?;
            }
            close(indent, depth, entries, text);
            *text += "}";
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let mut entries = 0;
            *text += "[";
            for (at, one) in value.try_iter()?.enumerate() {
                line(indent, depth + 1, at > 0, text);
                write(&one, indent, depth + 1, text)?;
                entries = at + 1;
            }
            close(indent, depth, entries, text);
            *text += "]";
        }
        other => {
            let what = format!("tojson: {other} is not a JSON value");
            return Err(Error::new(ErrorKind::InvalidOperation, what));
        }
    }
    Ok(())
}

fn line(indent: Option<usize>, depth: usize, later: bool, text: &mut String) {
    match indent {
        Some(indent) => {
            *text += if later { ",\n" } else { "\n" };
            *text += &" ".repeat(indent * depth);
        }
        None if later => *text += ", ",
        None => {}
    }
}

fn close(indent: Option<usize>, depth: usize, entries: usize, text: &mut String) {
    if let Some(indent) = indent.filter(|_| entries > 0) {
        *text += "\n";
        *text += &" ".repeat(indent * depth);
    }
}

fn quoted(value: &Value) -> Result<String, Error> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string);
    let failed =
        |error: serde_json::Error| Error::new(ErrorKind::InvalidOperation, error.to_string());
    serde_json::to_string(&text).map_err(failed)
}
