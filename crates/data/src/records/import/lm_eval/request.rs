//! The requests of a sample.

use crate::records::import::frame::{RecordValue, plain};
use serde_json::Value;

/// A request: the prompt, and the continuations that were to be scored.
pub(super) struct LmEvalRequest {
    pub prompt: Option<String>,
    pub continuations: Vec<String>,
    /// Whether the whole prompt was scored.
    pub rolling: bool,
}

impl LmEvalRequest {
    /// Parses `{"gen_args_0": {"arg_0": …, "arg_1": …}, …}`, or the list of lists of older versions.
    pub(super) fn parse(arguments: RecordValue<'_>) -> Self {
        let requests: Vec<(Value, Option<Value>)> = match arguments.is_list() {
            true => arguments
                .items()
                .map(|one| {
                    let second = (one.items().len() > 1).then(|| one.nth(1).value().clone());
                    (one.nth(0).value().clone(), second)
                })
                .collect(),
            false => numbered(arguments)
                .into_iter()
                .map(|one| {
                    let second = one.get("arg_1");
                    (
                        one.get("arg_0").value().clone(),
                        (!second.is_null()).then(|| second.value().clone()),
                    )
                })
                .collect(),
        };
        let continuation = |(_, second): &(Value, Option<Value>)| {
            second
                .as_ref()
                .and_then(Value::as_str)
                .map(ToString::to_string)
        };
        Self {
            prompt: requests.first().and_then(|(prompt, _)| match prompt {
                Value::Null => None,
                other => plain(other).or_else(|| Some(other.to_string())),
            }),
            continuations: requests.iter().filter_map(continuation).collect(),
            rolling: !requests.is_empty() && requests.iter().all(|(_, second)| second.is_none()),
        }
    }
}

/// Returns the fields of an object by the numbers at the ends of their names, which may stand in any order.
fn numbered(arguments: RecordValue<'_>) -> Vec<RecordValue<'_>> {
    let number = |name: &str| name.rsplit('_').next().and_then(|end| end.parse().ok());
    let mut fields: Vec<(Option<u64>, RecordValue<'_>)> = arguments
        .fields()
        .map(|(name, one)| (number(name), one))
        .collect();
    fields.sort_by_key(|(number, _)| *number);
    fields.into_iter().map(|(_, one)| one).collect()
}
