//! `tiebreak help`: a page for each command, its examples first, and topics: options that commands share.

mod pages;
#[cfg(test)]
mod tests;

use super::args::Cli;
use super::verbs;
use clap::{Arg, Args, Command, CommandFactory};
use pages::{Group, SECTIONS, TOPICS, Topic};
use tiebreak_base::error::{Error, Result, nearest};
use tiebreak_base::words::as_sentence;

pub(super) use pages::FIRST_PAGE;

/// `tiebreak help`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak help                # all commands\n  \
tiebreak help rank           # a command, with examples\n  \
tiebreak help options        # the options for every command")]
pub(crate) struct HelpArgs {
    /// A command, or a topic: asking, ratings, races, models, training, data, options; without it all
    /// commands
    #[arg(value_name = "COMMAND|TOPIC")]
    pub names: Vec<String>,
}

/// Returns the page of a command or of a topic.
pub(super) fn help(_: &verbs::Command<'_>, args: &HelpArgs) -> Result<String> {
    let path = args.names.join(" ");
    page(&path).or_else(|| topic(&path)).ok_or_else(|| {
        let command = Cli::command();
        let topics = TOPICS.iter().map(|topic| topic.name);
        let names = command
            .get_subcommands()
            .map(Command::get_name)
            .chain(topics);
        let hint = match nearest(&path, names) {
            Some(near) => format!("did you mean `tiebreak help {near}`?"),
            None => "`tiebreak help` lists all commands".to_string(),
        };
        Error::usage(format!("no command or topic is called `{path}`")).with_hint(hint)
    })
}

/// Makes each command's help its path, such as `fit link`: [`page`] renders the page of that path.
pub(super) fn with_paths(command: Command) -> Command {
    each(command, "", &|command, path| {
        command.override_help(path.to_string())
    })
}

/// Sets what manual pages show: options under the titles of their groups, examples below them.
pub(super) fn with_headings(command: Command) -> Command {
    each(command, "", &|command, path| {
        let before = command.get_before_help().map(ToString::to_string);
        let after = command.get_after_help().map(ToString::to_string);
        let notes: Vec<String> = after.into_iter().chain(before).collect();
        command
            .after_help(notes.join("\n\n"))
            .mut_args(|arg| match heading(path, &arg) {
                Some(title) => arg.help_heading(title),
                None => arg.help_heading(None::<&str>),
            })
    })
}

/// Changes a command and all below it, each with its path.
fn each(command: Command, path: &str, change: &dyn Fn(Command, &str) -> Command) -> Command {
    let command = command.mut_subcommands(|one| {
        let inner = [path, one.get_name()].join(" ");
        each(one, inner.trim(), change)
    });
    change(command, path)
}

/// The title above an option: of its group on the page, else of its topic's group.
fn heading(path: &str, arg: &Arg) -> Option<&'static str> {
    let title = |groups: &'static [Group]| {
        let mut groups = groups.iter();
        groups.find_map(|(title, options)| has(options, arg).then_some(*title))
    };
    let topic = || topic_with(path, arg).and_then(|topic| title(topic.groups));
    title(pages::groups(path)).or_else(topic)
}

fn has(options: &str, arg: &Arg) -> bool {
    options.split(',').any(|option| arg.get_id() == option)
}

/// The topic that describes an option of a page.
fn topic_with(path: &str, arg: &Arg) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| {
        let refers = topic.pages.is_empty() || topic.pages.contains(&path);
        // A command may have an option of its own with the name of one for every command.
        let is_shared = topic.source.is_empty() == arg.is_global_set();
        refers && is_shared && topic.groups.iter().any(|(_, options)| has(options, arg))
    })
}

/// The path of the command that words name, such as `fit link`; other words are passed over.
pub(super) fn path_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut program = Cli::command();
    program.build();
    let (mut command, mut path) = (&program, String::new());
    for word in words {
        if let Some(inner) = below(command, word) {
            command = inner;
            path = [&path, word].join(" ").trim().to_string();
        }
    }
    path
}

/// Renders the page of a command by its path, empty for the program itself; `None` if there is none.
pub(super) fn page(path: &str) -> Option<String> {
    page_of(Cli::command(), path)
}

fn page_of(program: Command, path: &str) -> Option<String> {
    let command = at(program, path)?;
    let mut text = piece(&command, "{before-help}{about}");
    let notes = piece(&command, "{after-help}");
    if !notes.trim().is_empty() {
        text += &format!("\n{}\n", notes.trim());
    }
    text += &format!("\n{}", piece(&command, "{usage-heading} {usage}"));
    section(&mut text, "Arguments", &piece(&command, "{positionals}"));
    for (title, names) in commands(&command, path) {
        let list = command.clone().mut_subcommands(|one| {
            let place = names.iter().position(|name| name == one.get_name());
            match place {
                Some(place) => one.display_order(place),
                None => one.hide(true),
            }
        });
        section(&mut text, &title, &piece(&list, "{subcommands}"));
    }
    let own = pages::groups(path);
    for (title, names) in own {
        section(&mut text, title, &options(&command, names));
    }
    let rest = command.get_arguments().filter(|arg| {
        let grouped = own.iter().any(|(_, options)| has(options, arg));
        !grouped && topic_with(path, arg).is_none() && !arg.is_hide_set()
    });
    let rest: Vec<&str> = rest.map(|arg| arg.get_id().as_str()).collect();
    let title = if own.is_empty() {
        "Options"
    } else {
        "Other options"
    };
    let is_program = path.is_empty();
    if !is_program {
        section(&mut text, title, &options(&command, &rest.join(",")));
    }
    text += "\nMore options:\n";
    for topic in TOPICS
        .iter()
        .filter(|topic| is_program || refers(&command, path, topic))
    {
        text += &format!("  tiebreak help {:10}{}\n", topic.name, topic.summary);
    }
    Some(text)
}

/// Whether a page refers to a topic: it has an option that only the topic describes.
fn refers(command: &Command, path: &str, topic: &Topic) -> bool {
    let own = pages::groups(path);
    command.get_arguments().any(|arg| {
        let here = own.iter().any(|(_, options)| has(options, arg));
        !here && topic_with(path, arg).is_some_and(|one| one.name == topic.name)
    })
}

/// Renders a topic by its name; `None` if there is none.
fn topic(name: &str) -> Option<String> {
    let topic = TOPICS.iter().find(|topic| topic.name == name)?;
    let command = at(Cli::command(), topic.source)?;
    let mut text = as_sentence(topic.summary) + "\n";
    if !topic.pages.is_empty() {
        text += &format!("Commands that take them: {}.\n", topic.pages.join(", "));
    }
    for (title, names) in topic.groups {
        section(&mut text, title, &options(&command, names));
    }
    Some(text)
}

/// The command of a path, built, so that it has the options for every command and its full name.
fn at(mut program: Command, path: &str) -> Option<Command> {
    program.build();
    below(&program, path).cloned()
}

/// The command of a path below another.
fn below<'a>(command: &'a Command, path: &str) -> Option<&'a Command> {
    let mut names = path.split_whitespace();
    names.try_fold(command, |command, name| command.find_subcommand(name))
}

/// The lists of commands on a page, by title.
fn commands(command: &Command, path: &str) -> Vec<(String, Vec<String>)> {
    let names = || {
        command
            .get_subcommands()
            .map(|one| one.get_name().to_string())
    };
    if !path.is_empty() {
        return vec![("Commands".to_string(), names().collect())];
    }
    let is_in = |name: &str, all: &str| all.split(',').any(|one| one == name);
    let listed = |name: &String| SECTIONS.iter().any(|(_, all)| is_in(name, all));
    let section = |(title, all): &Group| {
        let all = all.split(',').map(ToString::to_string);
        (title.to_string(), all.collect())
    };
    let rest = names().filter(|name| !listed(name)).collect();
    let sections = SECTIONS.iter().map(section);
    sections.chain([("More".to_string(), rest)]).collect()
}

/// Renders options of a command, in the order of their names.
fn options(command: &Command, names: &str) -> String {
    let shown = command.clone().mut_args(|arg| {
        let place = names.split(',').position(|name| arg.get_id() == name);
        match place {
            Some(place) => arg.display_order(place),
            None => arg.hide(true),
        }
    });
    piece(&shown, "{options}")
}

/// Renders a part of clap's help.
fn piece(command: &Command, template: &'static str) -> String {
    command
        .clone()
        .help_template(template)
        .render_help()
        .to_string()
}

/// Adds a part under its title, unless it is empty.
fn section(text: &mut String, title: &str, part: &str) {
    if !part.trim().is_empty() {
        *text += &format!("\n{title}:\n{part}");
    }
}
