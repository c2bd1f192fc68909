//! Conditions, loops, threads and functions.

use super::*;

#[test]
fn a_condition_that_is_not_known_has_two_ways_where_it_matters() {
    let ways = read(
        "movej([0,0,0,0,0,0])\nif get_digital_in(3):\n  movej([1,0,0,0,0,0])\nelse:\n  movej([2,0,0,0,0,0])\nend\n\
         if get_digital_in(4):\n  textmsg(\"x\")\nend\nmovej([3,0,0,0,0,0])\n",
    );
    let all: Vec<_> = ways
        .iter()
        .map(|w| (short(w).join(" "), w.name.clone()))
        .collect();
    assert_eq!(all[0].0, "J0 J1 J3");
    assert_eq!(all[1].0, "J0 J2 J3");
    assert_eq!(all.len(), 2);
    assert!(
        all[1].1.starts_with("line 2: get_digital_in(3)") && all[1].1.ends_with("is false"),
        "{}",
        all[1].1
    );
}

#[test]
fn a_plus_before_a_value_changes_nothing() {
    let way = known("n = +1\nm = 2 + +n - -n\nmovej([+0.5 * n, m, 0, 0, 0, +0])\n");
    let Target::Joints(q) = &way.moves[0].target else {
        panic!("joints")
    };
    assert_eq!(q[..], [0.5, 4.0, 0.0, 0.0, 0.0, 0.0]);
    // Texts and lists have no sign.
    reason("n = +\"1\"\nmovej([n,0,0,0,0,0])\n");
    reason("n = +[1,0,0,0,0,0]\nmovej(n)\n");
    // A line that begins with a sign may go on the line before: it is no statement.
    for sign in ["+", "-"] {
        let text = format!("n = 1\n{sign} 2\nmovej([n,0,0,0,0,0])\n");
        assert!(read_in(&arm(), &text).is_err(), "{sign}");
    }
}

#[test]
fn loops_that_go_on_for_ever_end_where_they_come_back() {
    let way = known(
        "movej([0,0,0,0,0,0])\nwhile True:\n  movej([1,0,0,0,0,0])\n  movej([2,0,0,0,0,0])\nend\n",
    );
    // Once from before the loop, and once more from its own end; then the state is one that was
    // there.
    assert_eq!(short(&way)[..5], ["J0", "J1", "J2", "J1", "J2"]);
    assert!(way.moves.len() <= 7, "{}", way.moves.len());
    assert!(way.goes_round && !known("movej([0,0,0,0,0,0])\n").goes_round);
    // A loop that waits is passed; a loop that counts for an unknown time leaves its variable
    // unknown.
    let way = known("while not get_digital_in(1):\n  sync()\nend\nmovej([0,0,0,0,0,0])\n");
    assert_eq!(short(&way), ["J0"]);
    let (_, why) =
        reason("n = 0\nwhile get_digital_in(1):\n  n = n + 1\nend\nmovej([n,0,0,0,0,0])\n");
    assert!(why.contains("how often it goes round"), "{why}");
    // A condition that moves the arm is asked for again and again.
    let ways = read(
        "def more():\n  movej([1,0,0,0,0,0])\n  return get_digital_in(1)\nend\nwhile more():\n  sync()\nend\nmovej([0,0,0,0,0,0])\n",
    );
    for pair in ["J1J1", "J1J0"] {
        let goes = |w: &MoveProgram| short(w).windows(2).any(|w| w.concat() == pair);
        assert!(ways.iter().any(goes), "{pair} {ways:?}");
    }
    // Moves in a loop of unknown length: as many ways as there are states.
    let ways = read(
        "movej([0,0,0,0,0,0])\nwhile get_digital_in(1):\n  movej([1,0,0,0,0,0])\n  movej([0,0,0,0,0,0])\nend\nmovej([3,0,0,0,0,0])\n",
    );
    assert!(ways.iter().any(|w| short(w) == ["J0", "J3"]));
    // Back at the first point everything is as before the loop.
    assert!(ways.iter().any(|w| short(w) == ["J0", "J1", "J0"]));
    assert!(ways.iter().all(|w| w.unknown.is_empty()));
    // A loop that never comes back has an end all the same.
    let (_, why) = reason("n = 0\nwhile n > -1:\n  n = n + 1\nend\n");
    assert!(why.contains("statements were followed"), "{why}");
}

#[test]
fn a_thread_that_is_started_in_a_loop_of_unknown_length_counts() {
    let ways = read(
        "n = 0\nthread t():\n  n = n + 1\nend\nwhile get_digital_in(1):\n  run t()\nend\nn = 1\nmovej([n,0,0,0,0,0])\n",
    );
    // Once it runs, the loop is not where it was before.
    let reasons = ways.iter().flat_map(|w| &w.unknown);
    assert!(
        reasons
            .into_iter()
            .any(|u| u.reason.contains("changed by the thread")),
        "{ways:?}"
    );
    assert!(ways.iter().any(|w| short(w) == ["J1"]));
}

#[test]
fn threads_make_what_they_change_unknown() {
    let (_, why) = reason(
        "n = 0\nthread t():\n  while True:\n    n = n + 1\n    sync()\n  end\nend\nrun t()\nmovej([n,0,0,0,0,0])\n",
    );
    assert!(why.contains("`n` is changed by the thread `t`"), "{why}");
    let way =
        known("n = 0\nthread t():\n  n = n + 1\nend\nh = run t()\nkill h\nmovej([0,0,0,0,0,0])\n");
    assert_eq!(short(&way), ["J0"]);
}

#[test]
fn functions_that_keep_the_arm_still_are_passed_as_the_cell_says() {
    let program = "movej([0,0,0,0,0,0])\nif not(gripper_ready[0]):\n  popup(\"no\")\nend\nrq_close(\"1\")\nmovej([1,0,0,0,0,0])\n";
    assert!(read(program)[0].unknown[0].reason.contains("gripper_ready"));
    let ways = read_in(&still(&["rq_*", "gripper_*"]), program).unwrap();
    assert_eq!(short(&ways[0]), ["J0", "J1"]);
    assert!(ways[0].unknown.is_empty());
    assert!(ways[0].passed_over.contains(&("rq_close".into(), 1)));
    // Variables that such a function sets are not known afterwards.
    let program =
        "global n = 0\ndef rq_count():\n  n = n + 1\nend\nrq_count()\nmovej([n,0,0,0,0,0])\n";
    let ways = read_in(&still(&["rq_*"]), program).unwrap();
    assert!(
        ways[0].unknown[0].reason.contains("not followed"),
        "{:?}",
        ways[0].unknown
    );
}

/// What the cell says of a function does not count where its text is at hand and moves the arm.
#[test]
fn functions_of_the_script_are_followed_whatever_the_cell_says() {
    let cell = still(&["note", "gripper_*"]);
    let go = "def go():\n  movej([2,0,0,0,0,0])\nend\n";
    let first = "movej([0,0,0,0,0,0])\n";
    let last = "movej([1,0,0,0,0,0])\n";
    for functions in [
        format!("{go}def note():\n  go()\nend\n"),
        // One that is defined only when its function runs.
        "def note():\n  def gripper_go():\n    movej([2,0,0,0,0,0])\n  end\n  gripper_go()\nend\n"
            .to_owned(),
        // A tool is changed in it.
        "def note():\n  set_tcp(p[0,0,0.1,0,0,0])\n  movej([2,0,0,0,0,0])\nend\n".to_owned(),
    ] {
        let ways = read_in(&cell, &format!("{functions}{first}note()\n{last}")).unwrap();
        assert_eq!(short(&ways[0]), ["J0", "J2", "J1"], "{functions}");
        assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
        // A condition that is not known does not hide it.
        let asks = format!("{functions}{first}if get_digital_in(0):\n  note()\nend\n{last}");
        assert_eq!(read_in(&cell, &asks).unwrap().len(), 2, "{functions}");
        let thread = format!(
            "{functions}thread gripper_t():\n  note()\nend\n{first}run gripper_t()\n{last}"
        );
        let ways = read_in(&cell, &thread).unwrap();
        let reason = &ways[0].unknown[0].reason;
        assert!(reason.contains("could move or stop the arm"), "{reason}");
    }
    // One that ends the program ends it where the arm stands, and not on its way round a corner.
    let ends = "def note():\n  if get_digital_in(0):\n    halt\n  end\nend\n";
    let ways = read_in(&cell, &format!("{ends}{first}note()\n{last}")).unwrap();
    assert_eq!((ways.len(), ways[0].moves.len()), (1, 2));
    let corner = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0], r=0.01)\n";
    let ways = read_in(&cell, &format!("{ends}{corner}note()\n{last}")).unwrap();
    assert_eq!(ways.len(), 2);
}

/// A function that is defined in another one may have the name of one that is known: which of them a
/// call means is not told, and so neither that it keeps the arm still.
#[test]
fn functions_of_the_same_name_within_others_are_not_taken_for_one_another() {
    let cell = still(&["note", "rq_*"]);
    let first = "movej([0,0,0,0,0,0])\n";
    let last = "movej([1,0,0,0,0,0])\n";
    let still = "def g():\n  set_digital_out(1,True)\nend\n";
    let moves = "  def g():\n    movej([2,0,0,0,0,0])\n  end\n  g()\n";
    let inner = "  def g():\n    set_digital_out(1,True)\n  end\n";
    for body in [
        format!("{still}def note():\n{moves}end\nnote()\n"),
        format!("def note():\n{inner}  rq_b()\n  g()\nend\ndef rq_b():\n{moves}end\nnote()\n"),
        format!("{still}def h():\n{moves}end\nif get_digital_in(0):\n  h()\nend\n"),
        format!("{still}thread th():\n{moves}end\nrun th()\n"),
    ] {
        let ways = read_in(&cell, &format!("{first}{body}{last}")).unwrap();
        assert!(ways.iter().any(|w| !w.unknown.is_empty()), "{body}");
    }
    // One alone, called twice, is as still as it was.
    let body = format!("def note():\n{inner}  g()\nend\nnote()\nnote()\n");
    let ways = read_in(&cell, &format!("{first}{body}{last}")).unwrap();
    assert_eq!(short(&ways[0]), ["J0", "J1"]);
    assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
}

/// What the cell says by a pattern does not mean functions of the controller that fit it, nor what it
/// says by their names.
#[test]
fn functions_of_the_controller_that_move_are_never_still() {
    let cell = still(&[
        "set_*",
        "*j",
        "movel",
        "force_mode",
        "freedrive_mode*",
        "override_*",
        "reset_*",
        "stop*",
    ]);
    let ways = read_in(
        &cell,
        "set_gripper(40)\nset_tcp(p[0,0,0.4,0,0,0])\nmovej([1,0,0,0,0,0])\nmovel(p[0.4,0,0.3,0,0,0])\n",
    )
    .unwrap();
    assert_eq!(short(&ways[0]), ["J1", "L0.3"]);
    assert_eq!(ways[0].moves[1].tool.link_from_frame.translation.z, 0.4);
    for call in [
        "servoj([1,0,0,0,0,0])",
        "force_mode(p[0,0,0,0,0,0])",
        "freedrive_mode()",
        "freedrive_mode_no_incorrect_payload_check()",
        "override_base_frame(p[0,0,0.1,0,0,0])",
        "reset_revolution_counter()",
    ] {
        let ways = read_in(&cell, &format!("movej([0,0,0,0,0,0])\n{call}\n")).unwrap();
        let reason = &ways[0].unknown[0].reason;
        assert!(reason.ends_with("and is not read"), "{call}: {reason}");
    }
    // An input that lets the arm be moved by hand is meant by its own name only.
    let program = "movej([0,0,0,0,0,0])\nset_standard_digital_input_action(0, \"freedrive\")\n";
    assert!(!read_in(&cell, program).unwrap()[0].unknown.is_empty());
    let cell = still(&["set_standard_digital_input_action"]);
    assert!(read_in(&cell, program).unwrap()[0].unknown.is_empty());
    let corner =
        "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0], r=0.05)\nstopl(2)\nmovej([1,0,0,0,0,0])\n";
    assert!(
        !read_in(&still(&["stop*"]), corner).unwrap()[0]
            .unknown
            .is_empty()
    );
}

/// What ends a mode that the program has not begun does nothing; and one that has begun it is not
/// followed to there.
#[test]
fn ends_of_modes_that_are_not_begun_are_passed_over() {
    for (begins, ends) in [
        (
            "force_mode(p[0,0,0,0,0,0],[0,0,1,0,0,0],[0,0,1,0,0,0],2,[1,1,1,1,1,1])",
            "end_force_mode()",
        ),
        ("freedrive_mode()", "end_freedrive_mode()"),
        ("teach_mode()", "end_teach_mode()"),
        ("screw_driving(1,2,3)", "end_screw_driving()"),
        ("path_offset_enable()", "path_offset_disable(20)"),
        (
            "track_conveyor_linear(p[1,0,0,0,0,0],500)",
            "stop_conveyor_tracking()",
        ),
    ] {
        let ways = |text: &str| read_in(&still(&[]), text).unwrap();
        let way = ways(&format!(
            "movej([0,0,0,0,0,0])\n{ends}\nmovej([1,0,0,0,0,0])\n"
        ))
        .remove(0);
        assert_eq!((way.moves.len(), way.unknown.len()), (2, 0), "{way:?}");
        let begun = format!("movej([0,0,0,0,0,0])\n{begins}\n{ends}\nmovej([1,0,0,0,0,0])\n");
        assert!(!ways(&begun)[0].unknown.is_empty(), "{begins}");
    }
    // The last one brakes the arm.
    let corner = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0], r=0.05)\nstop_conveyor_tracking()\nmovej([1,0,0,0,0,0])\n";
    assert!(!read_in(&still(&[]), corner).unwrap()[0].unknown.is_empty());
}

#[test]
fn a_stop_in_a_corner_counts_in_loops_of_unknown_length() {
    let program = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0], r=0.05)\nwhile get_digital_in(0):\n  stopl(2)\nend\nmovej([1,0,0,0,0,0])\n";
    let ways = read(program);
    assert!(ways.iter().any(|way| !way.unknown.is_empty()), "{ways:?}");
    let harmless = program.replace("stopl(2)", "sync()");
    assert!(read(&harmless).iter().all(|way| way.unknown.is_empty()));
}

#[test]
fn only_the_name_of_a_thread_stands_behind_join_and_kill() {
    let program = "def go():\n  movej([2,0,0,0,0,0])\nend\nmovej([0,0,0,0,0,0])\n";
    for word in ["join", "kill"] {
        assert!(read_in(&arm(), &format!("{program}h = 1\n{word} h\n")).is_ok());
        assert!(read_in(&arm(), &format!("{program}{word} go()\n")).is_err());
    }
}

/// By poses alone the arm may come back with a wrist that is a turn further; joint values settle it.
#[test]
fn a_loop_of_poses_comes_back_if_the_arm_stands_the_same() {
    let third = 2.0 * std::f64::consts::FRAC_PI_3;
    let round = format!(
        "  movej(p[0.5,0.2,0.3,0,0,0])\n  movej(p[0.5,0.2,0.3,0,0,{third}])\n  movej(p[0.5,0.2,0.3,0,0,-{third}])\n"
    );
    let tool = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0])\n";
    let (_, why) = reason(&format!("{tool}while True:\n{round}end\n"));
    assert!(why.contains("does not stand as it did"), "{why}");
    let there = round.replacen(&third.to_string(), "0.5", 2);
    for asks in ["True", "get_standard_digital_in(0)"] {
        let ways = read(&format!("{tool}while {asks}:\n{there}end\n"));
        assert!(
            ways.iter()
                .all(|way| way.unknown.is_empty() && way.moves.len() <= 7),
            "{ways:?}"
        );
    }
    let way = known(&format!(
        "{tool}while True:\n{round}  movej([0,0,0,0,0,0])\nend\n"
    ));
    assert!(way.moves.len() <= 13, "{}", way.moves.len());
}

/// Memory and stack are bounded, whatever a program does.
#[test]
fn lists_and_calls_that_grow_without_end_are_not_followed() {
    let nested = format!("{}go(n){}", "if (True):\n".repeat(80), "\nend".repeat(80));
    for (text, says) in [
        (
            "def show():\n  movej(x)\nend\nx = [0]\nwhile True:\n  x = [x, x]\nend\n".to_owned(),
            "so much was computed",
        ),
        (
            "def show():\n  movej(x)\nend\nx = [0]\nwhile True:\n  x = [x]\nend\n".to_owned(),
            "lists as large",
        ),
        (
            "def show():\n  movej(x)\nend\nx = [0]\nwhile True:\n  y = x\n  x[0] = y\nend\n"
                .to_owned(),
            "lists as large",
        ),
        (
            "def go(n):\n  go([n, n])\nend\ngo(0)\n".to_owned(),
            "so much was computed",
        ),
        (
            "def go(n):\n  return [[n]]\nend\nx = 0\nwhile True:\n  go(x)\n  x = [x]\nend\n"
                .to_owned(),
            "lists as large",
        ),
        (
            format!("def go(n):\n{nested}\nend\ngo(1)\n"),
            "within each other",
        ),
    ] {
        let (_, why) = reason(&format!("{text}movej([0,0,0,0,0,0])\n"));
        assert!(why.contains(says), "{text}: {why}");
    }
}

/// Ways on which one name means two functions do not join: each loop goes on to its own point.
#[test]
fn ways_that_define_another_function_of_one_name_do_not_join() {
    let def = |q: usize| format!("  def f():\n    movej([{q},0,0,0,0,0])\n  end\n");
    let body = format!(
        "if get_digital_in(0):\n{}else:\n{}end\nmovej([0,0,0,0,0,0])\nwhile True:\n  f()\n  movej([0,0,0,0,0,0])\nend\n",
        def(1),
        def(2)
    );
    let ways = read(&body);
    for q in ["J1", "J2"] {
        let goes_there = |way: &MoveProgram| short(way).iter().any(|step| step == q);
        assert!(ways.iter().any(goes_there), "{q} {ways:?}");
    }
}

#[test]
fn main_loops_of_scripts_end_where_they_come_back() {
    let asks = |n: usize| -> String {
        (1..=n)
            .map(|k| format!("  if get_digital_in({k}):\n    movej([{k},0,0,0,0,0])\n  end\n"))
            .collect()
    };
    for n in 1..=3 {
        let body = format!("while True:\n  movej([0,0,0,0,0,0])\n{}end\n", asks(n));
        let ways = read(&body);
        assert!(ways.iter().all(|w| w.unknown.is_empty() && w.goes_round));
        // Each move follows on each one that it can follow on.
        let mut pairs = std::collections::BTreeSet::new();
        for way in &ways {
            pairs.extend(short(way).windows(2).map(<[String]>::concat));
        }
        for a in 0..=n {
            assert!(pairs.contains(&format!("J{a}J0")), "{a} {pairs:?}");
            for b in a + 1..=n {
                assert!(pairs.contains(&format!("J{a}J{b}")), "{a} {b} {pairs:?}");
            }
        }
    }
    // Within a counted loop a way that comes to the same place may have fewer rounds to go.
    let body = format!(
        "i = 7\nwhile i > 0:\n  movej([0,0,0,0,0,0])\n{}  i = i - 1\nend\n",
        asks(1)
    );
    assert_eq!(read(&body).iter().filter(|w| !w.goes_round).count(), 2);
}

/// Behind every statement, not only before loops; and a way ends where it comes back to a state of its
/// own, however the loops lie within each other.
#[test]
fn ways_join_behind_statements_and_within_loops() {
    let home: String = (1..=9)
        .map(|k| {
            format!("  if get_digital_in({k}):\n    movej([{k},0,0,0,0,0])\n    movej([0,0,0,0,0,0])\n  end\n")
        })
        .collect();
    let nested = "  while get_digital_in(1):\n    movej([1,0,0,0,0,0])\n    if get_digital_in(2):\n      movej([2,0,0,0,0,0])\n    end\n\
                  \x20   if get_digital_in(3):\n      movej([3,0,0,0,0,0])\n    end\n  end\n";
    let all = [(home.as_str(), 9), (nested, 3)];
    for (asks, n) in all {
        let body =
            format!("movej([0,0,0,0,0,0])\nwhile True:\n{asks}  movej([0,0,0,0,0,0])\nend\n");
        let ways = read(&body);
        let mut gone = std::collections::BTreeSet::new();
        for way in &ways {
            assert!(way.unknown.is_empty() && way.goes_round, "{way:?}");
            gone.extend(short(way).windows(2).map(<[String]>::concat));
        }
        for k in 1..=n {
            assert!(gone.contains(&format!("J{k}J0")), "{k} {gone:?}");
        }
        if asks == nested {
            for pair in ["J1J2", "J2J3", "J1J3", "J2J1", "J3J1", "J1J1"] {
                assert!(gone.contains(pair), "{pair} {gone:?}");
            }
        }
    }
    // What a variable says differs, though the arm stands at one place.
    let body = "q = 0\nmovej([0,0,0,0,0,0])\nif get_digital_in(1):\n  q = 1\nend\nif get_digital_in(2):\n  set_digital_out(1, True)\nend\nmovej([q,0,0,0,0,0])\n";
    let ends: Vec<_> = read(body).iter().map(|w| short(w).pop().unwrap()).collect();
    assert_eq!(ends, ["J1", "J0"]);
}

/// Within a function the state does not say where it is called.
#[test]
fn ways_do_not_join_within_functions() {
    let asks = "if get_digital_in(2):\n    set_digital_out(1, True)\n  end\n";
    let body = format!(
        "def f():\n  {asks}end\nmovej([0,0,0,0,0,0])\nif get_digital_in(1):\n  f()\n  movej([1,0,0,0,0,0])\nelse:\n  f()\n  movej([2,0,0,0,0,0])\nend\n"
    );
    let all = read(&body);
    let ends: Vec<_> = all.iter().map(|w| short(w).pop().unwrap()).collect();
    assert!(
        ["J1", "J2"].iter().all(|q| ends.iter().any(|e| e == q)),
        "{ends:?}"
    );
}

/// With `qnear` the solution does not depend on where the arm is: the loop comes back.
#[test]
fn a_solution_near_to_stated_joint_values_is_the_same_in_every_round() {
    let of = |near: &str| {
        let body = format!(
            "set_tcp(p[0,0,0.1,0,0,0])\nmovej([0,0,0,0,0,0])\nwhile True:\n  q = get_inverse_kin(p[0.3,0.1,0.4,0,3.14,0]{near})\n  movej(q)\n  movej([0,0,0,0,0,0])\nend\n"
        );
        read(&body)
    };
    let ways = of(", qnear=[0,0,0,0,0,0]");
    assert!(ways[0].unknown.is_empty(), "{ways:?}");
    assert!(ways[0].goes_round && ways[0].moves.len() < 9);
}
