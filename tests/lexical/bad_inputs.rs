//! What people feed a metric by accident: every metric gives a number or a named error, never NaN,
//! and ends.

use super::metric;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::Params;
use tiebreak::rng::Seed;

const TEXTS: [&str; 20] = [
    "",
    " \t ",
    "\n\n",
    "\u{3000}",
    "a",
    ".",
    "over and over and over and over and over",
    "今天天气很好，我们去公园散步吧。",
    "나는 고양이를 좋아합니다.",
    "I love 🍕🍕 and 👩\u{200d}👩\u{200d}👧 🇫🇷 !",
    "ذهب الولد إلى المدرسة صباحاً.",
    "הילד הלך לבית־הספר.",
    "\u{202e}drawkcab\u{202c} \u{feff}",
    "a\u{0}b \u{1}\u{1b}[31m c\u{7f} \u{85} \u{1c}d",
    "first line\r\nsecond line\n\nthird",
    "caf\u{65}\u{301} naïve ½ ﬁne İstanbul ß",
    "a ||| b {c} <d> &amp; \\e \"f\" 'g'",
    "--- ... ?!?! ,,,, --",
    "𝐀𝐁 𝟙𝟚 ℵ₀ \u{10ffff}",
    "1,000.50 3-4 U.S.A. x86_64 e.g. don't",
];

/// Variants of metrics that are not listed by themselves.
const VARIANTS: [&str; 19] = [
    "bleu:tokenize=intl,lowercase=true",
    "bleu:tokenize=zh,smooth-method=add-k",
    "bleu:tokenize=char,effective-order=false",
    "bleu-2:implementation=nltk,smoothing-function=method3",
    "bleu-4:implementation=nltk,smoothing-function=method6",
    "bleu-4:implementation=nltk,smoothing-function=method7",
    "chrf:multi-reference=first,scale=1,decimals=3",
    "chrf++:whitespace=true,eps-smoothing=true",
    "cider-d:df=segment",
    "meteor:language=other,lower=true,modules=exact+stem",
    "rouge-1:implementation=1.5.5,use-stemmer=true",
    "rouge-l:implementation=1.5.5,words=5",
    "rouge-l:implementation=nlg-eval",
    "rouge-su4:skip-distance=-1,bytes=20",
    "rouge-w:weight=2",
    "ter:normalized=true,no-punct=true,asian-support=true",
    "ter:implementation=pyter",
    "wer:implementation=jiwer",
    "gec-gleu:iter=3",
];

/// Every metric that needs no model, as listed or in a variant.
fn metrics() -> Vec<(String, Box<dyn Metric>)> {
    let listed = METRICS.iter().filter_map(|entry| {
        let built = (entry.build.build)(&Params::default(), &Env::default());
        Some((entry.name.to_string(), built.ok()?))
    });
    let variants = VARIANTS.map(|text| (text.to_string(), metric(text)));
    let all: Vec<_> = listed.chain(variants).collect();
    assert!(all.len() > VARIANTS.len() + 20, "{} metrics", all.len());
    all
}

/// Scores segments one by one, so that an error of one is not that of another, and together.
fn check(name: &str, metric: &mut dyn Metric, segments: &[Segment<'_>]) {
    if metric.needs_corpus() {
        metric.observe(segments).unwrap();
    }
    for segment in segments {
        match metric.score(std::slice::from_ref(segment)) {
            Ok(scores) => {
                assert_eq!(scores.len(), 1, "{name}");
                let place = (segment.hypothesis, segment.references);
                assert!(
                    scores[0].is_finite(),
                    "{name} of {place:?} is {}",
                    scores[0]
                );
            }
            Err(error) => assert_eq!(error.exit_code(), 2, "{name}: {error}"),
        }
    }
    let Ok(scores) = metric.score(segments) else {
        return;
    };
    assert!(scores.iter().all(|score| score.is_finite()), "{name}");
    if let Some(corpus) = metric.corpus() {
        let mut item = 0;
        let positions = segments.iter().enumerate().map(|(at, segment)| {
            let before = segments[at.saturating_sub(1)].references;
            item += u64::from(!std::ptr::eq(before, segment.references));
            item
        });
        let positions: Vec<u64> = positions.collect();
        let rows = corpus.statistics_at(segments, &positions).unwrap();
        let mut totals = vec![0.0; corpus.width()];
        for row in rows.chunks_exact(corpus.width()) {
            totals
                .iter_mut()
                .zip(row)
                .for_each(|(total, value)| *total += value);
        }
        let whole = corpus.aggregate(&totals);
        assert!(whole.is_finite(), "{name}: the corpus score is {whole}");
        let nothing = corpus.aggregate(&vec![0.0; corpus.width()]);
        assert!(nothing.is_finite(), "{name}: nothing is {nothing}");
    }
}

#[test]
fn every_metric_takes_odd_texts_or_says_why_not() {
    // All pairs of texts, with one reference or two.
    let text = |text: &&str| text.to_string();
    let mut references: Vec<Vec<String>> = TEXTS.iter().map(|one| vec![text(one)]).collect();
    let pairs = TEXTS.windows(2).map(|two| two.iter().map(text).collect());
    references.extend(pairs);
    let segments: Vec<Segment<'_>> = references
        .iter()
        .flat_map(|references| {
            TEXTS.map(|hypothesis| Segment {
                hypothesis,
                references,
                context: Some("a source"),
            })
        })
        .collect();
    for (name, mut metric) in metrics() {
        check(&name, metric.as_mut(), &segments);
        let none = Segment {
            hypothesis: "a",
            references: &[],
            context: Some("a"),
        };
        if metric.needs_references() {
            let error = metric.score(&[none]).unwrap_err();
            assert!(
                error.to_string().contains("needs references"),
                "{name}: {error}"
            );
            assert_eq!(error.exit_code(), 2, "{name}");
        }
    }
}

/// A text of `length` words that are as frequent as words of English are.
fn long(stream: &str, length: usize) -> String {
    let mut rng = Seed(11).stream(stream, 0);
    let word = |_| format!("w{}", (9.0 * rng.uniform()).exp() as u32);
    (0..length).map(word).collect::<Vec<_>>().join(" ")
}

/// Of a very long line, in words; four times as many take metrics of quadratic time 16 times as long.
const LENGTH: usize = 5_000;

#[test]
fn every_metric_ends_on_a_very_long_line() {
    let (text, other) = (long("text", LENGTH), long("other", LENGTH));
    let same = vec!["over"; LENGTH].join(" ");
    let references = [[other], [same.clone()]];
    let segment = |hypothesis, references| Segment {
        hypothesis,
        references,
        context: Some("a source"),
    };
    let segments = [
        segment(&*text, &references[0][..]),
        segment(&*text, &references[1]),
        segment(&*same, &references[1]),
    ];
    for (name, mut metric) in metrics() {
        check(&name, metric.as_mut(), &segments);
    }
}
