//! Functions for which Go has another method than `libm`, so that plain arguments give the same digits: `exp(1)` is
//! `e`. Coefficients have all the digits that were published.

#![allow(clippy::excessive_precision)]

use super::cephes::{pow, sin};
use std::f64::consts::{LN_2, PI};

/// The natural logarithm of 2 with few digits, so that its multiples are exact, and the rest of it.
const LN_2_HIGH: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
const LN_2_LOW: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;

/// Beyond this the result is infinite.
const MOST_EXPONENT: f64 = 709.782_712_893_384;

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

/// `e` to the power of `x`, as Go computes it on amd64: the method of SLEEF (N. Shibata, 2010). The argument less a
/// multiple of ln 2 is divided by 16; from the series of `exp(y) - 1` there, four squarings lead back.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > MOST_EXPONENT {
        return f64::INFINITY;
    }
    let times = (x * (1.0 / LN_2)).round_ties_even();
    if times < -1_022.0 {
        return 0.0;
    }
    let fma = libm::fma;
    let rest = fma(-times, LN_2_LOW, fma(-times, LN_2_HIGH, x)) / 16.0;
    let factorials = [40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0];
    let series = factorials
        .iter()
        .fold(0.0, |sum, factorial| fma(sum, rest, 1.0 / factorial));
    let mut less_one = rest * series;
    for _ in 0..3 {
        less_one *= less_one + 2.0;
    }
    libm::ldexp(fma(less_one, less_one + 2.0, 1.0), times as i32)
}

/// The Gamma function, by the method of Cephes (S. Moshier): steps into the interval from 2 to 3 and a quotient of
/// polynomials there; Stirling's formula for large arguments.
pub fn gamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x == f64::INFINITY {
        return x;
    }
    if x.is_nan() || (x < 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x > 33.0 {
        let (power, factor) = stirling(x);
        return power * factor;
    }
    if x < -33.0 {
        return reflected(-x);
    }
    let (mut x, mut product) = (x, 1.0);
    while x >= 3.0 {
        x -= 1.0;
        product *= x;
    }
    while x < 2.0 {
        if x.abs() < 1e-9 {
            return product / ((1.0 + EULER * x) * x);
        }
        product /= x;
        x += 1.0;
    }
    if x == 2.0 {
        return product;
    }
    let above = [
        1.601_195_224_767_518_614_07e-4,
        1.191_351_470_065_863_849_13e-3,
        1.042_137_975_617_615_699_35e-2,
        4.763_678_004_571_372_314_64e-2,
        2.074_482_276_484_359_751_50e-1,
        4.942_148_268_014_971_007_53e-1,
        9.999_999_999_999_999_967_96e-1,
    ];
    let below = [
        -2.315_818_733_241_201_298_19e-5,
        5.396_055_804_933_033_978_42e-4,
        -4.456_419_138_517_972_404_94e-3,
        1.181_397_852_220_604_355_52e-2,
        3.582_363_986_054_986_533_73e-2,
        -2.345_917_957_182_433_485_68e-1,
        7.143_049_170_302_730_740_85e-2,
        1.000_000_000_000_000_003_20,
    ];
    product * polynomial(&above, x - 2.0) / polynomial(&below, x - 2.0)
}

/// Gamma of `-q`, for a large `q` that is no integer: by the sine of the distance to the next one.
fn reflected(q: f64) -> f64 {
    let below = q.floor();
    let sign = if below % 2.0 == 0.0 { -1.0 } else { 1.0 };
    let distance = if q - below > 0.5 {
        q - (below + 1.0)
    } else {
        q - below
    };
    let sine = (q * sin(PI * distance)).abs();
    let (power, factor) = stirling(q);
    let product = sine * power * factor;
    sign * match product.is_infinite() {
        true => PI / sine / power / factor,
        false => PI / product,
    }
}

/// Stirling's formula for Gamma, as two factors, since the first alone may be near the largest number.
fn stirling(x: f64) -> (f64, f64) {
    if x > 200.0 {
        return (f64::INFINITY, 1.0);
    }
    let series = [
        7.873_113_957_930_936_283_97e-4,
        -2.295_499_616_133_781_263_80e-4,
        -2.681_326_178_057_812_328_25e-3,
        3.472_222_216_054_586_673_10e-3,
        8.333_333_333_334_822_571_26e-2,
    ];
    let inverse = 1.0 / x;
    let series = 1.0 + inverse * polynomial(&series, inverse);
    let root = 2.506_628_274_631_000_502_417;
    if x > 143.016_08 {
        let half = pow(x, 0.5 * x - 0.25);
        return (half, root * series * (half / exp(x)));
    }
    (pow(x, x - 0.5) / exp(x), root * series)
}

/// The coefficient of the highest power comes first.
pub(super) fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, next| sum * x + next)
}
