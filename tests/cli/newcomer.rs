//! Thirty mistakes of somebody who is new: each is told with its place, what was found, what was expected and
//! what to do, and leaves nothing behind.

use super::{Finished, command, finished, tree};
use crate::support::{assert_contains, assert_lacks, table_rows};
use expect_test::expect;
use std::fs;
use std::path::Path;

/// A folder with a data set, `mine`, in which one works as a newcomer does.
pub(crate) struct Desk(tempfile::TempDir);

impl Desk {
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn new() -> Self {
        let desk = Self::empty();
        let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tiny");
        for (name, bytes) in tree(&tiny) {
            let path = desk.path("mine").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        desk
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Runs the words of a command line in the folder.
    pub(crate) fn run(&self, line: &str) -> Finished {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Finished {
        let mut command = command(arguments);
        command
            .current_dir(self.0.path())
            .env("HOME", self.0.path());
        finished(&command.output().unwrap())
    }

    /// What a terminal shows of command lines: what was typed, what was said, and an exit code that is not 0. `cat`
    /// shows a file.
    pub(crate) fn session(&self, lines: &str) -> String {
        let mut shown = String::new();
        for line in lines.lines().map(str::trim) {
            shown += &format!("$ {line}\n");
            if let Some(name) = line.strip_prefix("cat ") {
                shown += &fs::read_to_string(self.path(name)).unwrap();
                continue;
            }
            let run = self.run(line);
            shown += &(run.stdout + &run.stderr);
            if run.code != Some(0) {
                shown += &format!("exit {:?}\n", run.code.unwrap());
            }
        }
        shown
    }
}

/// What is typed, and the parts of what is said: about paths, Windows, where results go, the order of things, what is
/// not there, and names and values.
const MISTAKES: &str = r"
check mien | error: mien: no such file or folder && did you mean `mine`?
check mine/outputs | mine/outputs: no such file && did you mean `mine/outputs.jsonl`?
check mine/outputs.csv | did you mean `mine/outputs.jsonl`?
rank mien/outputs.jsonl | did you mean `mine`?
run pipelin.toml | pipelin.toml: no such file && did you mean `pipeline.toml`?
run mine | mine: is a folder, expected a file
run pipeline.toml | pipeline.toml:1: no stage && [[rank]]
run list.toml | list.toml:1: data: a list, expected a path
report begun | begun: the run is unfinished && `tiebreak run PIPELINE.toml --out begun`
import helm --out new | helm/run: a run of HELM without scenario_state.json
import lone.csv --out new | lone.csv: has outputs, and nothing names their system && a column `system`
import a.txt b.txt --out new | a.txt: no table && --reference ref.txt --system a=a.txt
check marks | marks/judgments.csv:3: `score` is 2,5 here and 1.234 in marks/judgments.csv:2 && decimal point
run slip.toml | slip.toml:1:  && mien: no such file && did you mean  && from the folder of its file
report mien | mien: no such file && did you mean `mine`?
assess mine --predictions p.parquet | p.parquet: no such file or folder
import --source mine/text/sorce.de --reference mine/text/reference.en --system a=mine/text/atlas.en --out new | mine/text/sorce.de: no such file && did you mean `mine/text/source.de`?

run users.toml | users.toml:1:  && a backslash begins an escape && 'C:\data\mine'
run tab.toml | tab.toml:1:  && a backslash begins an escape

score mine --metric chrf --out s.txt | s.txt: no table is written as txt && csv && parquet
score mine --metric chrf --out s.json | s.json: no table is written as json && jsonl
estimate mine --out e.xlsx | e.xlsx: no table is written as xlsx && csv
simulate mine --runs 2 --budget 20 --out sim.csv | --out sim.csv: `simulate` writes a folder
rank mine --out ranking.json | --out ranking.json: `rank` writes a folder
estimate mine --out - | --out -: no table goes to standard output here && --json
rank mine --force | --force makes way for --out, which is not given
score mine --metric bleu --out scores.csv | scores.csv: begun with && chrf && bleu && --force
score mine --metric chrf --out notes.csv | notes.csv: already there, and was not written by this command && --force
score mine --metric chrf --out edited.csv | edited.csv: already there, and was changed since it was written && --force
score mine --metric chrf --out notes.csv/x | notes.csv: a file, expected a folder && --out
correlate mine --scores parts --metric chrf | parts/chrf/meta.json: not the metadata of a table && make it again
rank mine --confidence 0.9 --out ranked | ranked/ranking.json: already there, with other content && --force

estimate mine --criterion fluency --out mean.csv | mean.csv: begun with criterion = adequacy, now criterion = fluency && --force

ask mine run --out q.csv | mine: is a data set, expected the folder of a campaign && the campaign's folder comes first: run mine
ask mine --out q.csv | mine: is a data set, expected the folder of a campaign && name a folder for the campaign before it: RUN mine
tell notes.csv run | notes.csv: is a file, expected the folder of a campaign && the campaign's folder comes first
tell mine notes.csv | mine: is a data set, expected the folder of a campaign

score header.csv --metric chrf | header.csv: holds no outputs, so there is nothing to score
score empty.jsonl --metric chrf | empty.jsonl: the file is empty
check nothing | nothing: no tables && outputs.jsonl
report nothing | nothing: no table of a run to report && tiebreak run

score mine --metric belu | unknown metric `belu` && did you mean `bleu`?
simulate mine --bandit rumed | unknown bandit `rumed` && did you mean `rmed`?
estimate mine --criterion adequcy | unknown criterion `adequcy` && did you mean `adequacy`?
estimate mine --estimator man | unknown estimator `man` && did you mean `mean`?
predict mine --model tiebreak-smal --out p.csv | unknown model `tiebreak-smal`
lst metrics | unknown command `lst` && did you mean `list`?
list metric | invalid value 'metric' && 'metrics'
score mine | --metric <NAME>
completions tcsh | invalid value 'tcsh' && bash
";

#[test]
fn thirty_mistakes_are_told_so_that_one_knows_what_to_do() {
    let desk = Desk::new();
    for folder in ["nothing", "begun/score", "helm/run", "marks"] {
        fs::create_dir_all(desk.path(folder)).unwrap();
    }
    let score = "[[score]]\nmetric = \"chrf\"\n";
    desk.file("slip.toml", &format!("data = \"mien\"\n{score}"));
    desk.file("tab.toml", &format!("data = \"C:\\test\"\n{score}"));
    for (name, content) in [
        ("pipeline.toml", "data = \"mine\"\n"),
        ("users.toml", "data = \"C:\\Users\\me\"\n"),
        ("notes.csv", "what,when\n"),
        ("header.csv", "item,system,output\n"),
        ("list.toml", "data = [\"mine\"]\n[[rank]]\n"),
        ("helm/run/run_spec.json", "{\"name\": \"run\"}"),
        ("lone.csv", "item,output\n1,x\n"),
        ("a.txt", "one\n"),
        ("b.txt", "two\n"),
        (
            "marks/judgments.csv",
            "item,system,criterion,score\n1,a,fluency,1.234\n2,a,fluency,\"2,5\"\n",
        ),
        ("empty.jsonl", ""),
    ] {
        desk.file(name, content);
    }
    desk.run("score mine --metric chrf --out scores.csv").ok();
    for (made, edited) in [
        ("edited.csv", "edited.csv"),
        ("parts", "parts/chrf/meta.json"),
    ] {
        desk.run(&format!("score mine --metric chrf --out {made}"))
            .ok();
        let text = fs::read_to_string(desk.path(edited)).unwrap();
        desk.file(edited, &(text + "x\n"));
    }
    desk.run("rank mine --out ranked").ok();
    desk.run("estimate mine --criterion adequacy --out mean.csv")
        .ok();
    let before = tree(desk.0.path());
    for [line, phrases] in table_rows(MISTAKES) {
        let run = desk.run(line);
        assert_eq!(run.stdout, "", "{line}: {}", run.stderr);
        run.refused(&phrases.split(" && ").collect::<Vec<_>>());
    }
    let left = tree(desk.0.path());
    assert_eq!(
        left.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        before.iter().map(|(path, _)| path).collect::<Vec<_>>()
    );
    assert!(left == before, "a refused command changed a file");
}

#[cfg(not(windows))]
#[test]
fn a_path_of_windows_is_known_for_one() {
    let desk = Desk::new();
    let refused = desk.run(r"check C:\data\mine").stderr;
    assert_contains(&refused, &["a path of Windows"]);
    let refused = desk.run(r"check mine\outputs.jsonl").stderr;
    assert_contains(&refused, &["did you mean `mine/outputs.jsonl`?"]);
}

#[test]
fn the_same_result_may_be_made_again_and_another_with_force() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out s.csv").ok();
    let first = fs::read(desk.path("s.csv")).unwrap();
    expect![[r#"
        $ score mine --metric chrf --out s.csv
        written: s.csv
        next: tiebreak correlate mine --scores s.csv --metric chrf
        $ score mine --metric bleu --out s.csv
        error: s.csv: begun with metric = chrf, now metric = bleu
        hint: set metric = chrf again, choose another name, or rename the existing one with --force
        exit 2
        $ score mine --metric bleu --out s.csv --force
        s.csv is now s.old.csv
        written: s.csv
        next: tiebreak correlate mine --scores s.csv --metric bleu
        $ score mine --metric ter --out s.csv --force --quiet
    "#]]
    .assert_eq(&desk.session(
        "score mine --metric chrf --out s.csv
         score mine --metric bleu --out s.csv
         score mine --metric bleu --out s.csv --force
         score mine --metric ter --out s.csv --force --quiet",
    ));
    desk.run("rank mine --out r").ok();
    assert_eq!(desk.run("rank mine --confidence 0.9 --out r").code, Some(2));
    desk.run("rank mine --confidence 0.9 --out r --force").ok();
    assert_eq!(fs::read(desk.path("s.old.csv")).unwrap(), first);
    for moved in ["s.old.csv.meta.json", "s.old2.csv", "r.old/ranking.json"] {
        assert!(desk.path(moved).is_file(), "{moved}");
    }
}

#[test]
fn a_command_that_fails_moves_nothing_away() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out s.csv").ok();
    desk.run("rank mine --out r").ok();
    desk.file("a.txt", "one\ntwo\n");
    desk.file("b.txt", "one\n");
    let before = tree(desk.0.path());
    for failing in [
        "score nosuch.csv --metric length --out s.csv",
        "score mine --metric lenght --out s.csv",
        "estimate mine --criterion zzz --out s.csv",
        "import nosuch.csv --out r",
        "import --reference a.txt --system b=b.txt --out r",
        "export mine --as zzz --out s.csv",
        "export mine --as csv --predictions nosuch.csv --out r",
        "rank nosuch --out r",
        "simulate mine --predictions nosuch.csv --out r",
        "run nosuch.toml --out r",
    ] {
        let run = desk.run(&format!("{failing} --force"));
        assert_eq!(run.code, Some(2), "{failing}: {}", run.stderr);
        assert!(!run.stderr.contains("is now"), "{failing}: {}", run.stderr);
        assert!(tree(desk.0.path()) == before, "{failing}");
    }
}

#[test]
fn what_a_command_reads_is_no_place_for_its_result() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out s.csv").ok();
    desk.file("a.txt", "one\n");
    desk.file("b.txt", "two\n");
    let before = tree(desk.0.path());
    for [line, out, what] in table_rows(
        "score mine --metric chrf | mine | `score` reads what is there
         score mine --metric chrf | ./mine/ | `score` reads what is there
         score mine/outputs.jsonl --metric chrf | mine | `score` reads mine/outputs.jsonl, which is in it
         score a.txt b.txt --metric chrf | a.txt | `score` reads what is there
         score mine --metric chrf | mine/outputs.jsonl | `score` reads what is there
         rank mine | mine | `rank` reads what is there
         export mine --as csv | mine | `export` reads what is there
         correlate mine --scores s.csv --metric chrf | s.csv | `correlate` reads what is there
         import --reference a.txt --system b=mine/text/birch.en | mine | `import` reads mine/text/birch.en, which is in it
         fit link mine --scores s.csv --metric chrf --link linear | s.csv | `fit link` reads what is there",
    ) {
        let run = desk.run(&format!("{line} --out {out} --force"));
        run.refused(&[&format!("--out {out}: {what}"), "name another place"]);
        assert!(tree(desk.0.path()) == before, "{line}");
    }
    // Without --force neither is a file.
    desk.run("correlate mine --scores s.csv --metric chrf --out s.csv")
        .refused(&["`correlate` reads what is there"]);
}

#[test]
fn a_table_goes_to_standard_output_for_a_dash() {
    let desk = Desk::new();
    let printed = desk.run("score mine --metric chrf --out -");
    assert_lacks(&printed.stderr, &["written"]);
    desk.run("score mine --metric chrf --out s.csv").ok();
    let written = fs::read_to_string(desk.path("s.csv")).unwrap();
    assert_eq!(printed.ok(), written);
    assert!(!desk.path("-").exists());
}

/// What is suggested can be typed.
#[test]
fn what_was_written_is_said_and_what_to_type_next() {
    let desk = Desk::new();
    expect![[r#"
        $ score mine --metric chrf --out s.csv
        written: s.csv
        next: tiebreak correlate mine --scores s.csv --metric chrf
        $ fit link mine --scores s.csv --metric chrf --link linear --out l.toml
        linear: range = 96.28, tau1 = 0.492, tau2 = 0.508
        three-way accuracy 53.6 % on the 3055 comparisons it was fitted to; 53.2 % where each item is predicted by what was fitted without it
        written: l.toml
        $ predict mine --scores s.csv --metric chrf --link linear --calibration l.toml --out p.csv
        written: p.csv
        next: tiebreak assess mine --predictions p.csv
        $ score mine --metric chrf --out s.csv --quiet
    "#]].assert_eq(&desk.session(
        "score mine --metric chrf --out s.csv
         fit link mine --scores s.csv --metric chrf --link linear --out l.toml
         predict mine --scores s.csv --metric chrf --link linear --calibration l.toml --out p.csv
         score mine --metric chrf --out s.csv --quiet",
    ));
    desk.run("correlate mine --scores s.csv --metric chrf").ok();
    desk.run("assess mine --predictions p.csv").ok();
}

#[test]
fn an_estimate_needs_no_estimator() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out s.csv").ok();
    for (given, usual) in [
        ("", "mean"),
        (" --scores s.csv --metric chrf", "control-variates"),
    ] {
        let estimate = format!("estimate mine --criterion adequacy --json{given}");
        let named = format!("{estimate} --estimator {usual}");
        assert_eq!(desk.run(&estimate).ok(), desk.run(&named).ok());
    }
}
