//! A draft as a cell file, and what is said of it. Nothing that hides a contact or changes a size
//! is ever written as more than a comment: it is the user who decides.

use super::printable;
use super::units::{count, millimetres_down};
use crate::findings::{Draft, DraftObstacle, DraftRobot, Overlap, UnstatedPlace};

const HEAD: &str = "\
# A cell for `clearance`. Lengths are metres and angles radians; a text may carry a unit: \"5mm\", \"90deg\".
# Files are named relative to this one. Lines that begin with # have no effect: take the # away where you agree.
";

/// A cell file has no word for it, for it is a stopgap.
const VISUAL: &str = "\
# Made with --visual-as-collision: give that option to every command that uses this file.
";

const CHECK: &str = "
[check]
clearance = \"0mm\"                 # this close, or closer, is contact: choose what your cell needs
# warn = \"10mm\"                   # pairs nearer than this are listed as near misses
# limits = true                   # joint limits are checked too
";

const ATTACH: &str = "
# What a link carries. Every mesh that was given is an [[obstacle]] below: move tools and workpieces to here.
# [[attach]]
# name = \"gripper\"
# parent = \"tool0\"
# mesh = \"gripper.stl\"
# pose = { xyz = [0, 0, 0], rpy = [0, 0, 0] }   # in the frame of the parent
";

/// Files that are named one by one.
const MOST_FILES: usize = 10;

/// The draft as a cell file.
pub fn draft_toml(draft: &Draft) -> String {
    let mut out = HEAD.to_owned();
    if draft.visual_as_collision {
        out += VISUAL;
    }
    if !draft.packages.is_empty() {
        out += "\n[packages]\n";
        for (name, folder) in &draft.packages {
            out += &format!("{} = {}\n", text(name), text(folder));
        }
    }
    for robot in &draft.robots {
        write_robot(robot, &mut out);
    }
    out += ATTACH;
    for obstacle in &draft.obstacles {
        write_obstacle(obstacle, &mut out);
    }
    out += CHECK;
    for link in &draft.visual_only {
        let said = format!(
            "{link} has <visual> geometry only and is not checked. To leave it out for a reason of yours:"
        );
        comment(&said, &mut out);
        out += &format!(
            "# [[unchecked]]\n# link = {}\n# reason = \"\"\n",
            text(link)
        );
    }
    for pair in draft.proposed() {
        write_allowance(pair, draft.programs, &mut out);
    }
    out
}

fn write_robot(robot: &DraftRobot, out: &mut String) {
    *out += "\n[[robot]]\n";
    if let Some(name) = &robot.name {
        *out += &format!("name = {}\n", text(name));
    }
    *out += &format!("urdf = {}\n", text(&robot.urdf));
    if !robot.xacro_args.is_empty() {
        let values = robot.xacro_args.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{} = {}", text(name), text(value)))
            .collect();
        *out += &format!("xacro_args = {{ {} }}\n", values.join(", "));
    }
    match &robot.srdf {
        Some(file) => {
            *out += &format!(
                "srdf = {}      # its disabled pairs are not checked: `clearance inspect` lists them\n",
                text(file)
            );
        }
        None => {
            *out += "# srdf = \"robot.srdf\"             # its disabled pairs are not checked\n"
        }
    }
    if let Some(file) = &robot.joint_limits {
        *out += &format!("joint_limits = {}\n", text(file));
    }
    *out += "# base = { xyz = [0, 0, 0], rpy = [0, 0, 0] }   # where it stands in the world\n";
    if !robot.states.is_empty() {
        let states: Vec<String> = robot.states.iter().map(|state| text(state)).collect();
        *out += &format!(
            "# state = [{}]   # states of the SRDF, for joints that programs do not move: name those that are meant\n",
            states.join(", ")
        );
    }
    if !robot.resting.is_empty() {
        let values = robot.resting.iter();
        let values: Vec<String> = values
            .map(|(joint, value)| format!("{} = {value}", text(joint)))
            .collect();
        *out += &format!(
            "# joints = {{ {} }}   # no given program moves them: the values that they keep\n",
            values.join(", ")
        );
    }
    if let Some(dialect) = robot.dialect {
        *out += &format!(
            "\n# How the controller counts; its programs are not read without it. See docs/cell.md.\n\
             # [robot.controller]\n\
             # dialect = {}\n\
             # joints = {}   # in the controller's order, with sign and offset where they differ\n\
             # base = {}           # the link that the controller takes for the robot's own frame\n\
             # flange = {}             # the link at the end of the arm\n\
             # tools = {{ }}                  # tools that the program does not state itself\n\
             # points = []                  # one point that the pendant shows proves all of this\n",
            text(dialect),
            robot.counted,
            text(&robot.base),
            text(&robot.flange)
        );
    }
}

fn write_obstacle(obstacle: &DraftObstacle, out: &mut String) {
    *out += &format!(
        "\n[[obstacle]]\nname = {}\nmesh = {}\n",
        text(&obstacle.name),
        text(&obstacle.mesh)
    );
    match (&obstacle.doubt, obstacle.scale) {
        (doubt, Some(scale)) => {
            if let Some(doubt) = doubt {
                *out += &format!("# {}\n", printable::printable(doubt));
            }
            *out += &format!("scale = {scale}\n");
        }
        (Some(doubt), None) => {
            // The doubt names the factor that would settle it, if there is one.
            let named = doubt.split_once("`scale = ");
            let scale = named.and_then(|(_, rest)| Some(rest.split_once('`')?.0));
            *out += &format!(
                "# {}\n# scale = {}\n",
                printable::printable(doubt),
                scale.unwrap_or("0.001")
            );
        }
        (None, None) => {}
    }
    if obstacle.own_unit {
        *out += "# no scale: files of this kind state their own unit\n";
    }
    *out += "# pose = { xyz = [0, 0, 0], rpy = [0, 0, 0] }   # its frame in the world\n";
}

fn write_allowance(pair: &Overlap, programs: usize, out: &mut String) {
    let facts = facts(pair, programs);
    comment(
        &format!(
            "{} and {} touch {facts}. Only if they are meant to:",
            pair.a, pair.b
        ),
        out,
    );
    // In an allowance * stands for any text: it would allow more than this pair.
    if [&pair.a, &pair.b].iter().any(|name| name.contains('*')) {
        *out += "# (no line can be proposed: * stands for any text in [[allow]])\n";
        return;
    }
    *out += &format!(
        "# [[allow]]\n# a = {}\n# b = {}\n# reason = {}\n",
        text(&pair.a),
        text(&pair.b),
        text(&format!("they touch {facts}"))
    );
}

/// When two bodies touch, and how deep they get.
fn facts(pair: &Overlap, programs: usize) -> String {
    let mut when = Vec::new();
    if pair.at_rest {
        when.push("at rest".to_owned());
    }
    if pair.throughout > 0 {
        when.push(if pair.throughout == programs {
            format!("all the time in {}", count(programs, "program"))
        } else {
            format!(
                "all the time in {} of {}",
                pair.throughout,
                count(programs, "program")
            )
        });
    }
    if pair.partly > 0 {
        when.push(format!(
            "for a part of the time in {} of {}",
            pair.partly,
            count(programs, "program")
        ));
    }
    let deep = match pair.depth {
        Some(depth) if depth > 0.0 => format!(", {} deep or deeper", millimetres_down(depth)),
        // No point of one inside the other was found: that proves nothing.
        Some(_) => ", how deep is not proved: they may cross, or only touch".to_owned(),
        None => ", how deep is not known".to_owned(),
    };
    when.join(" and ") + &deep
}

/// A text of TOML on one line, whatever is in it: what JSON writes as `\u…` TOML does too.
fn text(value: &str) -> String {
    printable::json(serde_json::Value::from(value).to_string())
}

fn comment(said: &str, out: &mut String) {
    *out += &format!("\n# {}\n", printable::printable(said));
}

/// The findings, for people; `file` is the file that was written.
pub fn draft_text(draft: &Draft, file: &str) -> String {
    let mut lines = vec![format!(
        "{file} is written: {}, {}",
        count(draft.robots.len(), "robot"),
        count(draft.obstacles.len(), "obstacle")
    )];
    let mut say = |name: &str, said: String| lines.push(format!("  {name:<10} {said}"));
    about_files(draft, &mut say);
    if draft.visual_as_collision {
        let said = "a cell file cannot say --visual-as-collision: give it to every command again";
        say("option", said.to_owned());
    }
    for link in &draft.visual_only {
        say("unchecked", format!("{link} has <visual> geometry only"));
    }
    about_pairs(draft, &mut say);
    for (program, why) in &draft.unread {
        say("not read", format!("{program}: {why}"));
    }
    if !draft.unread.is_empty() && draft.robots.iter().any(|robot| robot.dialect.is_some()) {
        let said = "[robot.controller] stands in the cell file with its keys: take the # away in front of each, and correct what differs";
        say("controller", said.to_owned());
    }
    printable::page(&lines)
}

/// What became of the given files.
fn about_files(draft: &Draft, say: &mut dyn FnMut(&str, String)) {
    let of_folder = "of a folder only programs are taken; name the file if it is part of the cell";
    let of_robot =
        "it is a mesh of the robot, and checked as a part of it; give meshes of the cell only";
    let folders = draft.not_taken.iter().map(|file| (file, of_folder));
    let own = draft.own_meshes.iter().map(|file| (file, of_robot));
    let all: Vec<_> = folders.chain(own).collect();
    for (file, why) in all.iter().take(MOST_FILES) {
        say("not taken", format!("{file}: {why}"));
    }
    if let Some(more @ 1..) = all.len().checked_sub(MOST_FILES) {
        say("not taken", format!("{more} more"));
    }
    let kept: Vec<_> = (draft.obstacles.iter())
        .filter(|o| o.is_called_like_own)
        .collect();
    for obstacle in kept.iter().take(MOST_FILES) {
        say(
            "kept",
            format!(
                "{}: a URDF names a mesh that is called alike, but this file is not checked as a part of the robot, so it is the obstacle {}; \
                 take it out of the cell file if it belongs to the robot",
                obstacle.given, obstacle.name
            ),
        );
    }
    if let Some(more @ 1..) = kept.len().checked_sub(MOST_FILES) {
        say("kept", format!("{more} more that are called so"));
    }
    if !draft.obstacles.is_empty() {
        let said = "every mesh became an obstacle; move tools and workpieces to [[attach]]";
        say("obstacles", said.to_owned());
    }
    for obstacle in &draft.obstacles {
        if obstacle.own_unit {
            say(
                "unit",
                format!(
                    "{}: {} states its own unit, no scale is written",
                    obstacle.name, obstacle.mesh
                ),
            );
        }
        if let Some(doubt) = &obstacle.doubt {
            say(
                "unit?",
                match obstacle.scale {
                    Some(scale) => format!("{}: {doubt} (`scale = {scale}`)", obstacle.name),
                    None => format!(
                        "{}: {doubt}; a line for it is in the file, as a comment",
                        obstacle.name
                    ),
                },
            );
        }
    }
}

/// What touches what.
fn about_pairs(draft: &Draft, say: &mut dyn FnMut(&str, String)) {
    let looked = match draft.programs {
        0 => "at the cell at rest".to_owned(),
        n => format!("at the cell at rest and along {}", count(n, "program")),
    };
    let doubted = draft.obstacles.iter().filter(|o| o.doubt.is_some());
    let doubted: Vec<&str> = doubted.map(|o| o.name.as_str()).collect();
    let looked = if doubted.is_empty() {
        looked
    } else {
        format!("{looked}, without {} (its unit first)", doubted.join(", "))
    };
    match (&draft.refused, draft.overlaps.is_empty()) {
        (Some(why), _) => say("open", format!("overlaps were not looked for: {why}")),
        (None, true) => say("looked", format!("{looked}: no pair touches")),
        (None, false) => say("looked", looked),
    }
    for pair in draft.unplaced() {
        let stated = match &pair.unplaced {
            Some(UnstatedPlace::Pose(name)) => {
                format!("`pose` of {name} is not stated yet; place it first")
            }
            _ => "`base` of the two robots is not stated yet; place them first".to_owned(),
        };
        let facts = facts(pair, draft.programs);
        say(
            "overlap",
            format!("{} and {} touch {facts}: {stated}", pair.a, pair.b),
        );
    }
    for pair in draft.proposed() {
        let facts = facts(pair, draft.programs);
        let said = format!(
            "{} and {} touch {facts}: an [[allow]] is proposed, as a comment",
            pair.a, pair.b
        );
        say("overlap", said);
    }
    for pair in draft.met() {
        let facts = facts(pair, draft.programs);
        let said = format!(
            "{} and {} touch {facts}: a finding, nothing is proposed",
            pair.a, pair.b
        );
        say("contact", said);
    }
}
