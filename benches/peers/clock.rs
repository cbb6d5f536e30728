//! How long work takes: by the wall, and in processor time, which other work on the machine disturbs
//! less.

use std::time::Instant;

/// Work is repeated until it takes so many seconds together.
const ENOUGH: f64 = 0.5;

/// Seconds per call of some work.
pub(crate) struct Seconds {
    pub wall: f64,
    /// Of all threads together; NaN but on Linux.
    pub cpu: f64,
}

impl Seconds {
    /// Those of `work`, which is done once before.
    #[expect(
        clippy::disallowed_methods,
        reason = "to time is what these programs are for"
    )]
    pub(crate) fn of(mut work: impl FnMut()) -> Self {
        work();
        let (begin, begin_cpu) = (Instant::now(), processor_time());
        for calls in 1.. {
            work();
            let calls = f64::from(calls);
            let wall = begin.elapsed().as_secs_f64();
            let cpu = processor_time() - begin_cpu;
            if wall > ENOUGH && (cpu > ENOUGH || cpu.is_nan()) {
                let (wall, cpu) = (wall / calls, cpu / calls);
                return Self { wall, cpu };
            }
        }
        unreachable!("time goes on")
    }
}

/// Of this process: `utime` and `stime` of proc(5), which are in hundredths of a second.
fn processor_time() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return f64::NAN;
    };
    let (_, fields) = stat.rsplit_once(')').expect("a process");
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}
