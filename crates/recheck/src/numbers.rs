//! Integers: lengths of vectors, sine and cosine, SHA-256.

/// Three coordinates.
pub type V3 = [i64; 3];

/// 1 for entries of rotations.
pub const ONE: i64 = 1 << 60;

/// π/2 in units of 2⁻⁹⁰, to the nearest.
const QUARTER: i128 = 1_944_551_666_501_805_353_363_452_692;

/// Σ aᵢ bᵢ.
pub fn dot(a: &V3, b: &V3) -> i128 {
    let product = |k: usize| i128::from(a[k]) * i128::from(b[k]);
    product(0) + product(1) + product(2)
}

/// a − b.
pub fn minus(a: &V3, b: &V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a × b.
pub fn cross_exact(a: &V3, b: &V3) -> [i128; 3] {
    let part = |i: usize, k: usize| {
        i128::from(a[i]) * i128::from(b[k]) - i128::from(a[k]) * i128::from(b[i])
    };
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// a × b in units of 2⁻⁶⁰ of their product, each coordinate rounded down.
pub fn cross(a: &V3, b: &V3) -> V3 {
    cross_exact(a, b).map(|area| (area >> 60) as i64)
}

/// Not less than the length of a vector, and greater by at most 2⁻⁵⁴ of it and 3.
pub fn length_up(v: &V3) -> i64 {
    let most = v.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
    let cut = (64 - most.leading_zeros()).saturating_sub(30);
    let squares = v.map(|x| ((x.unsigned_abs() >> cut) + u64::from(cut > 0)).pow(2));
    let square = squares[0] + squares[1] + squares[2];
    let root = square.isqrt();
    let up = root + u64::from(root * root < square);
    if cut == 0 {
        return up as i64;
    }
    // Greater than √S by at most 2⁻²⁷ of it. A step of Newton's, (r + S/r)/2, is never below √S
    // and leaves the square of that.
    let rough = u128::from(up) << cut;
    let square = dot(v, v) as u128;
    (rough + square.div_ceil(rough)).div_ceil(2) as i64
}

/// Not less than the length of a vector, and at most 1.8 times it: enough where it is multiplied by a
/// rounding error.
pub fn length_roughly(v: &V3) -> i64 {
    let sizes = v.iter().map(|x| x.saturating_abs());
    sizes.fold(0, i64::saturating_add)
}

/// Cosine and sine of an angle in units of 2⁻⁹⁰ rad (below 2¹⁰³), in units of 2⁻⁶⁰; each is off by
/// less than 16.
pub fn cos_sin(angle: i128) -> (i64, i64) {
    let quarters = (angle + QUARTER / 2).div_euclid(QUARTER);
    let rest = ((angle - quarters * QUARTER) >> 30) as i64;
    let product = |a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 60) as i64;
    let square = product(rest, rest);
    // 1 − r²/(k(k+1))·(1 − r²/((k+2)(k+3))·(…)), from k = 1 for the cosine, from k = 2 for the sine
    // over r.
    let series = |first: i64| {
        (0..10).rev().fold(ONE, |inner, step| {
            let k = first + 2 * step;
            ONE - product(square, inner) / (k * (k + 1))
        })
    };
    let (c, s) = (series(1), product(rest, series(2)));
    match quarters.rem_euclid(4) {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    }
}

/// SHA-256 (FIPS 180-4), as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    sha256_of(bytes.iter().copied())
}

/// The same of bytes that are nowhere together.
pub fn sha256_of(mut bytes: impl Iterator<Item = u8>) -> String {
    // First 32 bits of the fractional parts of roots of the first primes: square roots, then cube
    // roots.
    let primes: Vec<u128> = (2..312u128)
        .filter(|n| (2..*n).all(|d| n % d != 0))
        .collect();
    let cube_root = |n: u128| {
        let bits = (0..36).rev();
        bits.fold(0u128, |root, bit| {
            if (root + (1 << bit)).pow(3) <= n << 96 {
                root + (1 << bit)
            } else {
                root
            }
        })
    };
    let k: Vec<u32> = primes.iter().map(|&p| cube_root(p) as u32).collect();
    let mut h: Vec<u32> = primes[..8]
        .iter()
        .map(|&p| (p << 64).isqrt() as u32)
        .collect();
    let (mut length, mut ended, mut last) = (0u64, false, false);
    while !last {
        let (mut block, mut filled) = ([0u8; 64], 0);
        for (place, byte) in block.iter_mut().zip(&mut bytes) {
            *place = byte;
            filled += 1;
        }
        length += 8 * filled as u64;
        if filled < 64 && !ended {
            block[filled] = 0x80;
            ended = true;
        }
        last = ended && filled < 56;
        if last {
            block[56..].copy_from_slice(&length.to_be_bytes());
        }
        let mut w = [0u32; 64];
        for (word, four) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = four.iter().fold(0, |x, &byte| x << 8 | u32::from(byte));
        }
        for i in 16..64 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let a = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let b = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            w[i] = [w[i - 16], a, w[i - 7], b]
                .iter()
                .fold(0, |s, x| s.wrapping_add(*x));
        }
        let mut v: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| h[i]);
        for i in 0..64 {
            let [a, b, c, _, e, f, g, last] = v;
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let one = [last, s1, choice, k[i], w[i]]
                .iter()
                .fold(0u32, |s, x| s.wrapping_add(*x));
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let two = s0.wrapping_add(a & b ^ a & c ^ b & c);
            v.rotate_right(1);
            v[0] = one.wrapping_add(two);
            v[4] = v[4].wrapping_add(one);
        }
        for (sum, x) in h.iter_mut().zip(v) {
            *sum = sum.wrapping_add(x);
        }
    }
    h.iter().map(|x| format!("{x:08x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_known_texts() {
        for (text, hash) in [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), hash);
        }
        let many = sha256(&[b'a'; 1_000_000]);
        assert_eq!(
            many,
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn sines_are_those_of_the_machine_and_lie_on_the_circle() {
        let mut angle: i128 = -(1 << 102);
        for _ in 0..4000 {
            angle += (1 << 91) + 12_345_678_901_234_567;
            let (c, s) = cos_sin(angle);
            // The square of the radius tells errors along it to the last unit, and those across it
            // show in the angles.
            let square = i128::from(c) * i128::from(c) + i128::from(s) * i128::from(s);
            assert!((square - (1 << 120)).abs() < 32 << 60);
            let x = angle as f64 / 2f64.powi(90);
            let one = ONE as f64;
            assert!((c as f64 / one - x.cos()).abs() < 1e-12, "{x}");
            assert!((s as f64 / one - x.sin()).abs() < 1e-12, "{x}");
        }
    }

    /// An error across the circle: sums of angles against products of rotations.
    #[test]
    fn sines_of_sums_are_what_the_parts_say() {
        for step in 1..2000i128 {
            let (x, y) = (step << 84, (step * step) << 77);
            let ((c, s), (d, t), (e, u)) = (cos_sin(x), cos_sin(y), cos_sin(x + y));
            let product = |a: i64, b: i64| (i128::from(a) * i128::from(b)) >> 60;
            assert!((product(c, d) - product(s, t) - i128::from(e)).abs() < 64);
            assert!((product(s, d) + product(c, t) - i128::from(u)).abs() < 64);
        }
    }

    #[test]
    fn lengths_are_never_too_short() {
        let mut x = 1u64;
        for _ in 0..20_000 {
            let v = [0; 3].map(|_: i32| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (x as i64 >> 5) >> (x >> 58)
            });
            let (up, square) = (i128::from(length_up(&v)), dot(&v, &v));
            assert!(up * up >= square, "{v:?}");
            let rough = i128::from(length_roughly(&v));
            assert!(
                rough * rough >= square && rough * rough <= 3 * square,
                "{v:?}"
            );
            let less = up - (up >> 54) - 3;
            assert!(less < 0 || less * less <= square, "{v:?}");
        }
    }
}
