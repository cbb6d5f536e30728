//! Data frames as one JSON object, as pandas writes them unless it is told otherwise: by columns, by rows, or split into
//! names and values.

use super::file::FirstRecord;
use serde_json::{Map, Value};

/// Whether an object, as far as its beginning shows, may be a data frame.
pub(super) fn may_be_frame(object: &Map<String, Value>) -> bool {
    let is_nested = |(key, value): (&String, &Value)| {
        let inner = value.as_object().and_then(|inner| inner.keys().next());
        inner.is_some_and(|inner| is_number(key) || is_number(inner))
    };
    is_split(object) || object.iter().next().is_some_and(is_nested)
}

/// Returns the rows of a data frame; `None` where the object is none.
pub(super) fn into_rows(object: &Map<String, Value>) -> Option<Vec<FirstRecord>> {
    if is_split(object) {
        return split_rows(object);
    }
    let nested: Option<Vec<(&String, &FirstRecord)>> = object
        .iter()
        .map(|(key, value)| Some((key, value.as_object()?)))
        .collect();
    let nested = nested?;
    let (_, first) = nested.first()?;
    let is_even = nested
        .iter()
        .all(|(_, inner)| inner.keys().eq(first.keys()));
    match () {
        () if !is_even => None,
        () if nested.iter().all(|(key, _)| is_number(key)) => {
            Some(nested.iter().map(|(_, row)| (*row).clone()).collect())
        }
        () if first.keys().all(|row| is_number(row)) => {
            let row = |label: &String| {
                let cells = nested.iter();
                let cell = |(name, column): &(&String, &FirstRecord)| {
                    ((*name).clone(), column[label].clone())
                };
                cells.map(cell).collect()
            };
            Some(first.keys().map(row).collect())
        }
        () => None,
    }
}

fn is_number(key: &str) -> bool {
    key.parse::<u64>().is_ok()
}

/// Whether an object has the names of columns apart from the values of rows.
fn is_split(object: &Map<String, Value>) -> bool {
    let is_list = |key: &str| object.get(key).is_none_or(Value::is_array);
    object.len() <= 3
        && object
            .keys()
            .all(|key| ["columns", "index", "data"].contains(&key.as_str()))
        && object.contains_key("columns")
        && object.keys().all(|key| is_list(key))
}

fn split_rows(object: &Map<String, Value>) -> Option<Vec<FirstRecord>> {
    let names: Option<Vec<&str>> = object["columns"]
        .as_array()?
        .iter()
        .map(Value::as_str)
        .collect();
    let names = names?;
    let row = |cells: &Value| {
        let cells = cells
            .as_array()
            .filter(|cells| cells.len() == names.len())?;
        let named = names.iter().map(|name| (*name).to_string());
        Some(named.zip(cells.iter().cloned()).collect())
    };
    object.get("data")?.as_array()?.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(frame: &Value) -> Option<Value> {
        let object = frame.as_object().unwrap();
        assert!(may_be_frame(object) || into_rows(object).is_none());
        let rows = into_rows(object)?;
        Some(rows.into_iter().map(Value::Object).collect())
    }

    #[test]
    fn every_way_of_pandas_gives_the_same_rows() {
        let expected = Some(json!([{"item": "1", "system": "a"}, {"item": "1", "system": "b"}]));
        let by_columns = json!({"item": {"0": "1", "1": "1"}, "system": {"0": "a", "1": "b"}});
        let by_rows = json!({"0": {"item": "1", "system": "a"}, "7": {"item": "1", "system": "b"}});
        let split = json!({"columns": ["item", "system"], "index": [0, 1], "data": [["1", "a"], ["1", "b"]]});
        for frame in [by_columns, by_rows, split] {
            assert_eq!(rows(&frame), expected, "{frame}");
        }
    }

    #[test]
    fn other_objects_are_no_frames() {
        for other in [
            json!({"item": {"0": "1"}, "system": {"1": "a"}}),
            json!({"a": {"x": 1}, "b": {"x": 2}}),
            json!({"item": "1", "system": {"0": "a"}}),
            json!({"columns": ["a"], "data": [[1, 2]]}),
            json!({"data": [[1]]}),
        ] {
            assert_eq!(rows(&other), None, "{other}");
        }
    }
}
