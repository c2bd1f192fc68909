//! Programs that a controller may run in another way than their words suggest: each is told, and
//! its harmless twin is not.

use super::*;

const TOOL: &str = "set_tcp(p[0,0,0,0,0,0])\n";

/// Whether some way has a reason that says so.
fn doubts(text: &str, says: &str) -> bool {
    let ways = read(&format!("{TOOL}{text}"));
    let mut reasons = ways.iter().flat_map(|w| &w.unknown);
    reasons.any(|u| u.reason.contains(says))
}

/// The moves of each way.
fn every_way(text: &str) -> Vec<String> {
    let ways = read(&format!("{TOOL}{text}"));
    assert!(
        ways.iter().all(|w| w.unknown.is_empty()),
        "{text}: {ways:?}"
    );
    ways.iter().map(|w| short(w).join(" ")).collect()
}

/// Controllers count in 32 bits: `0.1 + 0.2 < 0.3` may go either way.
#[test]
fn decisions_that_rounding_makes_have_two_ways() {
    let go = "\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n";
    for condition in [
        "0.1 + 0.2 <= 0.3",
        "0.1 + 0.2 == 0.3",
        "0.1 + 0.2 != 0.3",
        "[0, 0.1 + 0.2] == [0, 0.3]",
        "floor(0.3 / 0.1) == 3",
        "0.3 % 0.1 < 0.05",
        // By chance these come out as numbers that 32 bits hold.
        "0.26 - 0.01 >= 0.25",
        "0.15 * 50 <= 7.5",
        "0.5 - 0.3 - 0.2 >= 0",
        "norm([0.3, 0.4]) <= 0.5",
        "point_dist(p[0.26,0,0,0,0,0], p[0.01,0,0,0,0,0]) >= 0.25",
        "pose_trans(p[0.26,0,0,0,0,0], p[-0.01,0,0,0,0,0])[0] >= 0.25",
        "rpy2rotvec([0, 0.3 - 0.05, 0])[1] >= 0.25",
        "floor(0.7 * 10) == 7",
    ] {
        let ways = every_way(&format!("if {condition}:{go}"));
        assert_eq!(ways, ["J1 J2", "J2"], "{condition}");
    }
    for condition in ["0.25 <= 0.25", "3 == 3", "floor(3.5) == 3", "7 % 2 == 1"] {
        assert_eq!(
            every_way(&format!("if {condition}:{go}")),
            ["J1 J2"],
            "{condition}"
        );
    }
    // On the negative x axis the angle jumps, and a number that is 0 may have a sign.
    for y in ["0.3 - 0.1 - 0.2", "-0.0", "0 * -1.0"] {
        let text = format!("movej([atan2({y}, -1),0,0,0,0,0])\n");
        assert!(doubts(&text, "32 bits"), "{y}");
    }
    assert_eq!(every_way("movej([atan2(0, 1),0,0,0,0,0])\n"), ["J0"]);
    assert!(doubts(
        "n = 2000000000 + 2000000000\nmovej([n,0,0,0,0,0])\n",
        "overflow"
    ));
}

/// Joint values of inverse kinematics are found when the motion is made, and what values of two
/// kinds are to each other is not told.
#[test]
fn values_that_cannot_be_compared_decide_nothing() {
    let go = "\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n";
    let near = "[0,-1,1,0,1,0]";
    for condition in [
        format!("get_inverse_kin(p[0.5,0,0.3,0,0,0], {near}) == {near}"),
        format!("get_inverse_kin(p[0.5,0,0.3,0,0,0], {near}) != {near}"),
        "1 == True".to_owned(),
        "[0,0,0,0,0,0] == p[0,0,0,0,0,0]".to_owned(),
    ] {
        assert_eq!(
            every_way(&format!("if {condition}:{go}")),
            ["J1 J2", "J2"],
            "{condition}"
        );
    }
}

#[test]
fn methods_of_lists_change_them() {
    let list = "x = [0.1, 0.2]\n";
    for change in [
        "x.append(0.3)",
        "y = x.pop()",
        "x.insert(0, 0.3)",
        "x.clear()",
        "x.turn_around()",
    ] {
        let text = format!("{list}{change}\nmovej([x[0],0,0,0,0,0])\n");
        assert!(doubts(&text, "`x` is changed by"), "{change}");
    }
    let text = format!("{list}if get_digital_in(0):\n  x.pop()\nend\nmovej([x[0],0,0,0,0,0])\n");
    assert!(doubts(&text, "`x` is changed by"));
    let text = format!("{list}while get_digital_in(0):\n  x.pop()\nend\nmovej([x[0],0,0,0,0,0])\n");
    assert!(doubts(&text, "how often it goes round"));
    assert_eq!(
        every_way(&format!("{list}movej([x.length(),0,0,0,0,0])\n")),
        ["J2"]
    );
    for change in ["x.reverse()", "x.sort()"] {
        let text =
            format!("{list}if get_digital_in(0):\n  {change}\nend\nmovej([x[0],0,0,0,0,0])\n");
        assert!(doubts(&text, "`x` is changed by"), "{change}");
        let text =
            format!("{list}while get_digital_in(0):\n  {change}\nend\nmovej([x[0],0,0,0,0,0])\n");
        assert!(doubts(&text, "how often it goes round"), "{change}");
        // The thread may run when the list has its value.
        let thread = format!("thread t():\n  {change}\nend\nrun t()\n");
        for text in [format!("{list}{thread}"), format!("{thread}{list}")] {
            let text = format!("{text}movej([x[0],0,0,0,0,0])\n");
            assert!(doubts(&text, "changed by the thread"), "{text}");
        }
    }
    // What another program answers changes nothing here.
    let text = format!(
        "{list}cam = rpc_factory(\"xmlrpc\", \"there\")\nif get_digital_in(0):\n  cam.take(1)\nelif cam.sees():\n  \
         cam.pop()\nend\nmovej([x[0],0,0,0,0,0], v=cam.speed())\n"
    );
    assert_eq!(every_way(&text), ["J0.1"]);
    let text = format!(
        "{list}cam = rpc_factory(\"xmlrpc\", \"there\")\ncam.pop()\nmovej([x[0],0,0,0,0,0])\n"
    );
    assert_eq!(every_way(&text), ["J0.1"]);
}

/// A list has values of one kind: a fraction among whole numbers may be cut.
#[test]
fn a_fraction_in_a_list_of_whole_numbers_is_not_known() {
    assert!(doubts(
        "q = [0,0,0,0,0,0]\nq[0] = 0.5\nmovej(q)\n",
        "a list of whole numbers"
    ));
    assert_eq!(
        every_way("q = [0,0,0,0,0,0.5]\nq[0] = 1.5\nmovej(q)\n"),
        ["J1.5"]
    );
    assert_eq!(every_way("q = [0,0,0,0,0,0]\nq[0] = 2\nmovej(q)\n"), ["J2"]);
}

#[test]
fn arguments_without_names_stand_first() {
    for call in [
        "movej([1,0,0,0,0,0], t=5, 2, 3, 0.05)",
        "def f(a=0, b=0, c=0):\n  movej([b,0,0,0,0,0])\nend\nf(c=1, 2)",
    ] {
        assert!(
            doubts(&format!("{call}\n"), "behind one with a name"),
            "{call}"
        );
    }
}

/// A variable without `global` or `local` is the program's, if it has one; whether before it has a
/// value is not told.
#[test]
fn a_variable_that_the_program_sets_later_is_not_known_in_a_function() {
    let text = "def h():\n  global z = 0.7\nend\ndef f():\n  z = 0.5\n  h()\n  movel(p[0.4,0,z,0,0,0])\nend\nf()\n";
    assert!(doubts(text, "write `global` or `local`"));
    assert!(doubts(
        "def f():\n  z = 0.5\nend\nf()\nz = 0.1\nmovel(p[0.4,0,z,0,0,0])\n",
        "write `global` or `local`"
    ));
    assert_eq!(
        every_way("z = 0.1\ndef f():\n  z = 0.5\nend\nf()\nmovel(p[0.4,0,z,0,0,0])\n"),
        ["L0.5"]
    );
    assert_eq!(
        every_way("def f():\n  k = 0.5\n  return k\nend\nmovel(p[0.4,0,f(),0,0,0])\n"),
        ["L0.5"]
    );
    assert!(doubts(
        "z = [1,2]\ndef f():\n  global z[0] = 3\nend\nf()\n",
        "a part of `z`"
    ));
}

/// How large a corner is, is a matter of the tool.
#[test]
fn a_corner_of_an_unknown_tool_is_not_known() {
    let moves = "movej([0,0,0,0,0,0], r=0.05)\nmovej([1,0,0,0,0,0])\n";
    let ways = read(moves);
    assert!(
        ways[0]
            .unknown
            .iter()
            .any(|u| u.reason.contains("which tool counts")),
        "{ways:?}"
    );
    assert_eq!(every_way(moves), ["J0 J1"]);
    // The corner goes on in the next move.
    let changed = moves.replace("\n", "\nset_tcp(get_target_tcp_pose())\n");
    assert!(doubts(&changed, "known to the controller only"));
    assert!(
        known("movej([0,0,0,0,0,0])\nmovej([1,0,0,0,0,0])\n")
            .unknown
            .is_empty()
    );
}

/// A corner is rounded about the tool that counts, whichever tool the joint values were asked for
/// with.
#[test]
fn a_corner_of_a_joint_move_is_that_of_the_active_tool() {
    let near = "[0,-1.2,1.4,-1.7,-1.5,0]";
    let asked = |more: &str| format!("get_inverse_kin(p[0.5,0.2,0.4,0,3.1,0], {near}{more})");
    let active = "set_tcp(p[0,0,0.2,0,0,0])\n";
    let by_name = format!(
        "{active}movej({}, r=0.02)\nmovej([1,0,0,0,0,0])\n",
        asked(", tcp=p[0,0,0,0,0,0]")
    );
    let before = format!(
        "b = {}\n{active}movej(b, r=0.02)\nmovej([1,0,0,0,0,0])\n",
        asked("")
    );
    for text in [by_name, before] {
        let way = known(&format!("{TOOL}{text}"));
        let first = &way.moves[0];
        let Target::Pose {
            frame_from_tool, ..
        } = &first.target
        else {
            panic!("a pose");
        };
        assert_eq!(first.tool.link_from_frame.translation.z, 0.2, "{text}");
        // The flange is where it was asked for.
        let flange = frame_from_tool * first.tool.link_from_frame.inverse();
        let right = Vector3::new(0.5, 0.2, 0.4);
        assert!((flange.translation.vector - right).norm() < 1e-12, "{text}");
    }
}

/// Names that look like those of the controller are functions like any other.
#[test]
fn functions_that_only_sound_harmless_could_move_the_arm() {
    for name in [
        "request_home_position",
        "socket_move_to",
        "encoder_follow",
        "get_target_and_go_there",
        "get_actual_part_and_move",
        "str_drive",
        "modbus_set_digital_input_action",
        "set_runstate_and_go",
        "write_output_and_move",
    ] {
        assert!(
            doubts(&format!("{name}(1)\n"), "could move the arm"),
            "{name}"
        );
    }
    let text = "socket_open(\"10.0.0.1\", 30000)\nn = request_integer_from_primary_client(\"n\")\n\
                encoder_get_tick_count(0)\ns = str_sub(\"abc\", 1)\nget_target_tcp_pose()\n\
                write_output_integer_register(0, 1)\nmodbus_set_output_signal(\"a\", True)\n\
                get_actual_joint_positions()\nset_runstate_standard_digital_output_to_value(0, 1)\n\
                set_runstate_outputs([])\nset_runstate_standard_digital_outputs([0, 1])\n\
                set_runstate_configurable_digital_outputs([0])\n\
                movej([1,0,0,0,0,0])\n";
    assert_eq!(every_way(text), ["J1"]);
}

/// More functions of the manual that read, or talk to other machines, and inputs that get back what
/// they do by default. What they answer is not known.
#[test]
fn functions_of_the_manual_that_only_read_are_passed_over() {
    for call in [
        "modbus_add_rw_signal(\"10.0.0.1\", 255, 5, 1, \"a\", 0)",
        "modbus_get_error(\"a\")",
        "modbus_get_time_since_signal_invalid(\"a\")",
        "modbus_request_update_signal_value(\"a\")",
        "modbus_reset_connection(\"a\")",
        "modbus_set_signal_watchdog(\"a\", 1.5)",
        "get_target_tcp_pose_along_path()",
        "get_target_tcp_speed_along_path()",
        "get_freedrive_status()",
        "normalize([1, 2, 3])",
        "get_gravity()",
        "set_standard_digital_input_action(0, \"default\")",
        "set_configurable_digital_input_action(0, \"default\")",
        "set_tool_digital_input_action(0, action=\"default\")",
        "set_gp_boolean_input_action(0, \"default\")",
        "modbus_set_digital_input_action(\"a\", \"default\")",
    ] {
        let text = format!("{call}\nmovej([1,0,0,0,0,0])\n");
        assert_eq!(every_way(&text), ["J1"], "{call}");
        // Where it depends on an input, it makes no difference.
        let text = format!("if get_digital_in(1):\n  {call}\nend\nmovej([1,0,0,0,0,0])\n");
        assert_eq!(every_way(&text), ["J1"], "{call}");
        let text = format!("a = {call}\nmovej([a,0,0,0,0,0])\n");
        assert!(doubts(&text, "the target is not known"), "{call}");
    }
    for call in [
        "set_standard_digital_input_action(0, \"freedrive\")",
        "set_gp_boolean_input_action(0, action)",
        "set_tool_digital_input_action(\"default\")",
        "set_tool_digital_input_action(0, \"default\", 1)",
        "set_my_input_action(0, \"default\")",
    ] {
        let text = format!("action = \"default\"\n{call}\n");
        assert!(doubts(&text, "could move the arm"), "{call}");
    }
}

/// Files in the encoding of Windows: letters that no UTF-8 has are not all the same.
#[test]
fn texts_that_differ_in_a_letter_of_windows_differ() {
    let cell = arm();
    let controller = ControlledArm::of(&cell, None).unwrap();
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &|_| panic!("nothing is needed"),
        orientation_tube: 0.1,
    };
    let bytes = b"side = \"s\xfcd\"\nif side != \"s\xf6d\":\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n";
    let read = super::super::read(Path::new("a.script"), bytes, &controller, &options);
    let ways = read.unwrap_or_else(|e| panic!("{e}")).ways;
    assert_eq!(short(&ways[0]), ["J1", "J2"]);
}

/// Turns that have no direction, and angles that are not unique.
#[test]
fn half_turns_and_upright_pitches_are_not_known() {
    let half = |angle: &str| {
        format!("movel(interpolate_pose(p[0.4,0,0.2,0,0,0], p[0.4,0,0.4,{angle},0,0], 0.25))\n")
    };
    assert!(doubts(&half("3.1416"), "half a turn"));
    assert_eq!(every_way(&half("3.1")), ["L0.25"]);
    let pitch = |angle: &str| {
        format!("a = rotvec2rpy(rpy2rotvec([0.1, {angle}, 0.2]))\nmovel(p[0.4,0,a[2],0,0,0])\n")
    };
    assert!(doubts(&pitch("1.5708"), "a pitch of a quarter turn"));
    assert!(every_way(&pitch("1.5"))[0].starts_with("L0."));
}

/// Plain programs that lose nothing.
#[test]
fn harmless_words_are_read() {
    assert_eq!(every_way("movej([1 / 2.0, 0, 0, 0, 0, 0])\n"), ["J0.5"]);
    assert_eq!(
        every_way("if 1 ≤ 2 and 3 ≥ 2:\n  movej([1,0,0,0,0,0])\nend\n"),
        ["J1"]
    );
    assert_eq!(
        every_way(
            "d = pose_sub(p[0,0,1,0,0,0], p[0,0,0,0,0,0])\nposition_deviation_warning(True, 0.5)\nmovej([1,0,0,0,0,0])\n"
        ),
        ["J1"]
    );
    // Whole numbers still divide as they may.
    assert!(doubts(
        "movej([(1 + 2) / 2, 0, 0, 0, 0, 0])\n",
        "whole numbers"
    ));
}

/// Whether corners overlap is not asked of one of which the radius is not known: that is told.
#[test]
fn a_radius_that_is_not_known_is_told_by_its_name() {
    let moves =
        "movel(p[0.4,0,0.3,0,0,0], r=get_standard_analog_in(0))\nmovel(p[0.4,0.3,0.3,0,0,0])\n";
    for before in ["", "movej([0,0,0,0,0,0])\n"] {
        let ways = read(&format!("{TOOL}{before}{moves}"));
        let told: Vec<_> = ways[0].unknown.iter().map(|u| &*u.reason).collect();
        let [told] = told[..] else {
            panic!("{told:?}");
        };
        assert!(told.contains("the blend radius `r` of this move is not known"));
    }
}

/// `local` anywhere in a function may make its variable a local one everywhere in it.
#[test]
fn a_variable_that_is_local_elsewhere_in_the_function_is_not_told() {
    let call = "f(0)\nmovej([x,0,0,0,0,0])\n";
    for body in [
        " x = -0.6\n local x = 0\n",
        " if n == 1:\n  local x = 0\n end\n x = -0.6\n",
    ] {
        let text = format!("global x = 0.6\ndef f(n):\n{body}end\n{call}");
        assert!(doubts(&text, "write `global` or `local`"), "{body}");
    }
    let first = format!("global x = 0.6\ndef f(n):\n local x = 0\n x = -0.6\nend\n{call}");
    assert_eq!(every_way(&first), ["J0.6"]);
    let inner = format!(
        "global x = 0.6\ndef f(n):\n x = -0.6\nend\ndef g():\n local x = 1\n f(x)\nend\ng()\n{call}"
    );
    assert_eq!(every_way(&inner), ["J-0.6"]);
}

/// Which of two rotation vectors a controller has for half a turn is not told: a condition on one of
/// its numbers has both answers, and so has one on a roll of half a turn.
#[test]
fn conditions_on_half_a_turn_have_two_ways() {
    let go = "\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n";
    let down = "t = pose_trans(p[0.4,0.2,0.4,0,3.14159265,0], p[0,0,-0.05,0,0,0])\n\
                r = rotvec2rpy([3.14159265,0,0])\n";
    for condition in ["t[4] > 0", "0 < -t[4]", "t[4] + 0.1 >= 0", "r[0] > 0"] {
        let mut ways = every_way(&format!("{down}if {condition}:{go}"));
        ways.sort_unstable();
        assert_eq!(ways, ["J1 J2", "J2"], "{condition}");
    }
    for condition in ["t[2] > 0.1", "r[1] < 0.1"] {
        let ways = every_way(&format!("{down}if {condition}:{go}"));
        assert_eq!(ways, ["J1 J2"], "{condition}");
    }
    let made = format!("{down}movel(p[t[0], t[1], t[2] + 0.25, t[3], t[4], t[5]])\n");
    assert_eq!(every_way(&made), ["L0.7"]);
}

/// The same where such a number gets into a target, however it gets there; where all that it may be is
/// the same turn, it is read.
#[test]
fn numbers_of_half_a_turn_in_targets_are_not_known() {
    let down = "t = pose_trans(p[0.4,0.2,0.5,0,3.14159265,0], p[0,0,-0.25,0,0,0])\n\
                r = rotvec2rpy([t[3], t[4], t[5]])\n";
    for target in [
        "movel(p[0.4, 0, 0.2, t[4], 0, t[4]])",
        "movel(p[0.4, 0, 0.2, 0, 0, atan2(t[4], t[3] + 0.1)])",
        "movel(p[0.4, 0, 0.2, 0, 0, t[4] / 2])",
        "t[3] = 0.5\nmovel(t)",
        "angle = t[4]\nmovel(p[0.4, 0, angle / 10, 0, 0, 0])",
        "movel(p[0.4, 0, 0.2, t[4], t[3], t[5]])",
        "u = pose_trans(t, p[0,0,0,0,0.2,0])\nmovel(p[0.4, 0, 0.2, t[3], u[4], t[5]])",
        // The same numbers, and perhaps the other signs.
        "u = pose_trans(p[0.4,0.2,0.5,0,3.14159265,0], p[0,0,-0.25,0,0,0])\nmovel(p[0.4, 0, 0.2, t[3], u[4], t[5]])",
        "movej([0, 0, 0, 0, 0, r[0]])",
        "movej([0, 0, 0, 0, 0, r[2] + 0.5])",
    ] {
        assert!(
            doubts(&format!("{down}{target}\n"), "half a turn"),
            "{target}"
        );
    }
    for target in [
        "movel(p[t[0], t[1], 0.75, t[3], t[4], t[5]])",
        "t[2] = 0.75\nmovel(t)",
        "a = t[3]\nb = t[4]\nc = t[5]\nmovel(p[0.4, 0, 0.75, a, b, c])",
        "t[3] = 0.5\nt[4] = 0\nt[5] = 0\nt[2] = 0.75\nmovel(t)",
        "v = rpy2rotvec([r[0], r[1], r[2] + d2r(20)])\nmovel(p[0.4, 0, 0.75, v[0], v[1], v[2]])",
        "movel(p[0.4, 0, 0.75 + sin(r[2]) / 1e9, 0, 0, 0])",
        "movel(p[0.4, 0, norm([t[3], t[4], t[5]]) * 0.24, 0, 0, 0])",
        // What the program writes itself.
        "h = p[0.4, 0, 0.75, 3.14159265, 0, 0]\nh[5] = h[3]\nmovel(h)",
    ] {
        let ways = every_way(&format!("{down}{target}\n"));
        assert!(ways[0].starts_with("L0.75"), "{target}: {ways:?}");
    }
}

/// A thread that ends the program stops the arm on its path, as whoever presses stop.
#[test]
fn a_thread_may_end_the_program() {
    let watch = |end: &str| {
        format!(
            "thread watch():\n  while True:\n    if get_digital_in(3):\n      popup(\"door\")\n      {end}\n    end\n    sync()\n  end\nend\nrun watch()\nmovej([1,0,0,0,0,0])\n"
        )
    };
    assert_eq!(every_way(&watch("halt")), ["J1"]);
    assert!(doubts(&watch("stopj(2)"), "could move or stop the arm"));
}

/// Regression: a function that is asked for by its name was followed with the tool of the cell, though
/// the file sets another one before it calls it.
#[test]
fn a_routine_does_not_begin_with_another_tool_than_its_caller_has() {
    let mut cell = still(&[]);
    let tool = nalgebra::Isometry3::translation(0.0, 0.01, 0.1);
    said(&mut cell).tools.insert("active".into(), tool);
    let controller = ControlledArm::of(&cell, None).unwrap();
    let active = controller.tool("active");
    let asked = |set: &str, own: &str| {
        let text = format!(
            "def pick():\n{own}  movel(p[0.4,0,0.2,0,0,0])\nend\ndef main():\n{set}  pick()\nend\n"
        );
        let options = Options {
            routine: Some("pick"),
            bounds: Bounds::default(),
            read_neighbour: &|_| panic!("nothing is needed"),
            orientation_tube: 0.1,
        };
        let file = Path::new("a.script");
        let read = super::super::read(file, text.as_bytes(), &controller, &options);
        let way = read.unwrap_or_else(|e| panic!("{e}")).ways.remove(0);
        way.unknown
            .first()
            .map(|u| (u.place.line, u.reason.clone()))
    };
    let active = active.map(|tool| crate::ur::poses::numbers(&tool));
    let [x, y, z, rx, ry, rz] = active.expect("a tool of the cell");
    let same = format!("  set_tcp(p[{x},{y},{z},{rx},{ry},{rz}])\n");
    let other = format!("  set_tcp(p[{x},{y},{z}+0.2,{rx},{ry},{rz}])\n");
    assert_eq!(asked("", ""), None);
    assert_eq!(asked(&same, ""), None);
    for set in [&*other, "  set_tcp(grip)\n"] {
        let (line, reason) = asked(set, "").expect(set);
        assert!(
            line == Some(2) && reason.contains("`set_tcp` in line 5 sets another one"),
            "{reason}"
        );
        // It sets its own.
        assert_eq!(asked(set, &same), None);
    }
    // What it sets at its end counts where it runs again.
    let text = |own: &str| asked("", own);
    assert_eq!(text(""), None);
    assert!(
        text(&format!(
            "  movej([0,0,0,0,1,0])\n  if grip:\n  {other}  end\n"
        ))
        .is_some()
    );
}
