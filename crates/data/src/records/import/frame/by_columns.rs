//! Data frames as one JSON object: by columns, as pandas writes them unless told otherwise, by rows, split into names and
//! values, as a table with a schema, or by columns that are plain lists.

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
        || is_table(object)
        || is_listed(object)
        || object.values().all(is_row_or_column) && object.iter().next().is_some_and(is_nested)
}

/// Returns the rows of a data frame; `None` where the object is none.
pub(super) fn into_rows(object: FirstRecord) -> Option<Vec<FirstRecord>> {
    if is_split(&object) {
        return split_rows(object);
    }
    if is_table(&object) {
        return table_rows(object);
    }
    if is_listed(&object) {
        return listed_rows(object);
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

/// Whether an object has rows under `data`, with their schema.
fn is_table(object: &FirstRecord) -> bool {
    let fields = object.get("schema").and_then(|schema| schema.get("fields"));
    let is_part = |key: &String| ["schema", "data"].contains(&key.as_str());
    fields.is_some_and(Value::is_array) && object.keys().all(is_part)
}

/// Returns the rows, without the index that pandas counts where none is named.
fn table_rows(mut object: FirstRecord) -> Option<Vec<FirstRecord>> {
    let key = object["schema"].get("primaryKey");
    let is_counted = key.and_then(|key| key.get(0)?.as_str()) == Some("index");
    let Value::Array(rows) = object.remove("data")? else {
        return None;
    };
    let row = |row: Value| match row {
        Value::Object(mut row) => {
            is_counted.then(|| row.remove("index"));
            Some(row)
        }
        _ => None,
    };
    rows.into_iter().map(row).collect()
}

/// Whether an object has columns that are lists, some of plain values and none of objects.
fn is_listed(object: &FirstRecord) -> bool {
    let firsts = || object.values().filter_map(|column| column.get(0));
    let is_plain = |first: &Value| first.is_string() || first.is_number() || first.is_boolean();
    object
        .values()
        .all(|column| column.is_array() || column.is_null())
        && firsts().any(is_plain)
        && !firsts().any(Value::is_object)
}

fn listed_rows(object: FirstRecord) -> Option<Vec<FirstRecord>> {
    let count = object.values().next()?.as_array()?.len();
    let mut rows = vec![FirstRecord::new(); count];
    for (name, column) in object {
        let Value::Array(column) = column else {
            return None;
        };
        if column.len() != count {
            return None;
        }
        for (row, cell) in rows.iter_mut().zip(column) {
            row.insert(name.clone(), cell);
        }
    }
    Some(rows)
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
        let table = json!({"schema": {"fields": [{"name": "item"}, {"name": "system"}], "primaryKey": ["index"]},
            "data": [{"index": 0, "item": "1", "system": "a"}, {"index": 1, "item": "1", "system": "b"}]});
        let listed = json!({"item": ["1", "1"], "system": ["a", "b"]});
        for frame in [by_columns, by_rows, split, table, listed] {
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
            json!({"schema": {"fields": []}, "data": [1]}),
            json!({"item": ["1", "2"], "system": ["a"]}),
            json!({"item": ["1"], "samples": [{"a": 1}]}),
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
