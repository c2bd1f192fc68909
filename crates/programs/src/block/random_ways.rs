//! Random programs, followed on whole ways and again on ways that join: whatever the arm does on some
//! way it does there, and nothing else, and what is not known there is not known here.

use std::collections::BTreeSet;

use clearance_formats::LoadedCell;
use clearance_formats::controller::ControllerFile;

use super::testing::{arm, said, steps_in};
use crate::flow::Bounds;
use crate::{Reading, testing};

/// So many programs of each language.
const PROGRAMS: u64 = 100;

#[derive(Clone, Copy, PartialEq)]
enum Tongue {
    Rapid,
    Krl,
}
use Tongue::{Krl, Rapid};

/// Writes a program by numbers that only look random.
struct Writer {
    tongue: Tongue,
    state: u64,
    /// Statements that no other one is like.
    unlike: usize,
    /// Labels.
    labels: usize,
    /// Counted loops around the statement.
    loops: usize,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Within {
    /// Blocks around it.
    depth: usize,
    /// Whether it has a parameter `x`, and not a variable `c`.
    in_routine: bool,
}

impl Writer {
    fn new(tongue: Tongue, seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d;
        Self {
            tongue,
            state,
            unlike: 0,
            labels: 0,
            loops: 0,
        }
    }

    /// One of so many numbers.
    fn one_of(&mut self, count: usize) -> usize {
        let next = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d);
        self.state = next.wrapping_add(0x1405_7b7e_f767_814f);
        (self.state >> 33) as usize % count
    }

    fn chosen<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let k = self.one_of(of.len());
        of[k]
    }

    fn program(&mut self) -> String {
        let outer = Within {
            depth: 0,
            in_routine: false,
        };
        let inner = Within {
            depth: 1,
            in_routine: true,
        };
        let body = self.block(outer, 5);
        let (by_value, by_reference) = (self.block(inner, 3), self.block(inner, 2));
        let answer = self.chosen(&["", "", "pool"]);
        let answer = if answer.is_empty() {
            String::new()
        } else {
            self.pool()
        };
        let (sets, k) = (1 + self.one_of(2), 1 + self.one_of(3));
        let shape = self.one_of(3);
        let home = self.pool();
        match self.tongue {
            Rapid => {
                let (name, body) = match shape {
                    0 => ("main", format!("{home}{body}")),
                    1 => ("work", format!("WHILE TRUE DO\n{home}{body}ENDWHILE\n")),
                    _ => ("work", body),
                };
                format!(
                    "MODULE m\n{RAPID_DATA}PROC {name}()\nVAR num c:=1;\na:=1;\nb:=2;\n{body}ENDPROC\n\
                     PROC sub1(num x)\n{by_value}ENDPROC\n\
                     PROC sub2(INOUT num x)\nIF di{k}=1 x:={sets};\n{by_reference}ENDPROC\n\
                     FUNC num f1(num x)\nIF di{k}=1 RETURN 1;\n{answer}RETURN x;\nENDFUNC\nENDMODULE\n"
                )
            }
            Krl => {
                let body = match shape {
                    0 | 1 => format!("LOOP\n{home}{body}ENDLOOP\n"),
                    _ => body,
                };
                format!(
                    "DEF a( )\nDECL INT A,B,C,I\nA=1\nB=2\nC=1\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n{body}END\n\
                     DEF sub1(X :IN)\nDECL INT X,A,B,I\nA=X\nB=1\n{by_value}END\n\
                     DEF sub2(X :OUT)\nDECL INT X,A,B,I\nA=X\nB=1\nIF $IN[{k}] THEN\nX={sets}\nENDIF\n{by_reference}END\n\
                     DEFFCT INT F1(X :IN)\nDECL INT X\nIF $IN[{k}] THEN\nRETURN 1\nENDIF\n{answer}RETURN X\nENDFCT\n"
                )
            }
        }
    }

    fn block(&mut self, within: Within, most: usize) -> String {
        let count = 1 + self.one_of(most);
        (0..count).map(|_| self.statement(within)).collect()
    }

    /// A move to a point to which others lead, too, with a stop.
    fn pool(&mut self) -> String {
        let point = 1 + self.one_of(2);
        match self.tongue {
            Rapid => format!("MoveAbsJ j{point},v100,fine,t;\n"),
            Krl => format!("PTP {{A1 {point}0,A2 -90,A3 90,A4 0,A5 5,A6 0}}\n"),
        }
    }

    /// A move to a point of its own, and as far to the side as this says.
    fn unlike(&mut self, aside: &str) -> String {
        self.unlike += 1;
        let by = self.unlike;
        match self.tongue {
            Rapid => {
                let word = self.chosen(&["MoveJ", "MoveL"]);
                let zone = self.chosen(&["fine", "z10", "z50"]);
                let speed = self.chosen(&["v100", "vv"]);
                let tool = self.chosen(&["t", "t", "u"]);
                format!("{word} Offs(p,{by},10*{aside},0),{speed},{zone},{tool};\n")
            }
            Krl => {
                let word = self.chosen(&["PTP", "LIN"]);
                let zone = self.chosen(&["", " C_DIS", " C_PTP"]);
                let zone = if word == "LIN" && zone == " C_PTP" {
                    ""
                } else {
                    zone
                };
                format!("{word} {{X 500+{by},Y 10*{aside},Z 600,A 180,B 0,C 180,S 2,T 35}}{zone}\n")
            }
        }
    }

    /// Whether a signal is set.
    fn signal(&mut self) -> String {
        let signal = 1 + self.one_of(4);
        match self.tongue {
            Rapid => format!("di{signal}=1"),
            Krl => format!("$IN[{signal}]"),
        }
    }

    fn if_then(&mut self, condition: &str, within: Within) -> String {
        let body = self.deeper(within, 2);
        let otherwise = match self.one_of(3) {
            0 => format!("ELSE\n{}", self.deeper(within, 2)),
            _ => String::new(),
        };
        format!("IF {condition} THEN\n{body}{otherwise}ENDIF\n")
    }

    fn deeper(&mut self, within: Within, most: usize) -> String {
        let depth = within.depth + 1;
        self.block(Within { depth, ..within }, most)
    }

    fn variable(&mut self, within: Within) -> &'static str {
        let last = if within.in_routine { "x" } else { "c" };
        ["a", "b", last][self.one_of(3)]
    }

    fn statement(&mut self, within: Within) -> String {
        let tongue = self.tongue;
        let is_deep = within.depth > 2;
        let variable = self.variable(within);
        let set = |name: &str, value: &str| match tongue {
            Rapid => format!("{name}:={value};\n"),
            Krl => format!("{name}={value}\n"),
        };
        let equal = if tongue == Rapid { "=" } else { "==" };
        match self.one_of(if is_deep { 8 } else { 22 }) {
            0 | 1 => self.unlike("0"),
            2 => self.unlike(variable),
            3 | 4 => self.pool(),
            5 => set(variable, ["1", "2"][self.one_of(2)]),
            6 => {
                let value = self.chosen(&["a", "b"]);
                set(variable, value)
            }
            7 => self.mode(),
            8..=12 => {
                let signal = self.signal();
                self.if_then(&signal, within)
            }
            13 => self.if_then(&format!("{variable}{equal}1"), within),
            14 => {
                let kept = self.chosen(&["k", "m"]);
                self.if_then(&format!("{kept}{equal}1"), within)
            }
            15 if self.loops == 0 => {
                self.loops += 1;
                let (body, aside) = (self.deeper(within, 2), self.unlike("i"));
                self.loops -= 1;
                match tongue {
                    Rapid => format!("FOR i FROM 1 TO 2 DO\n{aside}{body}ENDFOR\n"),
                    Krl => format!("FOR I=1 TO 2\n{aside}{body}ENDFOR\n"),
                }
            }
            16 if !within.in_routine => match (tongue, self.one_of(2)) {
                (Rapid, 0) => format!("sub1 {variable};\n"),
                (Rapid, _) => format!("sub2 {variable};\n"),
                (Krl, 0) => format!("sub1({variable})\n"),
                (Krl, _) => format!("sub2({variable})\n"),
            },
            17 => set(variable, &format!("f1({})", self.chosen(&["a", "2"]))),
            18 => {
                let (one, other) = (self.deeper(within, 2), self.deeper(within, 2));
                match tongue {
                    Rapid => format!("TEST {variable}\nCASE 1:\n{one}DEFAULT:\n{other}ENDTEST\n"),
                    Krl => format!("SWITCH {variable}\nCASE 1\n{one}DEFAULT\n{other}ENDSWITCH\n"),
                }
            }
            19 if self.loops == 0 => {
                let (signal, body) = (self.signal(), self.unlike("0"));
                match tongue {
                    Rapid => format!("WHILE {signal} DO\n{body}ENDWHILE\n"),
                    Krl => format!("WHILE {signal}\n{body}ENDWHILE\n"),
                }
            }
            20 => {
                self.labels += 1;
                let (label, signal) = (self.labels, self.signal());
                let body = self.block(Within { depth: 3, ..within }, 2);
                match tongue {
                    Rapid => format!("IF {signal} GOTO l{label};\n{body}l{label}:\n"),
                    Krl => format!("IF {signal} THEN\nGOTO L{label}\nENDIF\n{body}L{label}:\n"),
                }
            }
            21 if within.in_routine => {
                let signal = self.signal();
                match tongue {
                    Rapid => format!("IF {signal} RETURN;\n"),
                    Krl => format!("IF {signal} THEN\nRETURN\nENDIF\n"),
                }
            }
            _ => set("m", ["1", "2"][self.one_of(2)]),
        }
    }

    /// What the controller keeps from one statement to the next.
    fn mode(&mut self) -> String {
        let mode = match self.tongue {
            Rapid => self.chosen(&[
                "ConfJ\\Off;",
                "ConfJ\\On;",
                "ConfL\\Off;",
                "vv:=v200;",
                "vv:=v100;",
                "u.tframe.trans.z:=50;",
                "u.tframe.trans.z:=80;",
            ]),
            Krl => self.chosen(&[
                "$TOOL=TOOL_DATA[1]",
                "$TOOL=TOOL_DATA[2]",
                "$APO.CDIS=10",
                "$APO.CDIS=20",
                "LIN_REL {X 10}",
            ]),
        };
        format!("{mode}\n")
    }
}

const RAPID_DATA: &str = "CONST robtarget p:=[[500,0,600],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    CONST jointtarget j1:=[[10,-20,30,40,50,60],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    CONST jointtarget j2:=[[20,-20,30,40,50,60],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    PERS tooldata t:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\n\
    VAR tooldata u:=[TRUE,[[0,0,60],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\n\
    VAR num a;\nVAR num b;\nVAR num m:=1;\nPERS num k:=1;\nVAR speeddata vv:=[300,500,5000,1000];\n";

const KRL_LIST: &str = "DEFDAT a PUBLIC\nDECL INT K=1\nDECL INT M=1\nENDDAT\n";

const CONFIG: &str = "DEFDAT $CONFIG PUBLIC\nDECL FRAME TOOL_DATA[16]\nTOOL_DATA[1]={X 0.0,Y 0.0,Z 100.0,A 0.0,B 0.0,C 0.0}\n\
    TOOL_DATA[2]={X 0.0,Y 0.0,Z 50.0,A 0.0,B 0.0,C 0.0}\nENDDAT\n";

fn read(cell: &LoadedCell, text: &str, whole_ways: usize) -> Reading {
    let bounds = Bounds {
        ways: 2_000,
        whole_ways,
        // An eighth of it for whole ways, each of 500 at least.
        work: if whole_ways > 0 { 400_000 } else { 2_000_000 },
        ..Bounds::default()
    };
    let (file, beside) = if text.starts_with("MODULE") {
        ("a.mod", ("a.dat", ""))
    } else {
        ("a.src", ("a.dat", KRL_LIST))
    };
    let reading = testing::read_beside(cell, file, text.as_bytes(), &[beside], None, bounds);
    reading.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// How many programs were compared, and how many of them have ways that join.
#[derive(Debug, Default)]
struct Compared {
    known: usize,
    joined: usize,
    unknown: usize,
}

fn compare(tongue: Tongue) -> Compared {
    let mut cell = arm(match tongue {
        Rapid => "rapid",
        Krl => "krl",
    });
    if tongue == Krl {
        said(&mut cell).files.push(ControllerFile {
            path: "R1/System/$config.dat".into(),
            bytes: CONFIG.as_bytes().into(),
        });
    }
    let mut compared = Compared::default();
    for seed in 0..PROGRAMS {
        let text = Writer::new(tongue, seed).program();
        let whole = read(&cell, &text, usize::MAX);
        if whole.join {
            // There are too many whole ways.
            continue;
        }
        let joined = read(&cell, &text, 0);
        let [some, fewer] = [&whole, &joined].map(|reading| {
            let reasons = reading.ways.iter().flat_map(|way| &way.unknown);
            reasons.map(|u| &*u.reason).collect::<BTreeSet<_>>()
        });
        let told = some.iter().chain(&fewer).next();
        assert_eq!(some.is_empty(), fewer.is_empty(), "{seed} {told:?}\n{text}");
        if !some.is_empty() {
            compared.unknown += 1;
            continue;
        }
        let [all, found] = [&whole, &joined].map(|reading| steps_in(&reading.ways));
        let left_out = all.difference(&found).next();
        assert_eq!(left_out, None, "{seed}\n{text}");
        let none_of = found.difference(&all).next();
        assert_eq!(none_of, None, "{seed}\n{text}");
        compared.known += 1;
        compared.joined += usize::from(joined.join);
    }
    compared
}

#[test]
fn ways_of_rapid_that_join_leave_nothing_out() {
    let Compared { known, joined, .. } = compare(Rapid);
    assert!(known > 30 && joined > 15, "{known} {joined}");
}

#[test]
fn ways_of_krl_that_join_leave_nothing_out() {
    let Compared { known, joined, .. } = compare(Krl);
    assert!(known > 30 && joined > 15, "{known} {joined}");
}
