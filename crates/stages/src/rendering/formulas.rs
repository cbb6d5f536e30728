//! LaTeX as MathML. A formula that cannot be read, or that could do more than show itself, stays LaTeX.

use super::escaped;
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::event::Event;
use pulldown_latex::{Parser, Storage, mathml};

/// The longest formula, in bytes, and the deepest nesting of its elements.
const LONGEST: usize = 2000;
const DEEPEST: usize = 60;

/// The stack on which a formula is parsed, in bytes: several times what the longest one needs.
const STACK: usize = 32 << 20;

/// The widest space, in em.
const WIDEST: f64 = 9.0;

/// Commands that define others, which could make a short formula a long one.
const DEFINITIONS: &str = "\\def,\\edef,\\futurelet,\\gdef,\\let,\\newcommand,\\providecommand,\\renewcommand,\
    \\xdef";

/// The elements of formulas.
const ELEMENTS: &str = "math,menclose,merror,mfrac,mi,mmultiscripts,mn,mo,mover,mpadded,mphantom,mprescripts,\
    mroot,mrow,mspace,msqrt,mstyle,msub,msubsup,msup,mtable,mtd,mtext,mtr,munder,munderover,\
    none";

/// The attributes that elements keep; colours and lengths by style are dropped.
const ATTRIBUTES: &str = "accent,accentunder,columnalign,display,displaystyle,fence,form,largeop,linethickness,\
    lspace,mathvariant,maxsize,minsize,movablelimits,notation,rspace,scriptlevel,separator,\
    stretchy,symmetric";

/// Returns a formula as MathML; `None` where it stays LaTeX.
pub(super) fn mathml(latex: &str, is_display: bool) -> Option<String> {
    let defines = || {
        DEFINITIONS
            .split(',')
            .any(|command| latex.contains(command))
    };
    if latex.len() > LONGEST || defines() {
        return None;
    }
    // The parser goes down one call for each argument without braces, so that its stack is as deep as a formula is
    // long. Whatever fails here, a campaign goes on.
    let parsed = std::thread::scope(|scope| {
        let parser = std::thread::Builder::new().stack_size(STACK);
        let parser = parser.spawn_scoped(scope, || parse(latex, is_display));
        parser.ok()?.join().ok()?
    });
    only_known(&parsed?)
}

fn parse(latex: &str, is_display: bool) -> Option<String> {
    let storage = Storage::new();
    let events: Result<Vec<Event<'_>>, _> = Parser::new(latex, &storage).collect();
    let events = events.ok()?.into_iter().map(Ok::<_, std::fmt::Error>);
    let display_mode = match is_display {
        true => DisplayMode::Block,
        false => DisplayMode::Inline,
    };
    let config = RenderConfig {
        display_mode,
        ..RenderConfig::default()
    };
    let mut made = String::new();
    mathml::push_mathml(&mut made, events, config).ok()?;
    Some(made)
}

/// Copies MathML, without attributes that are not known; `None` for an element that is not, or one that is not closed.
fn only_known(mathml: &str) -> Option<String> {
    // The renderer does not escape operators.
    let mathml = mathml.replace("><</mo>", ">&lt;</mo>");
    let mut made = String::with_capacity(mathml.len());
    let mut open = Vec::new();
    let mut rest = mathml.as_str();
    while let Some((text, after)) = rest.split_once('<') {
        made += &plain_text(text)?;
        let (tag, after) = after.split_once('>')?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            (open.pop()? == name).then_some(())?;
            made += &format!("</{name}>");
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/').trim_end();
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        is_listed(ELEMENTS, name).then_some(())?;
        made += &format!("<{name}{}", kept_attributes(attributes)?);
        if is_empty {
            made += "/>";
        } else {
            made.push('>');
            open.push(name);
            (open.len() <= DEEPEST).then_some(())?;
        }
    }
    (open.is_empty() && rest.is_empty()).then_some(made)
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split(',').any(|one| one == name)
}

/// Returns text as XML has it; `None` for the rest of an element.
fn plain_text(text: &str) -> Option<String> {
    let entities = [
        ("&nbsp;", "\u{a0}"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let plain = |text: String, (entity, sign): (&str, &str)| text.replace(entity, sign);
    let plain = entities.into_iter().fold(text.to_string(), plain);
    (!plain.contains("/>")).then(|| escaped(&plain))
}

/// Returns the known ones of an element's attributes, each with a space before it.
fn kept_attributes(attributes: &str) -> Option<String> {
    let mut made = String::new();
    let mut rest = attributes.trim_start();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = after.split_once('"')?;
        rest = after.trim_start();
        // Without its line through it, a relation would be another.
        (value != "mop-negated").then_some(())?;
        if is_kept(name, value) {
            made += &format!(" {name}=\"{value}\"");
        }
    }
    Some(made)
}

fn is_kept(name: &str, value: &str) -> bool {
    let narrow = || {
        let number = value.strip_suffix("em").unwrap_or(value).parse::<f64>();
        number.is_ok_and(|number| (0.0..=WIDEST).contains(&number))
    };
    let of_tables = |class: &str| class.starts_with("menv-") || class.starts_with("cell-");
    match name {
        "width" => narrow(),
        "class" => value.split(' ').all(of_tables),
        _ => is_listed(ATTRIBUTES, name),
    }
}
