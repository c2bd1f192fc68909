//! Variables that nobody reads.

use super::*;

/// A loop that counts; moves to joint values of 9 are elsewhere.
fn counting(before: &str, count: &str) -> Vec<MoveProgram> {
    let count: String = count.lines().map(|line| format!("  {line}\n")).collect();
    read(&format!(
        "n = 0\nm = 0\n{before}\nmovej([0,0,0,0,0,0])\nwhile True:\n  movej([1,0,0,0,0,0])\n  movej([0,0,0,0,0,0])\n{count}end\n"
    ))
}

fn is_known(ways: &[MoveProgram]) -> bool {
    ways.iter().all(|way| way.unknown.is_empty())
}

const OTHER: &str = "def other():\n  movej([9,0,0,0,0,0])\n  movej([0,0,0,0,0,0])\nend";

/// A count for those who look at the pendant is another one in every round, and the loop comes back.
#[test]
fn variables_that_nobody_reads_keep_no_loop_from_coming_back() {
    for (before, count) in [
        ("", "n = n + 1"),
        (
            "",
            "n = n + 1\ntextmsg(\"parts: \", n)\nwrite_output_integer_register(0, n * 2)",
        ),
        (
            "",
            "n = n + 1\nif n >= 1000:\n  n = 0\n  textmsg(\"anew\")\nend",
        ),
        (
            "",
            "if get_digital_in(1):\n  n = n + 1\nelif n > 5:\n  m = m + 1\nend\nk = n + m",
        ),
        (
            "",
            "n = n + 0.5\nm = n / 2\npopup(str_cat(\"\", to_str(m)))",
        ),
        ("l = [0, 0]", "l[0] = l[0] + 1\nl[1] = l[0]"),
        ("def count():\n  global n = n + 1\nend", "count()"),
        (
            "thread show():\n  while True:\n    textmsg(n)\n    sync()\n  end\nend\nrun show()",
            "n = n + 1",
        ),
    ] {
        let ways = counting(before, count);
        assert!(is_known(&ways), "{count}: {ways:?}");
        assert_eq!(ways.len(), 1, "{count}: {ways:?}");
        assert!(ways[0].goes_round && ways[0].moves.len() < 9, "{count}");
    }
}

/// Wherever something depends on the count, the round in which it matters is followed.
#[test]
fn variables_that_anything_reads_are_followed() {
    for (before, count) in [
        ("", "n = n + 1\nif n == 3:\n  other()\nend"),
        ("", "n = n + 1\nif n < 3:\n  m = 5\nelse:\n  other()\nend"),
        ("", "n = n + 1\nif n < 3:\n  continue\nend\nother()"),
        ("", "n = n + 1\nif n == 3:\n  break\nend"),
        ("", "n = n + 1\nwhile n == 3:\n  other()\n  n = n + 1\nend"),
        (
            "",
            "n = n + 1\nmovej([n * 3, 0, 0, 0, 0, 0])\nmovej([0, 0, 0, 0, 0, 0])",
        ),
        // By another variable, what it is computed of and when it is set.
        ("", "n = n + 1\nm = n * 2\nif m == 6:\n  other()\nend"),
        (
            "",
            "n = n + 1\nif n == 3:\n  m = 1\nend\nif m == 1:\n  other()\nend",
        ),
        // In functions, by arguments and results.
        (
            "def is_due(k):\n  return k == 3\nend",
            "n = n + 1\nif is_due(n):\n  other()\nend",
        ),
        (
            "def count():\n  global n = n + 1\n  return n\nend",
            "if count() == 3:\n  other()\nend",
        ),
        (
            "def late():\n  if n == 3:\n    other()\n  end\nend",
            "n = n + 1\nlate()",
        ),
        (
            "l = [0, 0]",
            "l[0] = l[0] + 1\nif l[0] == 3:\n  other()\nend",
        ),
        (
            "l = [0, 0, 1, 1]",
            "n = n + 1\nl[n] = 7\nif n == 3:\n  other()\nend",
        ),
    ] {
        let ways = counting(&format!("{OTHER}\n{before}"), count);
        let broken = count.contains("break");
        let goes = |way: &MoveProgram| {
            if broken {
                way.moves.len() == 7
            } else {
                short(way).contains(&"J9".to_owned())
            }
        };
        assert!(ways.iter().any(goes), "{count}: {ways:?}");
    }
    for count in [
        "n = n + 1\nmovej([1, 0, 0, 0, 0, 0], v=n)",
        "n = n + 1\nset_tcp(p[0, 0, n, 0, 0, 0])",
        "n = n + 1\nm = 1 / n",
        "n = n + 1\nm = n\nmovej([1, 0, 0, 0, 0, 0], v=m)",
        "n = n + 1\nfast()",
        "n = n + 1\nm = n.length()",
        "n = n + 1\nl = [1]\nl[n] = 2",
        "n = n + 1\nwhile n < 0:\n  sync()\nend",
    ] {
        let fast = "def fast():\n  movej([1, 0, 0, 0, 0, 0], v=n)\nend";
        let before = if count.contains("fast") { fast } else { "" };
        let ways = counting(before, count);
        assert!(!is_known(&ways), "{count}: {ways:?}");
    }
}

/// A name that is also one of a parameter may mean another variable.
#[test]
fn names_of_parameters_count_as_read() {
    let ways = counting("def set(n):\n  n = n + 1\nend", "n = n + 1\nset(2)");
    assert!(!is_known(&ways), "{ways:?}");
}
