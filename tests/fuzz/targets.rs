//! The readers, and files they take.

use crate::cli::{text, tiebreak};
use crate::feedback::question;
use crate::records::{gzip, zstd};
use arrow_array::{ArrayRef, Float64Array, ListArray, RecordBatch, StringArray, StringViewArray};
use arrow_array::{
    DictionaryArray,
    types::{Float64Type, Int32Type},
};
use arrow_ipc::{
    CompressionType,
    writer::{FileWriter, IpcWriteOptions, StreamWriter},
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tiebreak::duel::Outcome;
use tiebreak::journal::{
    Assignment, DealtQuestion, Journal, OutputRating, PlannedOutput, RatingPlan, RatingScale,
    Response,
};
use tiebreak::records::{ColumnMapping, Dataset, DatasetDescriptor, Index, TableReader};
use tiebreak::signature::Signature;
use tiebreak::tables::sealed_text::seal_toml;
use tiebreak::tables::{Manifest, Meta};
use tiebreak::text::tokenize::LineTokenizer;
use tiebreak::vectors::{SentenceVectors, WordVectors};

/// A file by its name.
pub(super) type File = (&'static str, Vec<u8>);

/// A reader and the files it takes.
pub(super) struct Target {
    pub name: &'static str,
    /// The files, one of which is changed. Whatever else belongs to them is written to the folder.
    pub valid: fn(&Path) -> Vec<File>,
    /// How changed contents are stored under a name.
    pub packed: fn(&str, Vec<u8>) -> Vec<u8>,
    /// Reads the changed file of the folder; panics where what is no longer the same is taken for it.
    pub read: fn(&Path, &Path),
}

pub(super) const TARGETS: &[Target] = &[
    target(
        "jsonl",
        |_| {
            vec![
                ("a.jsonl", JSONL.into()),
                ("b.jsonl", b"{\"item\":1}\n".to_vec()),
            ]
        },
        table,
    ),
    target(
        "csv",
        |_| {
            vec![
                ("a.csv", CSV.into()),
                ("b.csv", b"item;system;output\n1;a;b\n".to_vec()),
            ]
        },
        table,
    ),
    target(
        "tsv",
        |_| {
            vec![(
                "a.tsv",
                b"item\tsystem\toutput\n1\ta\tb\n2\t\"a\nb\"\t\n".to_vec(),
            )]
        },
        table,
    ),
    Target {
        packed: |name, bytes| {
            if name.ends_with("gz") {
                gzip(&bytes)
            } else {
                zstd(&bytes)
            }
        },
        ..target(
            "packed",
            |_| vec![("a.jsonl.gz", JSONL.into()), ("a.csv.zst", CSV.into())],
            table,
        )
    },
    target(
        "unpacking",
        |_| vec![("a.jsonl.gz", gzip(JSONL)), ("a.csv.zst", zstd(CSV))],
        table,
    ),
    target("parquet", |_| columnar()[..2].to_vec(), table),
    target("arrow", |_| columnar()[2..].to_vec(), table),
    target("descriptor", descriptor, read_descriptor),
    target("pipeline", pipelines, read_pipeline),
    target("manifest", manifests, read_manifest),
    target("calibration", calibrations, read_calibration),
    target("vectors", |_| vectors(), read_vectors),
    target("sentencepiece", |_| pieces(), read_pieces),
    #[cfg(feature = "neural")]
    target(
        "checkpoint",
        |folder| {
            model(
                folder,
                &["config.json", "model.safetensors", "tiebreak.toml"],
            )
        },
        read_model,
    ),
    #[cfg(feature = "neural")]
    target(
        "tokenizer",
        |folder| model(folder, &["tokenizer.json"]),
        read_model,
    ),
    target("journal", journal, read_journal),
    target("sheet", sheet, read_sheet),
];

const fn target(
    name: &'static str,
    valid: fn(&Path) -> Vec<File>,
    read: fn(&Path, &Path),
) -> Target {
    Target {
        name,
        valid,
        packed: |_, bytes| bytes,
        read,
    }
}

const JSONL: &[u8] = b"{\"item\":\"1\",\"system\":\"a\",\"output\":\"It said \\\"so\\\"\",\"references\":[\"x\",\"y\"],\"score\":0.5}\n\
{\"item\":1,\"system\":\"b\",\"output\":\"\\u00e9\",\"references\":[\"x\",\"y\"],\"more\":{\"deep\":[[1],null]}}\n\
\n{\"item\":\"seg\",\"system\":\"a\",\"output\":\"\",\"references\":\"one\",\"score\":-3e2}\n";

const CSV: &[u8] = b"item,system,output,references,score\r\n1,a,\"It said \"\"so\"\"\nagain\",\"[\"\"x\"\"]\",0.5\r\n\
1,b,plain,,\r\n\xc3\xa9,a,,x,-3\r\n";

/// Every row, and what the index makes of them.
fn table(_: &Path, path: &Path) {
    if let Ok(rows) = TableReader::open(path, &ColumnMapping::default()) {
        let _ = rows.metadata();
        for row in rows.take_while(Result::is_ok).flatten().take(100_000) {
            let _ = (
                row.text("item"),
                row.number("score"),
                row.optional_texts("references"),
            );
        }
    }
    let index = Dataset::open(path, &[]).and_then(|dataset| Index::build(&dataset));
    if let Ok(index) = index {
        let _ = index.all().take(1000).collect::<tiebreak::Result<Vec<_>>>();
    }
}

/// The same rows as Parquet and as Arrow.
pub(super) fn columnar() -> &'static [File] {
    static FORMS: OnceLock<Vec<File>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let batch = batch();
        let schema = batch.schema();
        let parquet = |codec, dictionary| {
            let properties = parquet::file::properties::WriterProperties::builder()
                .set_compression(codec)
                .set_dictionary_enabled(dictionary)
                .build();
            let mut writer =
                ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.into_inner().unwrap()
        };
        let arrow = |codec| {
            let options = IpcWriteOptions::default()
                .try_with_compression(codec)
                .unwrap();
            let mut writer =
                FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
            writer.write(&batch).unwrap();
            writer.write(&batch.slice(1, 2)).unwrap();
            writer.finish().unwrap();
            writer.into_inner().unwrap()
        };
        let mut stream = StreamWriter::try_new(Vec::new(), &schema).unwrap();
        stream.write(&batch).unwrap();
        stream.finish().unwrap();
        vec![
            (
                "a.parquet",
                parquet(Compression::ZSTD(ZstdLevel::default()), true),
            ),
            ("b.parquet", parquet(Compression::SNAPPY, false)),
            ("a.arrow", arrow(Some(CompressionType::ZSTD))),
            ("b.arrow", arrow(Some(CompressionType::LZ4_FRAME))),
            ("c.arrow", arrow(None)),
            ("d.arrow", stream.into_inner().unwrap()),
        ]
    })
}

fn batch() -> RecordBatch {
    let texts = |texts: [&str; 3]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let systems: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
    let numbers = [Some(vec![Some(1.0), None]), None, Some(vec![])];
    let columns = [
        ("item", texts(["1", "1", "two"])),
        ("system", Arc::new(systems)),
        (
            "output",
            Arc::new(StringViewArray::from(vec![
                "one that is not short",
                "",
                "é",
            ])),
        ),
        ("source", texts(["s", "s", &"long ".repeat(40)])),
        (
            "score",
            Arc::new(Float64Array::from(vec![Some(0.5), None, Some(-3.0)])),
        ),
        (
            "draws",
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(numbers)),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn descriptor(folder: &Path) -> Vec<File> {
    fs::write(folder.join("outputs.jsonl"), JSONL).unwrap();
    let plain = "name = \"mine\"\n[columns]\nitem = \"segment\"\n[ranges]\noverall = [0, 100]\n";
    vec![
        ("dataset.toml", fs::read("data/tiny/dataset.toml").unwrap()),
        ("dataset.toml", plain.into()),
    ]
}

fn read_descriptor(folder: &Path, path: &Path) {
    let _ = DatasetDescriptor::read(path);
    let _ = Dataset::open(folder, &[]).and_then(|dataset| dataset.digests());
}

fn pipelines(_: &Path) -> Vec<File> {
    let read = |name| fs::read(Path::new("pipelines").join(name)).unwrap();
    let names = [
        "tour.toml",
        "figure8.toml",
        "table10.toml",
        "default-model.toml",
    ];
    names.map(|name| (name, read(name))).to_vec()
}

fn read_pipeline(_: &Path, path: &Path) {
    let _ = tiebreak::pipeline::Runnable::read(path);
}

fn manifests(_: &Path) -> Vec<File> {
    let manifest = "tiebreak = \"0.1.0\"\nname = \"tour\"\nseed = 42\ndata = \"tiny\"\ndigest = \"00\"\n\
                    contents = \"2 systems\"\n[[stage]]\nkind = \"score\"\nname = \"chrf\"\npath = \"scores\"\n\
                    signature = \"chrf|nc:6\"\n[stage.settings]\nmetric = [\"chrf\"]\n";
    let meta = Meta::new("scores", "chrf|nc:6", 42, "00").with("items per part", 512);
    vec![
        ("run.toml", manifest.into()),
        ("meta.json", meta.to_json().unwrap().into()),
    ]
}

fn read_manifest(folder: &Path, path: &Path) {
    // With the right digest, so that what is below it is read.
    if let Ok(text) = fs::read_to_string(path)
        && path.ends_with("run.toml")
    {
        fs::write(path, seal_toml(&text)).unwrap();
    }
    let _ = (
        Manifest::read(folder),
        Meta::read(path),
        Meta::of_table(folder),
    );
}

fn calibrations(_: &Path) -> Vec<File> {
    let thresholds = "tiebreak = 1\n[thresholds]\nlow = 0.4\nhigh = 0.6\n";
    let calibrator = "model = \"tiny\"\nmethod = \"temperature\"\ntemperature = 1.5\n";
    vec![("a.toml", thresholds.into()), ("b.toml", calibrator.into())]
}

fn read_calibration(_: &Path, path: &Path) {
    let _ = tiebreak::preference::calibration::Calibration::read(path);
    let _ = tiebreak::preference::calibrator::Calibrator::read(path);
}

fn vectors() -> Vec<File> {
    let read = |name| fs::read(Path::new("tests/golden/vectors").join(name)).unwrap();
    let names = [
        "fasttext.bin",
        "words.glove.txt",
        "words.word2vec.bin",
        "words.word2vec.txt",
    ];
    names.map(|name| (name, read(name))).to_vec()
}

fn read_vectors(_: &Path, path: &Path) {
    if let Ok(words) = WordVectors::open(path) {
        words.append("herons", &mut Vec::new());
    }
    if let Ok(sentences) = SentenceVectors::open(path) {
        sentences.sentence("herons fly");
    }
}

fn pieces() -> Vec<File> {
    let names = ["unigram_user.model", "bpe_unused.model", "bpe_bytes.model"];
    let folder = Path::new("tests/golden/text/sentencepiece");
    let file = |name: &'static str| (name, fs::read(folder.join(name)).unwrap());
    names.map(file).to_vec()
}

fn read_pieces(_: &Path, path: &Path) {
    if let Ok(model) = LineTokenizer::of_model(path) {
        for line in ["the abc  <sep>foo", "日本\u{301}ｶﾞ\0 ﬁ½"] {
            model.tokens(line, |piece| assert!(!piece.is_empty()));
        }
    }
}

/// The tiny model, of which some files are to be changed.
#[cfg(feature = "neural")]
pub(super) fn model(folder: &Path, names: &[&'static str]) -> Vec<File> {
    let tiny = Path::new("models/tiny-electra");
    for name in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "tiebreak.toml",
    ] {
        fs::copy(tiny.join(name), folder.join(name)).unwrap();
    }
    let read = |name: &&'static str| (*name, fs::read(tiny.join(name)).unwrap());
    names.iter().map(read).collect()
}

#[cfg(feature = "neural")]
fn read_model(folder: &Path, _: &Path) {
    use tiebreak::preference::{Draws, Options, load};
    let options = Options {
        draws: Some(Draws::Fixed(1)),
        ..Options::default()
    };
    if let Ok(model) = load(text(folder), &options, &tiebreak::Env::default()) {
        let _ = model.predict(&[tiebreak::Contest::new(
            "The train is late.",
            "Train late the.",
        )]);
    }
}

fn signature() -> Signature {
    Signature::new("rank")
        .with("bandit", "rmed")
        .with("seed", 42)
}

fn journal(folder: &Path) -> Vec<File> {
    let path = folder.join("journal.jsonl");
    let mut journal = Journal::open(&path, &signature()).unwrap();
    let scale = RatingScale {
        criterion: "fluency".to_string(),
        range: Some([1.0, 5.0]),
    };
    let output = PlannedOutput {
        item: 3,
        system: 1,
        p: 0.5,
    };
    let plan = RatingPlan {
        scales: vec![scale],
        outputs: vec![output],
        ..RatingPlan::default()
    };
    journal.lay_out(plan).unwrap();
    for item in 0..4 {
        let question = question(u64::from(item), item);
        journal
            .pose(&[DealtQuestion::to_one(question)], None)
            .unwrap();
        let given = Response {
            outcome: (item < 3).then_some(Outcome::Win),
            rated: (item == 3).then(|| OutputRating {
                scores: [("fluency".to_string(), 4.0)].into(),
                text: Some("as it is".to_string()),
            }),
            seconds: Some(1.5),
            ..Response::default()
        };
        let put = Assignment::dealt(question.duel.id);
        journal.answer(&[(put, given)], false).unwrap();
    }
    drop(journal);
    let names = ["journal.jsonl", "journal.length.json"];
    names
        .map(|name| (name, fs::read(folder.join(name)).unwrap()))
        .to_vec()
}

/// What people answered is there, or it is said that it is not.
fn read_journal(folder: &Path, _: &Path) {
    if let Ok(journal) = Journal::open(&folder.join("journal.jsonl"), &signature()) {
        let answers = journal.posed().filter(|posed| posed.is_settled());
        assert_eq!(answers.count(), 4);
    }
}

/// A campaign of which a sheet is out, begun once.
fn sheet(folder: &Path) -> Vec<File> {
    static BEGUN: OnceLock<(tempfile::TempDir, Vec<u8>)> = OnceLock::new();
    let (run, sheet) = BEGUN.get_or_init(|| {
        let run = tempfile::tempdir().unwrap();
        let (begun, sheet) = (run.path().join("run"), run.path().join("sheet.csv"));
        let ask = [
            "ask",
            text(&begun),
            "data/tiny",
            "--n",
            "5",
            "--out",
            text(&sheet),
        ];
        tiebreak(&ask).ok();
        let filled = fs::read(&sheet).unwrap();
        (run, filled)
    });
    let copy = folder.join("run");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(run.path().join("run")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    vec![("sheet.csv", sheet.clone())]
}

fn read_sheet(folder: &Path, path: &Path) {
    let told = tiebreak(&["tell", text(&folder.join("run")), text(path)]);
    assert!(
        matches!(told.code, Some(0 | 2)),
        "{:?}: {}",
        told.code,
        told.stderr
    );
}
