//! Programs with one token changed: what comes out is an error, something unknown, or a motion, and
//! never a panic. A name or a word that is changed never gives another motion.

use super::*;

const PROGRAMS: [&str; 3] = [
    "def main():\n  set_tcp(p[0, 0, 0.1, 0, 0, 0])\n  global Home_p = p[0.5, 0.1, 0.3, 0, 3.1, 0]\n  \
     movej(get_inverse_kin(Home_p, qnear=[0, -1, 1, 0, 1, 0]), a=1, v=1)\n  movel(pose_trans(Home_p, p[0,0,0.1,0,0,0]), v=0.2, r=0.01)\n  \
     movep(Home_p)\n  movec(p[0.5, 0, 0.2, 0, 0, 0], p[0.6, 0, 0.5, 0, 0, 0])\nend\n",
    "def main():\n  set_tcp(p[0,0,0,0,0,0])\n  state = 1\n  n = 0\n  def place(k):\n    local z = 0.1 + k * 0.05\n    return p[0.4, 0, z, 0, 0, 0]\n  end\n  \
     while (True):\n    if (1 == state):\n      movej([0.1, 0, 0, 0, 0, 0])\n      state = 2\n    elif (2 == state):\n      if (n < 3):\n        movel(place(n))\n        \
     n = n + 1\n      else:\n        state = 3\n      end\n    else:\n      halt\n    end\n  end\nend\n",
    "thread count():\n  m = m + 1\nend\nrun count()\nset_tcp(p[0,0,0,0,0,0])\nif get_digital_in(1):\n  movej([1,0,0,0,0,0])\nend\n\
     while not get_digital_in(2):\n  sync()\nend\nmovel(p[0.3,0,0.4,0,0,0])\npopup(\"done\")\n",
];

/// Tokens as text again, each line as it was.
fn text(tokens: &[(usize, ScriptTokenKind)]) -> String {
    let mut text = String::new();
    let mut before = 1;
    for (line, token) in tokens {
        while before < *line {
            text.push('\n');
            before += 1;
        }
        match token {
            // `p[` is one word.
            ScriptTokenKind::Name(name) if &**name == "p" => text.push_str(" p"),
            ScriptTokenKind::Name(name) => text.push_str(&format!(" {name} ")),
            ScriptTokenKind::Number(number) => text.push_str(&format!("{number}")),
            ScriptTokenKind::Text(inner) => text.push_str(&format!("\"{inner}\"")),
            ScriptTokenKind::Sign(sign) => text.push_str(sign),
            ScriptTokenKind::EndOfLine => {}
        }
    }
    text
}

/// The moves of a program, without their places in the file. None: the program is not verified.
fn motion(program: &str) -> Option<Vec<String>> {
    let ways = read_in(&still(&[]), program).ok()?;
    ways.iter().all(|w| w.unknown.is_empty()).then(|| {
        let told = ways.iter().flat_map(|way| &way.moves);
        let mut all: Vec<_> = told
            .map(|m| {
                let mut step = m.clone();
                step.place = Location::file(Path::new(""));
                step.label = String::new();
                step.routine = String::new();
                format!("{step:?}")
            })
            .collect();
        all.dedup();
        all
    })
}

#[test]
fn programs_with_one_token_changed_are_the_same_or_not_verified() {
    let (mut same, mut open, mut other) = (0, 0, 0);
    for program in PROGRAMS {
        let original: Vec<(usize, ScriptTokenKind)> = tokens(program, 1)
            .unwrap()
            .into_iter()
            .filter(|t| t.token != ScriptTokenKind::EndOfLine)
            .map(|t| (t.line, t.token))
            .collect();
        assert_eq!(motion(&text(&original)), motion(program));
        let right = motion(program).expect("a program that is known");
        for k in 0..original.len() {
            for change in ["delete", "rename", "double", "swap"] {
                let mut mutant = original.clone();
                match change {
                    "delete" => _ = mutant.remove(k),
                    "double" => mutant.insert(k, original[k].clone()),
                    "swap" if k + 1 < mutant.len() => {
                        let (a, b) = (mutant[k].1.clone(), mutant[k + 1].1.clone());
                        (mutant[k].1, mutant[k + 1].1) = (b, a);
                    }
                    "rename" => match &mut mutant[k].1 {
                        ScriptTokenKind::Name(name) => *name = format!("{name}_x").into(),
                        _ => continue,
                    },
                    _ => continue,
                }
                match motion(&text(&mutant)) {
                    None => open += 1,
                    Some(found) if found == right => same += 1,
                    Some(_) => {
                        other += 1;
                        // Numbers, signs and the words of logic are what a program means; other
                        // names only refer.
                        let word = match &original[k].1 {
                            ScriptTokenKind::Name(name) => name,
                            _ => continue,
                        };
                        let logic =
                            ["p", "not", "True", "False", "halt", "return"].contains(&&**word);
                        // A variable that is set under another name is another variable.
                        let set =
                            matches!(original.get(k + 1), Some((_, ScriptTokenKind::Sign("="))));
                        // What is left of `n + 1` without the name is a value with a sign.
                        let plus =
                            matches!(original.get(k + 1), Some((_, ScriptTokenKind::Sign("+"))));
                        let signed = change == "delete" && plus;
                        let alone =
                            ["rename", "delete"].contains(&change) && !logic && !set && !signed;
                        assert!(
                            !alone,
                            "{change} of `{word}`, token {k}, gives another motion:\n{}",
                            text(&mutant)
                        );
                    }
                }
            }
        }
    }
    // Each of the three happens, so each is looked at.
    assert!(
        same > 20 && open > 400 && other > 10,
        "{same} {open} {other}"
    );
}
