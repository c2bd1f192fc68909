//! The fuzz targets of `fuzz/` without a fuzzer: every seed, and damaged copies of it, the same
//! ones in every run.
//!
//! `CLEARANCE_FUZZ_ROUNDS` sets how many copies of each seed.

#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::Path;

use clearance_formats::{LoadOptions, parse_robot};

use crate::common::{self, Random};

/// The folder `fuzz/`.
pub const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");

/// The words of `fuzz/words.dict`, which libFuzzer reads too.
fn words() -> Vec<Vec<u8>> {
    let text = include_str!("../../fuzz/words.dict");
    let lines = text.lines().filter(|l| l.starts_with('"'));
    let word = |line: &str| {
        let mut out = Vec::new();
        let mut bytes = line[1..line.len() - 1].bytes();
        while let Some(byte) = bytes.next() {
            out.push(match byte {
                b'\\' => match bytes.next() {
                    Some(b'x') => {
                        let digits = [bytes.next(), bytes.next()].map(|d| d.expect("two digits"));
                        let digits = std::str::from_utf8(&digits).expect("digits");
                        u8::from_str_radix(digits, 16).expect("a byte")
                    }
                    escaped => escaped.expect("a character behind the backslash"),
                },
                byte => byte,
            });
        }
        out
    };
    lines.map(word).collect()
}

/// A copy with one to three damages.
fn damaged(seed: &[u8], words: &[Vec<u8>], dice: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + dice.below(3) {
        if bytes.is_empty() {
            bytes.push(b' ');
        }
        let (i, j) = (dice.below(bytes.len()), dice.below(bytes.len()));
        match dice.below(8) {
            0 => bytes.truncate(i),
            1 => drop(bytes.drain(i.min(j)..i.max(j))),
            2 => drop(bytes.drain(i..(i + 1 + dice.below(12)).min(bytes.len()))),
            3 => bytes[i] = dice.below(256) as u8,
            4 => {
                let copy = bytes[i..(i + dice.below(80)).min(bytes.len())].to_vec();
                bytes.splice(j..j, copy);
            }
            5 => {
                let digit = bytes.iter().skip(i).position(u8::is_ascii_digit);
                if let Some(k) = digit {
                    bytes[i + k] = b"0123456789.-e"[dice.below(13)];
                }
            }
            _ => {
                let word = &words[dice.below(words.len())];
                bytes.splice(i..i, word.iter().copied());
            }
        }
    }
    bytes
}

/// Runs a target on its seeds and on damaged copies; says how many inputs it took, and how many it
/// refused.
fn survive(name: &str, target: fn(&[u8]) -> bool, rounds: usize) -> [usize; 2] {
    let set = std::env::var("CLEARANCE_FUZZ_ROUNDS").ok();
    let rounds = set.map_or(rounds, |n| n.parse().expect("a number of rounds"));
    let words = words();
    let folder = Path::new(FUZZ).join("seeds").join(name);
    let entries = std::fs::read_dir(&folder).expect("seeds");
    let mut seeds: Vec<_> = entries.map(|e| e.expect("a seed").path()).collect();
    seeds.sort();
    let mut counts = [0; 2];
    for file in &seeds {
        let seed = std::fs::read(file).expect("a seed");
        let name = file.file_name().expect("a name").to_string_lossy();
        let refused = name.starts_with("refused");
        assert_eq!(target(&seed), !refused, "{}", file.display());
        let mut dice = Random(seed.len() as u64);
        for _ in 0..rounds {
            let input = damaged(&seed, &words, &mut dice);
            // Where the target fails, the input that did it is told.
            match std::panic::catch_unwind(|| target(&input)) {
                Ok(taken) => counts[usize::from(!taken)] += 1,
                Err(_) => panic!("made of {}: {}", file.display(), input.escape_ascii()),
            }
        }
    }
    counts
}

macro_rules! fuzzed {
    ($($name:ident $rounds:literal)*) => {$(
        #[test]
        fn $name() {
            let [taken, refused] = survive(stringify!($name), targets::$name, $rounds);
            // A few copies may all be damaged where it matters; many may not.
            assert!(taken > 0 || taken + refused < 100, "none of {refused} taken");
            // Whatever the bytes are, they make a scene.
            let scene = ["chaos", "grid"].contains(&stringify!($name));
            assert!(scene || refused > 0, "{taken} taken, {refused} refused");
        }
    )*};
}

fuzzed! {
    urdf 2000
    xacro 1000
    cell 1500
    srdf 750
    scene 1000
    joint_limits 1000
    events 2000
    stl 2000
    obj 2000
    ply 1000
    dae 2000
    vrml 1000
    cloud 500
    csv 1000
    json 1000
    yaml 1000
    parquet 400
    long_csv 400
    mcap 200
    bag 200
    units 300
    ur_script 500
    polyscope 500
    rapid 500
    krl 500
    fanuc 500
    inform 500
    moves 500
    certificate 1000
    files 8
    results 100
    resume 15
    chaos 1
    grid 5
}

#[test]
fn bytes_that_are_no_seed_make_scenes_too() {
    let mut dice = Random(1);
    let mut taken = 0;
    for _ in 0..30 {
        let bytes: Vec<u8> = (0..dice.below(400))
            .map(|_| dice.below(256) as u8)
            .collect();
        taken += usize::from(targets::grid(&bytes));
    }
    assert!(taken > 10, "{taken} of 30");
}

#[test]
fn a_urdf_that_was_cut_off_is_refused() {
    let mut whole = 0;
    for file in std::fs::read_dir(Path::new(FUZZ).join("seeds/urdf")).expect("seeds") {
        let text = std::fs::read_to_string(file.expect("a seed").path()).expect("a text");
        let end = text.trim_end().len();
        let name = Path::new(FUZZ).join("cell/cut.urdf");
        let is_read =
            |at: usize| parse_robot(&name, &text.as_bytes()[..at], &LoadOptions::default()).is_ok();
        // It is the cut that is refused.
        whole += usize::from(is_read(end));
        for at in (0..end).filter(|&i| text.is_char_boundary(i)) {
            assert!(!is_read(at), "cut at {at} it loads");
        }
    }
    assert!(whole > 0, "no seed is a robot");
}
