//! `--minimum --baseline`: a least clearance is taken over only where no changed body can be the
//! nearest one.

use super::*;

/// A box below the beam, so far from it, metres.
fn below(name: &str, x: f64, gap: f64) -> String {
    format!(
        "[[obstacle]]\nname = \"{name}\"\nbox = [1, 1, 0.1]\npose = {{ xyz = [{x:?}, 0, {:?}] }}\n",
        -(0.1 + gap)
    )
}

fn least(line: &Value) -> (f64, f64) {
    let least = &line["minimum_clearance"];
    let number = |name: &str| least[name].as_f64().unwrap();
    (number("lower_bound"), number("distance"))
}

/// The plate is 50 mm away. What comes to 30 mm concerns no contact, but it is the nearest body
/// now.
#[test]
fn a_body_beyond_the_threshold_may_be_the_nearest() {
    let site = Site::new(0.05);
    let batch = "batch --cell cell.toml p --minimum";
    site.run(&format!("{batch} --results old.jsonl"), 0);
    for (gap, checked, nearest) in [(0.03, true, 0.03), (0.2, false, 0.05)] {
        site.write("cell.toml", &(cell(0.05) + &below("new", 0.9, gap)));
        let line = format!("{batch} --baseline old.jsonl --results new.jsonl");
        site.run(&line, 0);
        let lines = site.lines("new.jsonl");
        let under = &lines[2];
        assert_eq!(under["program"], "p/under.csv");
        assert_eq!(under["baseline"]["checked"], checked, "{gap}: {under}");
        assert!((least(under).1 - nearest).abs() < 1e-6, "{gap}: {under}");
        // The other program is far from both.
        assert_eq!(lines[1]["baseline"]["checked"], false, "{gap}");
    }
}

/// Bodies are removed, moved and added at random: what is taken over agrees with what verifying
/// anew gives.
#[test]
fn least_clearances_that_are_taken_over_hold() {
    let mut state = 7u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut one = |name: &str| below(name, 2.0 * random() - 1.0, 0.3 * random());
    let (mut taken_over, mut again, mut nearer) = (0, 0, 0);
    let plate = cell(0.15);
    for round in 0..18 {
        let asked = ["--minimum", "--minimum=overall"][round / 9];
        let batch = format!("batch --cell cell.toml p {asked} --fail-on limit");
        let site = Site::new(0.15);
        let kept = one("kept");
        let old = plate.clone() + &kept + &one("other");
        let new = match round % 3 {
            0 => plate.clone() + &kept,
            1 => plate.clone() + &kept + &one("other"),
            _ => old.clone() + &one("new"),
        };
        site.write("cell.toml", &old);
        site.run(&format!("{batch} --results old.jsonl"), 0);
        site.write("cell.toml", &new);
        let line = format!("{batch} --baseline old.jsonl --results new.jsonl");
        site.run(&line, 0);
        site.run(&format!("{batch} --results full.jsonl"), 0);
        let [old, new, full] = ["old.jsonl", "new.jsonl", "full.jsonl"].map(|f| site.lines(f));
        for k in 1..=2 {
            let what = format!("round {round}: {} {}", new[k], full[k]);
            assert_eq!(new[k]["verdict"], full[k]["verdict"], "{what}");
            // Each is between its bound and what was attained.
            let (ours, anew) = (least(&new[k]), least(&full[k]));
            assert!(ours.0 <= anew.1 && anew.0 <= ours.1, "{what}");
            let checked = new[k]["baseline"]["checked"] == true;
            taken_over += usize::from(!checked);
            again += usize::from(checked);
            nearer += usize::from(least(&old[k]).0 > anew.1);
        }
    }
    // The test is worth something.
    assert!(
        taken_over > 1 && again > 1 && nearer > 0,
        "{taken_over} taken over, {again} verified again, {nearer} nearer than before"
    );
}
