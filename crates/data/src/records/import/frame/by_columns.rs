//! Data frames as one JSON object: by columns, as pandas writes them unless told otherwise, by rows, or split into names
//! and values.

use super::file::FirstRecord;
use serde_json::Value;

/// Whether an object, as far as its beginning shows, may be a data frame: what the beginning cuts off is null.
pub(super) fn may_be_frame(object: &FirstRecord) -> bool {
    let is_nested = |(key, value): (&String, &Value)| {
        let inner = value.as_object().and_then(|inner| inner.keys().next());
        inner.is_some_and(|inner| is_number(key) || is_number(inner))
    };
    let is_row_or_column = |value: &Value| value.is_object() || value.is_null();
    is_split(object)
        || object.values().all(is_row_or_column) && object.iter().next().is_some_and(is_nested)
}

/// Returns the rows of a data frame; `None` where the object is none.
pub(super) fn into_rows(object: FirstRecord) -> Option<Vec<FirstRecord>> {
    if is_split(&object) {
        return split_rows(object);
    }
    let nested = object.into_iter().map(|(key, value)| match value {
        Value::Object(inner) => Some((key, inner)),
        _ => None,
    });
    let nested: Vec<(String, FirstRecord)> = nested.collect::<Option<_>>()?;
    let (_, first) = nested.first()?;
    let is_even = nested
        .iter()
        .all(|(_, inner)| inner.keys().eq(first.keys()));
    if !is_even {
        return None;
    }
    if nested.iter().all(|(key, _)| is_number(key)) {
        return Some(nested.into_iter().map(|(_, row)| row).collect());
    }
    if !first.keys().all(|row| is_number(row)) {
        return None;
    }
    let mut rows = vec![FirstRecord::new(); first.len()];
    for (name, column) in nested {
        for (row, (_, cell)) in rows.iter_mut().zip(column) {
            row.insert(name.clone(), cell);
        }
    }
    Some(rows)
}

fn is_number(key: &str) -> bool {
    key.parse::<u64>().is_ok()
}

/// Whether an object has the names of columns apart from the values of rows.
fn is_split(object: &FirstRecord) -> bool {
    let is_part = |(key, value): (&String, &Value)| {
        ["columns", "index", "data"].contains(&key.as_str()) && value.is_array()
    };
    object.contains_key("columns") && object.iter().all(is_part)
}

fn split_rows(mut object: FirstRecord) -> Option<Vec<FirstRecord>> {
    let mut list = |key: &str| match object.remove(key)? {
        Value::Array(list) => Some(list),
        _ => None,
    };
    let name = |name: Value| name.as_str().map(str::to_string);
    let names = list("columns")?.into_iter().map(name);
    let names: Vec<String> = names.collect::<Option<_>>()?;
    let row = |cells: Value| match cells {
        Value::Array(cells) if cells.len() == names.len() => {
            Some(names.iter().cloned().zip(cells).collect())
        }
        _ => None,
    };
    list("data")?.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(frame: &Value) -> Option<Value> {
        let object = frame.as_object().unwrap();
        let may_be = may_be_frame(object);
        let rows = into_rows(object.clone());
        assert!(may_be || rows.is_none());
        let rows = rows?;
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

    #[test]
    fn an_object_with_other_values_is_not_read_whole_to_see() {
        let may_be = |object: Value| may_be_frame(object.as_object().unwrap());
        assert!(!may_be(json!({"0": {"item": "1"}, "samples": []})));
        assert!(!may_be(json!({"scores": {"0": 1}, "model": "a"})));
        assert!(
            may_be(json!({"item": {"0": "1"}, "system": null})),
            "cut off"
        );
    }
}
