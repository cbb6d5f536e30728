//! The words that ask a judge for its verdict.

use super::template::JudgeTemplateKind;
use crate::verdicts::{Rule, VerdictLabels};

/// Returns the words that ask for a verdict as a rule reads it; `None` for a label alone, which each template asks for in
/// its own words.
pub(super) fn verdict_request(
    rule: &Rule,
    labels: &VerdictLabels,
    kind: JudgeTemplateKind,
) -> Option<String> {
    let show = |label: &str| match rule {
        Rule::Json if kind == JudgeTemplateKind::Pointwise => format!("{{\"rating\": {label}}}"),
        Rule::Json => format!("{{\"choice\": \"{label}\"}}"),
        Rule::Pattern(before, after) if after.is_empty() => format!("{before} {label}"),
        Rule::Pattern(before, after) => format!("{before}{label}{after}"),
        Rule::Probabilities | Rule::Label => label.to_string(),
    };
    let begin = match rule {
        Rule::Probabilities | Rule::Label => return None,
        Rule::Json => "Reply with JSON and nothing else:",
        Rule::Pattern(..) => "You may explain first. End your reply with:",
    };
    Some(match kind {
        JudgeTemplateKind::Pointwise => format!("{begin} {}, with your rating.", show("3")),
        JudgeTemplateKind::Pairwise => {
            let tie = match rule {
                Rule::Json => labels.tie.as_ref().map(|_| "tie"),
                _ => labels.tie.as_deref(),
            };
            let (a, b) = (show(&labels.a), show(&labels.b));
            match tie {
                Some(tie) => {
                    format!(
                        "{begin} {a}, {b}, or {} if they are equally good.",
                        show(tie)
                    )
                }
                None => format!("{begin} {a} or {b}."),
            }
        }
    })
}
