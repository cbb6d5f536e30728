//! Times metrics on texts in memory, for `benches/peers/run`.
//!
//! `peers TEXTS CLOCK` reads the tab-separated texts. Each line on standard input is then
//! `WHAT ITEMS THREADS`: a metric, or `split` for reading the file and splitting its texts into
//! words. The answer is the seconds that one pass over so many items takes: by the `wall`, or as
//! `cpu` time by thread, which other work on the machine disturbs less (Linux only).

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find};
use tiebreak::text::whitespace::words;

/// Passes are repeated until they take so many seconds together.
const ENOUGH: f64 = 0.5;

/// Items that one thread scores at a time.
const ITEMS: usize = 64;

struct Item {
    references: Vec<String>,
    outputs: Vec<String>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "to time is what this program is for"
)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, clock] = arguments
        .iter()
        .filter(|argument| *argument != "--bench")
        .collect::<Vec<_>>()[..]
    else {
        return; // `cargo bench` without texts
    };
    let clock = match clock.as_str() {
        "wall" => Clock::Wall(Instant::now()),
        "cpu" => Clock::Cpu,
        other => panic!("expected wall or cpu, found `{other}`"),
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
        let seconds = match what {
            "split" => clock.time(1, || split(path)),
            metric => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                let metric = metric_named(metric);
                let pool = pool.expect("threads");
                clock.time(threads, || {
                    score(&pool, &*metric, &items[..count.min(items.len())]);
                })
            }
        };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{seconds}").expect("an open pipe");
    }
}

fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut current = None;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if current != Some(fields[0]) {
            current = Some(fields[0]);
            items.push(Item {
                references: vec![fields[3].to_string()],
                outputs: Vec::new(),
            });
        }
        let item = items.last_mut().expect("an item");
        item.outputs.push(fields[2].to_string());
    }
    items
}

fn metric_named(text: &str) -> Box<dyn Metric> {
    let (name, params) = Params::parse(text).expect("a metric");
    let entry = find("metric", METRICS, &name).expect("a listed metric");
    (entry.build)(&params, &Env::default()).expect("its parameters")
}

enum Clock {
    Wall(Instant),
    Cpu,
}

impl Clock {
    /// Seconds per call of work on so many threads.
    fn time(&self, threads: usize, mut work: impl FnMut()) -> f64 {
        work();
        let begin = self.now(threads);
        for calls in 1.. {
            work();
            let taken = self.now(threads) - begin;
            if taken > ENOUGH {
                return taken / f64::from(calls);
            }
        }
        unreachable!("time goes on")
    }

    fn now(&self, threads: usize) -> f64 {
        match self {
            Self::Wall(begin) => begin.elapsed().as_secs_f64(),
            Self::Cpu => processor_time() / threads as f64,
        }
    }
}

/// Of this process: `utime` and `stime` of proc(5), which are in hundredths of a second.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = stat.rsplit_once(')').expect("a process");
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

fn split(path: &Path) {
    let text = std::fs::read_to_string(path).expect("the texts");
    let fields = text.lines().flat_map(|line| line.split('\t'));
    let lengths = fields.flat_map(words).map(str::len);
    black_box(lengths.fold((0_u32, 0), |(n, sum), length| (n + 1, sum + length)));
}

fn score(pool: &ThreadPool, metric: &dyn Metric, items: &[Item]) {
    let score = |items: &[Item]| {
        let segments: Vec<Segment<'_>> = items
            .iter()
            .flat_map(|item| {
                item.outputs.iter().map(|hypothesis| Segment {
                    hypothesis,
                    references: &item.references,
                    context: None,
                })
            })
            .collect();
        black_box(metric.score(&segments).expect("references"));
    };
    pool.install(|| items.par_chunks(ITEMS).for_each(score));
}
