//! Times metrics on texts in memory, for `benches/peers/run`.
//!
//! `peers TEXTS CLOCK` reads the tab-separated texts. Each line on standard input is then
//! `WHAT ITEMS THREADS`: a metric, or `split` for reading the file and splitting its texts into
//! words. The answer is the seconds that one pass over so many items takes: by the `wall`, or as
//! `cpu` time by thread, which other work on the machine disturbs less (Linux only).

mod clock;
mod texts;

use clock::Seconds;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use texts::{Item, items, segments};
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric};
use tiebreak::registry::{Params, find_entry};
use tiebreak::text::whitespace::words;

/// Items that one thread scores at a time.
const ITEMS: usize = 64;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, clock] = arguments
        .iter()
        .filter(|argument| *argument != "--bench")
        .collect::<Vec<_>>()[..]
    else {
        return; // `cargo bench` without texts
    };
    let path = Path::new(path);
    let items = items(&std::fs::read_to_string(path).expect("the texts"));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        let mut fields = line.rsplitn(3, ' ');
        let mut number = || fields.next().and_then(|field| field.parse().ok());
        let (threads, count): (Option<usize>, Option<usize>) = (number(), number());
        let (Some(threads), Some(count), Some(what)) = (threads, count, fields.next()) else {
            panic!("expected WHAT ITEMS THREADS, found `{line}`");
        };
        let taken = match what {
            "split" => Seconds::of(|| split(path)),
            metric => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                let metric = metric_named(metric);
                let pool = pool.expect("threads");
                Seconds::of(|| score(&pool, &*metric, &items[..count.min(items.len())]))
            }
        };
        let seconds = match clock.as_str() {
            "wall" => taken.wall,
            "cpu" => taken.cpu / threads as f64,
            other => panic!("expected wall or cpu, found `{other}`"),
        };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{seconds}").expect("an open pipe");
    }
}

fn metric_named(text: &str) -> Box<dyn Metric> {
    let (name, params) = Params::parse(text).expect("a metric");
    let entry = find_entry("metric", METRICS, &name).expect("a listed metric");
    (entry.build.build)(&params, &Env::default()).expect("its parameters")
}

fn split(path: &Path) {
    let text = std::fs::read_to_string(path).expect("the texts");
    let fields = text.lines().flat_map(|line| line.split('\t'));
    let lengths = fields.flat_map(words).map(str::len);
    black_box(lengths.fold((0_u32, 0), |(n, sum), length| (n + 1, sum + length)));
}

fn score(pool: &ThreadPool, metric: &dyn Metric, items: &[Item]) {
    let score = |items: &[Item]| {
        black_box(metric.score(&segments(items)).expect("references"));
    };
    pool.install(|| items.par_chunks(ITEMS).for_each(score));
}
