//! Circular and hyperbolic functions and powers by the methods of Cephes (S. Moshier), which Go has too, so that their
//! last digits are those of ytt. Coefficients have all the digits that were published, highest power first.

#![allow(clippy::excessive_precision)]

use super::functions::{exp, polynomial};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// From here on a multiple of pi is taken off by other means, those of `libm`.
const LARGE_ANGLE: f64 = (1 << 29) as f64;

/// Pi / 4 in three parts, the first two with few digits, so that their multiples are exact.
const QUARTER: [f64; 3] = [
    7.853_981_256_484_985_351_56e-1,
    3.774_894_707_930_798_176_68e-8,
    2.695_151_429_079_059_526_45e-15,
];

/// What pi / 2 has beyond the digits of a float.
const MORE_BITS: f64 = 6.123_233_995_736_765_886_130e-17;

/// The even number of eighths of a turn that is nearest, less whole turns, and what remains of the angle, in radians.
fn reduced(angle: f64) -> (u64, f64) {
    let eighths = (angle * (4.0 / PI)) as u64;
    let even = eighths + (eighths & 1);
    let [high, middle, low] = QUARTER.map(|part| part * even as f64);
    (even & 7, angle - high - middle - low)
}

fn sine_near_zero(x: f64) -> f64 {
    let series = [
        1.589_623_015_765_465_680_60e-10,
        -2.505_074_776_285_780_728_66e-8,
        2.755_731_362_138_572_452_13e-6,
        -1.984_126_982_958_953_859_96e-4,
        8.333_333_333_322_118_588_78e-3,
        -1.666_666_666_666_663_072_95e-1,
    ];
    let square = x * x;
    x + x * square * polynomial(&series, square)
}

fn cosine_near_zero(x: f64) -> f64 {
    let series = [
        -1.135_853_652_138_768_173_00e-11,
        2.087_570_084_197_473_167_78e-9,
        -2.755_731_417_929_673_881_12e-7,
        2.480_158_728_885_170_453_48e-5,
        -1.388_888_888_887_305_641_16e-3,
        4.166_666_666_666_659_292_18e-2,
    ];
    let square = x * x;
    1.0 - 0.5 * square + square * square * polynomial(&series, square)
}

pub fn sin(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() || x.abs() >= LARGE_ANGLE {
        return libm::sin(x);
    }
    let (eighths, rest) = reduced(x.abs());
    let value = match eighths % 4 {
        2 => cosine_near_zero(rest),
        _ => sine_near_zero(rest),
    };
    if (eighths > 3) == (x < 0.0) {
        value
    } else {
        -value
    }
}

pub fn cos(x: f64) -> f64 {
    if !x.is_finite() || x.abs() >= LARGE_ANGLE {
        return libm::cos(x);
    }
    let (eighths, rest) = reduced(x.abs());
    let value = match eighths % 4 {
        2 => sine_near_zero(rest),
        _ => cosine_near_zero(rest),
    };
    if matches!(eighths, 2 | 4) {
        -value
    } else {
        value
    }
}

pub fn tan(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() || x.abs() >= LARGE_ANGLE {
        return libm::tan(x);
    }
    let above = [
        -1.309_369_391_813_837_776_46e4,
        1.153_516_648_385_874_161_40e6,
        -1.795_652_519_764_848_779_88e7,
    ];
    let below = [
        1.0,
        1.368_129_634_706_929_546_78e4,
        -1.320_892_344_402_109_674_47e6,
        2.500_838_018_233_579_158_39e7,
        -5.386_957_559_294_546_298_81e7,
    ];
    let (eighths, rest) = reduced(x.abs());
    let square = rest * rest;
    let mut value = rest;
    if square > 1e-14 {
        let quotient = square * polynomial(&above, square) / polynomial(&below, square);
        value = rest + rest * quotient;
    }
    if eighths & 2 == 2 {
        value = -1.0 / value;
    }
    if x < 0.0 { -value } else { value }
}

/// The angle of a tangent from 0 to 0.66.
fn small_atan(x: f64) -> f64 {
    let above = [
        -8.750_608_600_031_904_122_785e-1,
        -1.615_753_718_733_365_076_637e1,
        -7.500_855_792_314_704_667_340e1,
        -1.228_866_684_490_136_173_410e2,
        -6.485_021_904_942_025_371_773e1,
    ];
    let below = [
        1.0,
        2.485_846_490_142_306_297_962e1,
        1.650_270_098_316_988_542_046e2,
        4.328_810_604_912_902_668_951e2,
        4.853_903_996_359_136_964_868e2,
        1.945_506_571_482_613_964_425e2,
    ];
    let square = x * x;
    x * (square * polynomial(&above, square) / polynomial(&below, square)) + x
}

fn positive_atan(x: f64) -> f64 {
    /// The tangent of three eighths of pi.
    const STEEP: f64 = 2.414_213_562_373_095_048_80;
    if x <= 0.66 {
        small_atan(x)
    } else if x > STEEP {
        FRAC_PI_2 - small_atan(1.0 / x) + MORE_BITS
    } else {
        FRAC_PI_4 + small_atan((x - 1.0) / (x + 1.0)) + 0.5 * MORE_BITS
    }
}

pub fn atan(x: f64) -> f64 {
    if x == 0.0 {
        x
    } else if x > 0.0 {
        positive_atan(x)
    } else {
        -positive_atan(-x)
    }
}

pub fn atan2(y: f64, x: f64) -> f64 {
    if x == 0.0 || y == 0.0 || !x.is_finite() || !y.is_finite() {
        return libm::atan2(y, x);
    }
    let angle = atan(y / x);
    if x > 0.0 {
        angle
    } else if angle <= 0.0 {
        angle + PI
    } else {
        angle - PI
    }
}

pub fn asin(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let sine = x.abs();
    let cosine = (1.0 - sine * sine).sqrt();
    let angle = if sine > 0.7 {
        FRAC_PI_2 - positive_atan(cosine / sine)
    } else {
        positive_atan(sine / cosine)
    };
    angle.copysign(x)
}

pub fn acos(x: f64) -> f64 {
    FRAC_PI_2 - asin(x)
}

pub fn sinh(x: f64) -> f64 {
    let above = [
        -0.263_056_321_339_749_706_281_948_9e2,
        -0.289_421_135_598_956_380_728_466_036_6e4,
        -0.899_127_202_203_950_935_539_801_351_1e5,
        -0.630_767_364_049_771_699_118_478_725_1e6,
    ];
    let below = [
        1.0,
        -0.173_678_953_558_233_699_533_450_911e3,
        0.152_151_737_879_001_907_069_648_517_6e5,
        -0.630_767_364_049_771_699_121_207_727_7e6,
    ];
    let size = x.abs();
    let value = if size > 21.0 {
        exp(size) * 0.5
    } else if size > 0.5 {
        let power = exp(size);
        (power - 1.0 / power) * 0.5
    } else {
        let square = size * size;
        polynomial(&above, square) * size / polynomial(&below, square)
    };
    if x < 0.0 { -value } else { value }
}

pub fn cosh(x: f64) -> f64 {
    let power = exp(x.abs());
    if x.abs() > 21.0 {
        power * 0.5
    } else {
        (power + 1.0 / power) * 0.5
    }
}

pub fn tanh(x: f64) -> f64 {
    let above = [
        -9.643_991_794_250_522_386_28e-1,
        -9.928_772_310_019_185_865_64e1,
        -1.614_687_684_417_084_479_52e3,
    ];
    let below = [
        1.0,
        1.128_116_784_916_329_314_02e2,
        2.235_488_390_601_004_485_83e3,
        4.844_063_053_251_254_860_48e3,
    ];
    let size = x.abs();
    if size > 0.5 * 8.802_969_193_111_305_429_598_8e1 {
        return 1.0_f64.copysign(x);
    }
    if size >= 0.625 {
        return (1.0 - 2.0 / (exp(2.0 * size) + 1.0)).copysign(x);
    }
    if x == 0.0 {
        return x;
    }
    let square = x * x;
    x + x * square * polynomial(&above, square) / polynomial(&below, square)
}

/// The length of the hypotenuse, as amd64 machines compute it in Go.
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (long, short) = (x.max(y), x.min(y));
    if long == 0.0 {
        return 0.0;
    }
    let ratio = short / long;
    long * (ratio * ratio + 1.0).sqrt()
}

/// By squaring for the whole part of the exponent, by logarithm for the rest.
pub fn pow(x: f64, y: f64) -> f64 {
    /// Beyond this every whole float is even.
    const EVEN: f64 = (1_u64 << 63) as f64;
    if y == 0.5 && x.is_finite() && x != 0.0 {
        return x.sqrt();
    }
    if y == -0.5 && x.is_finite() && x != 0.0 {
        return 1.0 / x.sqrt();
    }
    let (mut whole, mut rest) = (y.abs().trunc(), y.abs().fract());
    let plain = x.is_finite() && y.is_finite() && x != 0.0 && x != 1.0 && y != 0.0 && y != 1.0;
    if !plain || (rest != 0.0 && x < 0.0) || whole >= EVEN {
        return libm::pow(x, y);
    }
    let (mut value, mut scale) = (1.0, 0_i64);
    if rest != 0.0 {
        if rest > 0.5 {
            rest -= 1.0;
            whole += 1.0;
        }
        value = exp(rest * libm::log(x));
    }
    let (mut base, base_scale) = libm::frexp(x);
    let mut base_scale = i64::from(base_scale);
    let mut bits = whole as u64;
    while bits != 0 {
        if base_scale.abs() > 1 << 12 {
            // Beyond the largest or below the smallest float.
            scale += base_scale;
            break;
        }
        if bits & 1 == 1 {
            value *= base;
            scale += base_scale;
        }
        base *= base;
        base_scale *= 2;
        if base < 0.5 {
            base += base;
            base_scale -= 1;
        }
        bits >>= 1;
    }
    if y < 0.0 {
        value = 1.0 / value;
        scale = -scale;
    }
    libm::ldexp(value, scale.clamp(-100_000, 100_000) as i32)
}
