//! What a campaign should know beforehand: how many people a claim takes, and what long sheets cost.

use crate::feedback::dealing::{Dealing, People};

/// Fewest blocks that can rule out one rival: a block multiplies evidence by 1.9 at most, and 1.9⁵ > 20.
const BLOCKS: usize = 5;

/// Said at the beginning, and of a panel until there are enough people; `None` where nothing is to say.
pub(super) fn on(dealing: &Dealing, systems: usize, answered: u64) -> Option<String> {
    match dealing.people() {
        People::Panel if dealing.count() < BLOCKS => Some(format!(
            "a claim about people at large takes at least {BLOCKS} people for each of the {} rivals, \
             usually twenty: each person has one sheet, told back under her own name; sheets of 5 \
             questions take about 1.2 times as many answers in all as single ones, of 10 up to 1.8, of 25 up \
             to 3.8, of 50 up to 7",
            systems.saturating_sub(1)
        )),
        People::Listed if answered == 0 => Some(
            "the claim will be about these annotators; a question that its annotator never answers counts as \
             answered at the worst, so short sheets are safer than long ones"
                .to_string(),
        ),
        _ => None,
    }
}
