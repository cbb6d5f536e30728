//! Numbers, dates and times that a spreadsheet wrote in another form: `007`, `3/4`, `1e5`, `Mar 3`. Their values are
//! compared, since short texts such as answers to sums differ in nothing else.

/// Most bytes of a text that may be taken for a number.
const LONGEST: usize = 32;

const MONTHS: &str =
    "january february march april may june july august september october november december";

/// Whether a spreadsheet may have written the value of a text in this other form.
pub(super) fn is_same_value(shown: &str, read: &str) -> bool {
    if !is_value(shown) || read.len() > LONGEST || digits(read).is_empty() {
        return false;
    }
    let (own, others) = (numbers(shown), numbers(read));
    if !own.is_empty() && !others.is_empty() {
        // An exponent comes with two decimals, other numbers with ten digits or more.
        let rounded = if read.contains(['e', 'E']) {
            5e-3
        } else {
            1e-9
        };
        let is_same = |one: f64, other: f64| (one - other).abs() <= rounded * one.abs();
        let mut own = own.into_iter();
        return own.any(|own| others.iter().any(|&other| is_same(own, other)));
    }
    is_same_date(shown, read)
}

/// Whether a text may be a number, a date or a time.
fn is_value(text: &str) -> bool {
    let sign = |c: char| c.is_alphanumeric() || " .,:/-+%'$€£()".contains(c);
    let is_month =
        |word: &&str| word.len() > 2 && MONTHS.split(' ').any(|month| month.starts_with(*word));
    text.len() <= LONGEST
        && !digits(text).is_empty()
        && text.chars().all(sign)
        && words(&text.to_lowercase())
            .iter()
            .all(|word| ["e", "am", "pm"].contains(word) || is_month(word))
}

/// What a text is as a number, with commas or points before decimals; nothing if it is none.
fn numbers(text: &str) -> Vec<f64> {
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"'$€£%".contains(*c))
        .collect();
    let negative = bare
        .strip_prefix('(')
        .and_then(|bare| bare.strip_suffix(')'));
    let bare = negative.map_or(bare.clone(), |bare| format!("-{bare}"));
    let forms = [
        bare.replace(',', ""),
        bare.replace('.', "").replace(',', "."),
    ];
    let is_number = |form: &&String| form.contains(|c: char| c.is_ascii_digit());
    let read = forms
        .iter()
        .filter(is_number)
        .filter_map(|form| form.parse().ok());
    let scales: &[f64] = if text.contains('%') {
        &[1.0, 0.01]
    } else {
        &[1.0]
    };
    read.flat_map(|read: f64| scales.iter().map(move |scale| read * scale))
        .collect()
}

/// Whether two dates or times have the same parts, of which a word may stand for one (`3/4`, `04. Mrz 26`).
fn is_same_date(shown: &str, read: &str) -> bool {
    let (own, others) = (digits(shown), digits(read));
    let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    if own.len() == others.len() && shape(shown) == shape(read) {
        return own == others;
    }
    if let Some(number) = numbers(read).first() {
        // The number of days since 1900, or a part of a day.
        return *number > 20_000.0 || (0.0..1.0).contains(number);
    }
    let afternoon = if shown.to_lowercase().contains("pm") {
        12
    } else {
        0
    };
    let is_there = |part: &&u64| {
        let forms = [**part, **part + afternoon];
        others
            .iter()
            .any(|other| forms.contains(other) || forms.contains(&(other % 100)))
    };
    let missing = own.iter().filter(|part| !is_there(part)).count();
    missing <= usize::from(words(read).len() > words(shown).len())
}

fn digits(text: &str) -> Vec<u64> {
    let groups = text.split(|c: char| !c.is_ascii_digit());
    groups.filter_map(|group| group.parse().ok()).collect()
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphabetic());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::is_same_text;

    #[test]
    fn only_the_form_of_a_value_may_change() {
        for (shown, read) in [
            ("007", "7"),
            ("1,234.50", "1.234,5"),
            ("$5", "$5.00"),
            ("50%", "0.5"),
            ("(3)", "-3"),
            ("123456789012345678", "1,23E+17"),
            ("1e5", "1,00E+05"),
            ("3.14159265358979", "3.141592654"),
            ("3/4", "04. Mrz 26"),
            ("3/4", "2026-03-04"),
            ("3.4", "03. Apr"),
            ("3/4/26", "46085"),
            ("May 3", "3-May"),
            ("10:30 am", "10:30:00"),
            ("10:30 pm", "22:30:00"),
        ] {
            assert!(is_same_text(shown, read), "{shown} {read}");
        }
        for (shown, read) in [
            ("105", "505"),
            ("007", "8"),
            ("007", "seven"),
            ("1e5", "1e6"),
            ("123456", "123457"),
            ("1/2", "2/1"),
            ("3/4", "3/5"),
            ("3/4", "05. Jun 26"),
            ("10:30 am", "10:45:00"),
            ("room 12", "room 13"),
            ("3/4", ""),
            ("a", "b"),
        ] {
            assert!(!is_same_text(shown, read), "{shown} {read}");
        }
    }
}
