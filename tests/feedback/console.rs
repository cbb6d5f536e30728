//! A person at the terminal.

use super::question;
use std::io::Cursor;
use tiebreak::duel::{Arm, Origin, Outcome, Pair};
use tiebreak::error::Result;
use tiebreak::feedback::console::Console;
use tiebreak::feedback::texts::{IdenticalTexts, Shown, Texts};
use tiebreak::feedback::{FeedbackSource, Reply};
use tiebreak::rng::Seed;

/// Item 0 has two different texts, item 1 twice the same.
struct Library {
    references: Vec<String>,
}

impl Texts for Library {
    fn items(&self, pair: Pair) -> &[u32] {
        if pair.first == Arm(9) { &[] } else { &[0, 1] }
    }

    fn texts(&self, item: u32, _pair: Pair) -> Result<Shown<'_>> {
        let second = if item == 0 {
            "a dog \u{1b}[2J"
        } else {
            "a cat"
        };
        Ok(Shown {
            source: Some("un chat"),
            references: &self.references,
            first: "a cat",
            second,
        })
    }

    fn names(&self, _pair: Pair) -> String {
        "`secret-a` and `secret-b`".to_string()
    }
}

/// Poses one question to a person who types `keys`.
fn ask(id: u64, item: u32, keys: &str) -> (Reply, String) {
    let references = vec!["the cat".to_string()];
    let mut output = Vec::new();
    let library = Library { references };
    let console = Console::new(&library, Cursor::new(keys), &mut output, Seed(42));
    let mut console = IdenticalTexts::new(&library, console);
    let reply = console.ask(question(id, item)).unwrap();
    (reply, String::from_utf8(output).unwrap())
}

fn outcome(reply: Reply) -> Outcome {
    match reply {
        Reply::Answer(answer) => answer.outcome,
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn sides_are_randomised_and_undone_and_no_system_is_named() {
    let mut sides = [0, 0];
    for id in 0..60 {
        let (reply, shown) = ask(id, 0, "1\n");
        let cat_first = shown.contains("[1] a cat");
        assert_ne!(cat_first, shown.contains("[2] a cat"));
        let expected = if cat_first {
            Outcome::Win
        } else {
            Outcome::Loss
        };
        assert_eq!(outcome(reply), expected);
        assert_eq!(outcome(ask(id, 0, "2\n").0), expected.flipped());
        assert_eq!(ask(id, 0, "1\n").1, shown, "shown again, it looks the same");
        assert!(!shown.contains("secret"), "{shown}");
        sides[usize::from(cat_first)] += 1;
    }
    assert!(sides[0] > 15 && sides[1] > 15, "{sides:?}");
}

#[test]
fn a_wrong_key_asks_again_and_help_helps() {
    let (reply, shown) = ask(0, 0, "x\n\n12\nH\n T \n");
    assert_eq!(outcome(reply), Outcome::Tie);
    assert_eq!(shown.matches("none of the keys").count(), 3);
    assert_eq!(shown.matches("Type one key").count(), 1);
    assert!(shown.contains("un chat") && shown.contains("the cat"));
    assert!(
        !shown.contains('\u{1b}'),
        "control characters are not passed on"
    );
}

#[test]
fn the_end_of_the_input_and_q_stop_politely() {
    for keys in ["", "q\n", "Q", "nonsense\n"] {
        assert_eq!(ask(0, 0, keys).0, Reply::Ended, "{keys:?}");
    }
}

#[test]
fn identical_texts_are_a_tie_that_costs_nothing() {
    let (reply, shown) = ask(0, 1, "");
    let Reply::Answer(answer) = reply else {
        panic!("identical texts need no person");
    };
    assert_eq!(
        (answer.outcome, answer.origin),
        (Outcome::Tie, Origin::Model)
    );
    assert!(shown.is_empty());
}

#[test]
fn a_pair_without_common_items_is_named() {
    let references = Vec::new();
    let mut console = Console::new(Library { references }, Cursor::new(""), Vec::new(), Seed(1));
    let mut rng = Seed(1).stream("test", 0);
    let error = console
        .draw(Pair::new(Arm(9), Arm(1)), &mut rng)
        .unwrap_err();
    assert!(error.to_string().contains("secret-a"), "{error}");
}
