//! Slips that once ended badly: each is refused with what to type, or done with a note.

use super::newcomer::Desk;
use crate::support::{assert_lacks, table_rows};
use expect_test::expect;
use std::fs;
use std::path::Path;

/// A folder with files for slips.
fn slip_desk() -> Desk {
    let desk = Desk::empty();
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tiny");
    for folder in ["sets/one", "sets/two"] {
        fs::create_dir_all(desk.path(folder)).unwrap();
        for table in ["items.jsonl", "outputs.jsonl", "comparisons.jsonl"] {
            fs::copy(tiny.join(table), desk.path(folder).join(table)).unwrap();
        }
    }
    for [name, text] in table_rows(
        r#"ref1        | the cat sat\nit rained\n
           ref2        | a cat sat\nit was raining\n
           h3.txt      | the cat sat\nit rains\n
           p.yaml      | stage: score\n
           upper.csv   | Item,System,Output\ni1,a,hello\ni1,b,bye\n
           null.jsonl  | {"item":"1","system":"a","output":null}\n{"item":"1","system":"b","output":"x"}\n
           one.jsonl   | {"item":"1","system":"a","output":"x"}\n
           apart.jsonl | {"item":"1","system":"a","output":"x"}\n{"item":"2","system":"b","output":"y"}\n
           thai.jsonl  | {"item":"1","system":"s","output":"สวัสดี","references":["สวัสดี"]}\n"#,
    ) {
        desk.file(name, &text.replace("\\n", "\n"));
    }
    let latin = b"item,system,output\n1,a,caf\xe9\n1,b,x\n";
    fs::write(desk.path("latin.csv"), latin).unwrap();
    desk
}

/// What is typed, and the parts of what is said.
const REFUSED: &str = r#"
rank sets | sets: holds 2 data sets && name one of them, such as sets/one
tell RUN sets/one/outputs.jsonl | sets/one/outputs.jsonl:1: no column `question`; columns are
judge sets/one --model gpt-4o --out p.csv | unknown model `gpt-4o` && endpoint = "https && --endpoint http
import h3.txt --out mine | tiebreak import --reference ref.txt --system h3=h3.txt --out DIR
check upper.csv | --column item=Item --column system=System --column output=Output
check latin.csv | latin.csv:2: invalid UTF-8 in cell 3 && iconv -f cp1252 -t utf-8 latin.csv > utf8-latin.csv
ask OTHER sets/one --annotators ana ben --out q.csv | hint: values of --annotators are joined by commas: --annotators ana,ben
rate sets/one | tiebreak estimate && --task rating
serve OTHER sets/one --listen 80 | expected an address and a port, such as 127.0.0.1:80
run p.yaml | p.yaml: a pipeline is TOML, and this is yaml
run upper.csv | upper.csv: `run` takes a pipeline, which is TOML, and this is a table && tiebreak check upper.csv
rank sets/one --threads 0 | --threads: `0`, expected a whole number from 1 to 1024
score sets/one --metric bleu:tokenize=nope | bleu: tokenize: `nope`, expected one of `13a`
score ref1 -i h3.txt -tok | `-tok` takes a value, for example `-tok 13a`
score ref1 -i h3.txt -tok -m chrf | `-tok` takes a value
score ref1 -i h3.txt -m chrf --chrf-beta | `--chrf-beta` takes a value, for example `--chrf-beta 2`
score ref1 -i h3.txt -l | `-l` takes a value, for example `-l en-de`
check https://example.org/o.csv | download the file first
score sets/one --metric bleu --draws x | `x`, expected a whole number
rank sets/one --confidence x | `x`, expected a number
check null.jsonl | `output` is null && tiebreak import null.jsonl --out DIR
ask OTHER one.jsonl --out q.csv | holds one system, `a`, and comparing needs two && --task rating
predict apart.jsonl --out p.csv | no item has outputs of two systems, so there is nothing to predict
rank one.jsonl | holds one system, `a`
"#;

#[test]
fn slips_are_refused_with_what_to_type() {
    let desk = slip_desk();
    desk.run("ask RUN sets/one --n 5 --out first.csv").ok();
    for [line, says] in table_rows(REFUSED) {
        let finished = desk.run(line);
        finished.refused(&says.split(" && ").collect::<Vec<_>>());
        assert_lacks(&finished.stderr, &["invalid type"]);
    }
}

#[test]
fn what_is_done_otherwise_than_typed_is_said() {
    let desk = slip_desk();
    let votes = fs::read_to_string(desk.path("sets/two/comparisons.jsonl")).unwrap();
    fs::write(desk.path("sets/two/comparisons.jsonl"), votes.repeat(2)).unwrap();
    expect![[r#"
        $ score --metric chrf sets/one
        system       mean chrf
        atlas            75.93
        atlas-rerun      75.93
        birch            50.13
        cedar            58.34
        delta            80.43
        ember            53.76
        fjord            88.72

        chrf|nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:1
        $ score ref1 ref2 h3.txt --metric bleu
        system  corpus bleu
        h3                0
        ref2              0

        bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:4|version:1
        reference: ref1; systems: ref2, h3.txt. Several references: tiebreak score ref1 --reference OTHER -i FILE…
        $ score thai.jsonl --metric rouge-1
        system  mean rouge-1
        s                  0

        rouge-1|nrefs:1|stem:no|measure:fmeasure|version:1
        note: rouge-1 gives 0 even to a reference compared with itself, so its 0 means nothing here. It reads nothing in these texts, or needs more than 1 item. rouge keeps only a-z and digits: tokenizer=unicode keeps words of every script, and tokenizer=letters each letter, for scripts without spaces
        $ ask RUN sets/one --n 100000 --out q.csv
        written         775 questions to q.csv; 100000 were asked for, and no others are left to ask now
        verdict         Not decided yet. There are no answers.
        questions       775 asked: 0 answered, 775 open
        tied            atlas, atlas-rerun (their outputs never differ)
        note            The first 775 answers only decide what to ask next; proof starts with the second batch. A first batch of 10 to 20 questions is enough. Only 27 questions are left for it: a verdict is unlikely, and a new campaign with a smaller first batch has a better chance.
        next            fill in column `answer` of q.csv: 1, 2, tie, both bad or skip. Then: tiebreak tell RUN q.csv
    "#]].assert_eq(&desk.session(
        "score --metric chrf sets/one
         score ref1 ref2 h3.txt --metric bleu
         score thai.jsonl --metric rouge-1
         ask RUN sets/one --n 100000 --out q.csv",
    ));
    for (line, note) in [
        ("score sets/one --metric rouge-1", ""),
        ("rank sets/one", ""),
        (
            "rank sets/two",
            "note: there again, with the same item, systems, outcome and annotator: 3,055 comparisons. Was a file given twice? Each row counts\n",
        ),
    ] {
        assert_eq!(desk.run(line).stderr, note, "{line}");
    }
}
