//! Tables in milliseconds whose header does not say so.

use clearance::findings::{Code, Severity, Verdict};
use clearance::run::RobotProgram;

use super::{Lab, named, two};

/// 1000 s beside 1 s: the arms would pass one another long before they do.
#[test]
fn milliseconds_without_a_unit_settle_nothing_beside_other_programs() {
    let lab = Lab::new();
    let table = |time: &str| format!("{time},lift\n0,0\n1000,0.4\n1500,0.4\n");
    let other = lab.write("other.csv", "time,lift\n0,0\n1,0.1\n1.5,0.1\n");
    let ask = |time: &str, delay| {
        let left = lab.write("left.csv", &table(time));
        let programs: [RobotProgram; 2] = [named("left", &left, 0.0), named("right", &other, 0.0)];
        let answer = lab.together(&two(3.0), &programs, delay);
        let said = (answer.notices.iter().chain(&answer.unchecked))
            .find(|said| said.code == Code::SuspiciousTimes)
            .map(|said| (said.severity, said.place.as_ref().and_then(|p| p.line)));
        (answer.verdict, said)
    };
    let open = (Verdict::Unverified, Some((Severity::Open, Some(1))));
    assert_eq!(ask("time", None), open);
    assert_eq!(ask("time[ms]", None), (Verdict::Clear, None));
    assert_eq!(ask("time[s]", None), (Verdict::Clear, None));
    // Wherever each is while the other moves, its times mean nothing.
    let notice = (Verdict::Clear, Some((Severity::Notice, Some(1))));
    assert_eq!(ask("time", Some(f64::INFINITY)), notice);

    // Alone only its speeds depend on them, with an event in seconds the order does.
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = { xyz = [2, 0, 0] }\n";
    let severity = |program: &str| {
        let answer = lab.ask(cell, program, &table("time"));
        let all = answer.notices.iter().chain(&answer.unchecked);
        let mut said = all.filter(|said| said.code == Code::SuspiciousTimes);
        (answer.verdict, said.next().map(|said| said.severity))
    };
    assert_eq!(severity("p"), (Verdict::Clear, Some(Severity::Notice)));
    let event = |at: &str| format!("[[event]]\n{at}\nattach = \"part\"\nto = \"hand\"\n");
    lab.write("q.events.toml", &event("waypoint = 2"));
    assert_eq!(severity("q"), (Verdict::Clear, Some(Severity::Notice)));
    lab.write("q.events.toml", &event("at = 1"));
    assert_eq!(severity("q"), (Verdict::Unverified, Some(Severity::Open)));
}
