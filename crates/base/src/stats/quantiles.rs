//! Quantiles: of the standard normal, of Student's t, and of a sample.
//!
//! The normal quantile is algorithm AS 241 (Wichura, Applied Statistics 1988, `PPND16`: relative
//! error about 1e-16). Student's t inverts the finite sums of Abramowitz and Stegun 26.7.3-4 for
//! up to 200 degrees of freedom and uses their expansion 26.7.5 above (relative error below 1e-9
//! for probabilities down to 1e-5). Sample quantiles interpolate linearly between order statistics
//! (Hyndman and Fan's type 7, R's default).

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The value a standard normal stays below with probability `p`, for 0 < p < 1; `None` elsewhere.
pub fn normal(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return Some(q * ratio(&CENTRE, 0.180_625 - q * q));
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let tail = if r <= 5.0 {
        ratio(&TAIL, r - 1.6)
    } else {
        ratio(&FAR_TAIL, r - 5.0)
    };
    Some(tail.copysign(q))
}

/// The value Student's t with `df` degrees of freedom stays below with probability `p`, for
/// 0 < p < 1 and at least one degree; `None` elsewhere.
pub(crate) fn student_t(p: f64, df: u64) -> Option<f64> {
    let z = normal(p)?;
    match df {
        0 => None,
        1..=200 => Some(student_t_by_inversion(p, df)),
        _ => Some(student_t_by_expansion(z, df as f64)),
    }
}

/// The standard errors that an interval of that confidence reaches to each side, with `df` degrees
/// of freedom; `None` unless 0 < confidence < 1 and `df` is at least 1.
pub fn two_sided_t(confidence: f64, df: u64) -> Option<f64> {
    student_t(0.5 + confidence / 2.0, df).filter(|_| confidence > 0.0)
}

/// The quantile of ascending values at `p` in [0, 1]; `None` without values.
pub fn of_sorted(ascending: &[f64], p: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let low = ascending[below];
    let high = ascending[(below + 1).min(last)];
    let above = place - below as f64;
    // Beyond the last finite value the rest may be infinite.
    Some(match above > 0.0 {
        true => low + above * (high - low),
        false => low,
    })
}

/// The median of values in any order; `None` without values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    of_sorted(&values, 0.5)
}

/// Solves A(θ) = |2p − 1| for t = √df · tan θ: in θ the distribution is smooth and bounded, so that
/// bisection to the last bit is safe.
fn student_t_by_inversion(p: f64, df: u64) -> f64 {
    let wanted = (2.0 * p - 1.0).abs();
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if student_t_within(middle, df) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    ((df as f64).sqrt() * low.tan()).copysign(p - 0.5)
}

/// A(t|df) = P(|T| < t) at θ = atan(t/√df): Abramowitz and Stegun 26.7.3 (odd) and 26.7.4 (even).
fn student_t_within(theta: f64, df: u64) -> f64 {
    let (sine, cosine) = theta.sin_cos();
    let odd = df % 2 == 1;
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = 0.0;
    for step in 1..=df / 2 {
        sum += term;
        let k = 2 * step + u64::from(odd);
        term *= cosine * cosine * (k - 1) as f64 / k as f64;
    }
    if odd {
        FRAC_2_PI * (theta + sine * sum)
    } else {
        sine * sum
    }
}

/// The quantile by Abramowitz and Stegun 26.7.5.
fn student_t_by_expansion(z: f64, df: f64) -> f64 {
    let s = z * z;
    let first = z * (s + 1.0) / 4.0;
    let second = z * ((5.0 * s + 16.0) * s + 3.0) / 96.0;
    let third = z * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
    let fourth = z * ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0;
    z + (first + (second + (third + fourth / df) / df) / df) / df
}

/// Numerator and denominator of a rational approximation, lowest power first.
type Rational = ([f64; 8], [f64; 8]);

fn ratio((numerator, denominator): &Rational, x: f64) -> f64 {
    let at = |terms: &[f64; 8]| terms.iter().rev().fold(0.0, |sum, term| sum * x + term);
    at(numerator) / at(denominator)
}

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as published")]
const CENTRE: Rational = (
    [3.387_132_872_796_366_608, 133.141_667_891_784_377_45, 1_971.590_950_306_551_442_7,
     13_731.693_765_509_461_125, 45_921.953_931_549_871_457, 67_265.770_927_008_700_853,
     33_430.575_583_588_128_105, 2_509.080_928_730_122_672_7],
    [1.0, 42.313_330_701_600_911_252, 687.187_007_492_057_908_3, 5_394.196_021_424_751_107_7,
     21_213.794_301_586_595_867, 39_307.895_800_092_710_61, 28_729.085_735_721_942_674,
     5_226.495_278_852_854_561],
);

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as published")]
const TAIL: Rational = (
    [1.423_437_110_749_683_577_34, 4.630_337_846_156_545_295_9, 5.769_497_221_460_691_405_5,
     3.647_848_324_763_204_605_04, 1.270_458_252_452_368_382_58, 0.241_780_725_177_450_611_77,
     0.022_723_844_989_269_184_583_3, 7.745_450_142_783_414_076_4e-4],
    [1.0, 2.053_191_626_637_758_821_87, 1.676_384_830_183_803_849_4, 0.689_767_334_985_100_004_55,
     0.148_103_976_427_480_074_59, 0.015_198_666_563_616_457_196_6,
     5.475_938_084_995_344_946e-4, 1.050_750_071_644_416_843_24e-9],
);

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as published")]
const FAR_TAIL: Rational = (
    [6.657_904_643_501_103_777_2, 5.463_784_911_164_114_369_9, 1.784_826_539_917_291_335_8,
     0.296_560_571_828_504_891_23, 0.026_532_189_526_576_123_093,
     1.242_660_947_388_078_438_6e-3, 2.711_555_568_743_487_578_15e-5,
     2.010_334_399_292_288_132_65e-7],
    [1.0, 0.599_832_206_555_887_937_69, 0.136_929_880_922_735_805_31,
     0.014_875_361_290_850_614_852_5, 7.868_691_311_456_132_591e-4,
     1.846_318_317_510_054_681_8e-5, 1.421_511_758_316_445_888_7e-7,
     2.044_263_103_389_939_785_64e-15],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_quantile_matches_published_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.9, 1.281_551_565_544_600_5),
            (0.995, 2.575_829_303_548_900_4),
            (1e-10, -6.361_340_902_404_056),
            (1e-300, -37.047_096_299_361_2),
        ] {
            let error = (normal(p).unwrap() - z).abs();
            assert!(
                error <= 1e-13 * f64::max(1.0, z.abs()),
                "at {p}: off by {error}"
            );
        }
    }

    #[test]
    fn students_t_matches_published_tables() {
        for (p, df, t) in [
            (0.975, 1, 12.706_204_736_174_7),
            (0.975, 2, 4.302_652_729_749_46),
            (0.975, 5, 2.570_581_835_636_31),
            (0.95, 10, 1.812_461_122_811_68),
            (0.995, 30, 2.749_995_653_567_23),
            (0.025, 100, -1.983_971_518_523_55),
        ] {
            let error = (student_t(p, df).unwrap() / t - 1.0).abs();
            assert!(error < 1e-11, "t({p}, {df}) is off by a share of {error}");
        }
    }

    #[test]
    fn the_expansion_continues_the_inversion() {
        for p in [1e-5, 0.01, 0.1, 0.6, 0.975, 0.999] {
            let exact = student_t_by_inversion(p, 200);
            let expanded = student_t_by_expansion(normal(p).unwrap(), 200.0);
            assert!(
                (exact / expanded - 1.0).abs() < 1e-9,
                "{p}: {exact} and {expanded}"
            );
        }
    }

    #[test]
    fn outside_their_domain_there_is_no_quantile() {
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(normal(p), None);
            assert_eq!(student_t(p, 5), None);
        }
        assert_eq!(student_t(0.9, 0), None);
        assert_eq!(two_sided_t(-0.5, 5), None);
        assert_eq!(of_sorted(&[], 0.5), None);
    }

    #[test]
    fn sample_quantiles_interpolate() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!(of_sorted(&values, 0.0), Some(1.0));
        assert_eq!(of_sorted(&values, 0.5), Some(4.0));
        assert_eq!(of_sorted(&values, 0.9), Some(8.0 + 0.6 * 8.0));
        assert_eq!(of_sorted(&values, 1.0), Some(16.0));
        assert_eq!(of_sorted(&[3.0], 0.7), Some(3.0));
        assert_eq!(median(vec![8.0, 1.0, 2.0, 16.0, 4.0]), Some(4.0));
        assert_eq!(median(Vec::new()), None);
    }
}
