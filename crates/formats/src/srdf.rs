//! SRDF: which pairs of links may touch, and named states.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use clearance_proof::model::{Allowance, AllowedBy, JointId, Role};
use clearance_proof::report::{Code, Diagnostic, Severity};

use super::loaded::{LoadedCell, NamedState, StaleAllowance};
use super::names::qualified;
use super::xacro::Opened;
use super::xml::unexpanded::SRDF_ELEMENTS;
use super::xml::{Element, XmlText};
use super::{ImportError, Problem};
use crate::notes::{note, note_at};

/// Pairs that `<disable_default_collisions>` may switch off in one robot: all of 1400 links, ten
/// times what robots have.
const MOST_DEFAULTS: usize = 1_000_000;

/// Reads the SRDF of a robot that is in the cell already.
pub(crate) fn read(
    opened: &Opened,
    loaded: &mut LoadedCell,
    robot: usize,
) -> Result<(), ImportError> {
    loaded.files.extend(opened.files.iter().cloned());
    loaded.cell.notes.extend(opened.missing_notes());
    from_xml(&opened.xml, loaded, robot)
}

/// Reads an SRDF about a robot of a cell (its index in [`LoadedCell::robots`]): allowed pairs and
/// states are added to the cell. `file` stands in errors.
///
/// # Errors
/// When the bytes are no SRDF, or have a value that makes no sense.
pub fn parse(
    file: &Path,
    bytes: &[u8],
    loaded: &mut LoadedCell,
    robot: usize,
) -> Result<(), ImportError> {
    from_xml(&XmlText::new(file, bytes.to_vec())?, loaded, robot)
}

fn from_xml(xml: &XmlText, loaded: &mut LoadedCell, robot: usize) -> Result<(), ImportError> {
    let document = xml.parse()?;
    let root = Element::root(xml, &document, "robot")?;
    let has = |names: &[&str]| root.children().any(|child| names.contains(&child.name()));
    if has(&["link", "joint"]) && !has(&SRDF_ELEMENTS) {
        return Err(root.error(Problem::Syntax {
            cause: "this is a URDF, and an SRDF is wanted here".into(),
            remedy: "name the SRDF of the robot, or leave it out".into(),
        }));
    }
    root.refuse_misspelt(&SRDF_ELEMENTS)?;
    of_this_robot(&root, loaded, robot);
    let mut reader = Reader {
        file: xml.file(),
        prefix: loaded.cell.robots[robot].name.clone(),
        links: loaded
            .cell
            .bodies
            .iter()
            .filter(|b| b.role == Role::Link { robot })
            .map(|b| b.name.clone())
            .collect(),
        stale: HashSet::new(),
        loaded,
    };
    reader.collisions(&root)?;
    reader.tips(&root, robot);
    reader.states(&root, robot)
}

/// Says so where the SRDF names another robot than the URDF: links of many arms have the same names,
/// and their allowances would count here.
fn of_this_robot(root: &Element, loaded: &mut LoadedCell, robot: usize) {
    let of_urdf = &loaded.robots[robot].urdf_name;
    let Some(named) = root.attribute("name").filter(|name| name != of_urdf) else {
        return;
    };
    if named.is_empty() || of_urdf.is_empty() {
        return;
    }
    let message = format!(
        "this SRDF is of the robot `{named}`, and the URDF is of `{of_urdf}`: pairs that it disables may be those of another arm"
    );
    let place = root.place();
    loaded.cell.notices.push(Diagnostic {
        subject: place.to_string(),
        place: Some(place),
        message,
        severity: Severity::Notice,
        code: Code::OtherRobot,
    });
}

struct Reader<'a> {
    file: &'a Path,
    prefix: String,
    links: BTreeSet<String>,
    /// Names already reported: a stale link stands in many lines.
    stale: HashSet<String>,
    loaded: &'a mut LoadedCell,
}

impl Reader<'_> {
    fn collisions(&mut self, root: &Element) -> Result<(), ImportError> {
        let mut disabled = Vec::new();
        for element in root.all("disable_collisions") {
            self.misspelt(&element, &["link1", "link2", "reason"]);
            let reason = element.attribute("reason").unwrap_or_default();
            match self.pair(&element)? {
                Some(pair) => disabled.push((pair, reason.to_owned())),
                None => self.stale_pair(&element, reason)?,
            }
        }
        let mut enabled = HashSet::new();
        for element in root.all("enable_collisions") {
            self.misspelt(&element, &["link1", "link2", "reason"]);
            if let Some((a, b)) = self.pair(&element)? {
                self.loaded.cell.enabled.push([a.clone(), b.clone()]);
                let is_meant = |(pair, _): &((String, String), String)| {
                    *pair == (a.clone(), b.clone()) || *pair == (b.clone(), a.clone())
                };
                if disabled.iter().any(is_meant) {
                    let place = element.place();
                    self.loaded.cell.notices.push(Diagnostic {
                        subject: place.to_string(),
                        message: format!("`{a}` and `{b}` are switched on and off: they are checked; remove one of the lines"),
                        place: Some(place),
                        severity: Severity::Notice,
                        code: Code::StaleName,
                    });
                    disabled.retain(|pair| !is_meant(pair));
                }
                enabled.insert((b.clone(), a.clone()));
                enabled.insert((a, b));
            }
        }
        let (mut off, mut defaults) = (HashSet::new(), 0);
        // Off for a link and every other link of the robot, but for the pairs that are switched on
        // again. Other bodies of the cell are none of the SRDF's business.
        for element in root.all("disable_default_collisions") {
            self.misspelt(&element, &["link"]);
            let Some(a) = self.link(&element, "link")? else {
                continue;
            };
            // A link named twice, and a pair of two links that are both named, stand once.
            if !off.insert(a.clone()) {
                continue;
            }
            for b in self.links.iter().filter(|b| !off.contains(*b)) {
                let pair = (a.clone(), b.clone());
                if enabled.contains(&pair) {
                    continue;
                }
                if defaults == MOST_DEFAULTS {
                    return Err(element.error(Problem::Unsupported {
                        what: format!(
                            "an SRDF that switches off more than {MOST_DEFAULTS} pairs by default"
                        ),
                        remedy: "name the pairs that may touch with <disable_collisions>".into(),
                    }));
                }
                defaults += 1;
                disabled.push((pair, "disable_default_collisions".to_owned()));
            }
        }
        let by = AllowedBy::Srdf(self.file.to_owned());
        self.loaded
            .cell
            .allowed
            .extend(disabled.into_iter().map(|((a, b), reason)| Allowance {
                a,
                b,
                reason,
                by: by.clone(),
            }));
        Ok(())
    }

    fn misspelt(&mut self, element: &Element, known: &[&str]) {
        for slip in element.misspelt_attributes(known) {
            self.loaded
                .cell
                .notes
                .push(note_at(Code::MisspeltAttribute, slip.place, slip.message));
        }
    }

    fn pair(&mut self, element: &Element) -> Result<Option<(String, String)>, ImportError> {
        let (a, b) = (self.link(element, "link1")?, self.link(element, "link2")?);
        Ok(a.zip(b))
    }

    /// Keeps a pair of which a link is missing, for those who ask what became of every line.
    fn stale_pair(&mut self, element: &Element, reason: &str) -> Result<(), ImportError> {
        let allowance = Allowance {
            a: qualified(&self.prefix, element.required("link1")?),
            b: qualified(&self.prefix, element.required("link2")?),
            reason: reason.to_owned(),
            by: AllowedBy::Srdf(self.file.to_owned()),
        };
        let names = [&allowance.a, &allowance.b].into_iter();
        let missing = names
            .filter(|n| !self.links.contains(*n))
            .cloned()
            .collect();
        self.loaded.stale.push(StaleAllowance {
            allowance,
            line: element.place().line.unwrap_or(0),
            missing,
        });
        Ok(())
    }

    /// Body name of a link that the URDF has.
    fn link(&mut self, element: &Element, attribute: &str) -> Result<Option<String>, ImportError> {
        let link = element.required(attribute)?;
        let name = qualified(&self.prefix, link);
        if self.links.contains(&name) {
            return Ok(Some(name));
        }
        self.report(element, "link", link);
        Ok(None)
    }

    fn report(&mut self, element: &Element, what: &str, name: &str) {
        if self.stale.insert(format!("{what} {name}")) {
            let why = format!(
                "stale name: the urdf has no {what} `{name}`; what is said about it is ignored"
            );
            let said = note(Code::StaleName, self.place_line(element), why);
            self.loaded.cell.notes.push(said.at(element.place()));
        }
    }

    /// File and line of an element.
    fn place_line(&self, element: &Element) -> String {
        let place = element.place();
        format!("{}:{}", place.file, place.line.unwrap_or(0))
    }

    /// Where planning groups end. Which of two groups of one name is meant is not told.
    fn tips(&mut self, root: &Element, robot: usize) {
        let mut ends: HashMap<String, Vec<Option<String>>> = HashMap::new();
        for group in root.all("group") {
            let parts: Vec<Element> = group.children().collect();
            let tip = match &parts[..] {
                [chain] if chain.name() == "chain" => chain.attribute("tip_link"),
                _ => None,
            };
            let name = group.attribute("name").unwrap_or_default();
            let of_name = ends.entry(name.to_owned()).or_default();
            of_name.push(tip.map(str::to_owned));
        }
        let tips = &mut self.loaded.robots[robot].tips;
        for (name, mut ends) in ends {
            if let (Some(Some(tip)), true) = (ends.pop(), ends.is_empty()) {
                tips.insert(name, tip);
            }
        }
    }

    fn states(&mut self, root: &Element, robot: usize) -> Result<(), ImportError> {
        // Virtual joints tie the robot to the world: no joint of the URDF, and their state is not a
        // joint value.
        let virtual_joints: HashSet<&str> = root
            .all("virtual_joint")
            .filter_map(|j| j.attribute("name"))
            .collect();
        let joints = self.loaded.cell.joints.iter().enumerate();
        let by_name: HashMap<String, JointId> = joints
            .filter(|(_, j)| j.robot == robot)
            .map(|(id, j)| (j.name.clone(), id))
            .collect();
        for element in root.all("group_state") {
            let mut given: HashSet<JointId> = HashSet::new();
            element.refuse_misspelt(&["joint"])?;
            self.misspelt(&element, &["name", "group"]);
            let mut state = NamedState {
                group: element.required("group")?.to_owned(),
                name: element.required("name")?.to_owned(),
                values: Vec::new(),
                followers: Vec::new(),
                unknown: Vec::new(),
            };
            for joint in element.all("joint") {
                self.misspelt(&joint, &["name", "value"]);
                let name = joint.required("name")?;
                match by_name.get(name).copied() {
                    None if virtual_joints.contains(name) => {}
                    Some(id) if !given.insert(id) => {
                        return Err(joint.error(Problem::Syntax {
                            cause: format!("joint `{name}` stands twice in state `{}`", state.name),
                            remedy: "keep one of them".into(),
                        }));
                    }
                    Some(id) => {
                        let value = (id, joint.required_number("value")?);
                        match self.loaded.cell.joints[id].mimic {
                            Some(_) => state.followers.push(value),
                            None => state.values.push(value),
                        }
                    }
                    None => {
                        state.unknown.push(name.to_owned());
                        self.report(&joint, "movable joint", name);
                    }
                }
            }
            self.loaded.robots[robot].states.push(state);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::write;

    use super::*;
    use crate::{LoadOptions, load_robot};
    use clearance_proof::model::Cell;

    fn load(srdf: &str) -> Result<Cell, ImportError> {
        load_whole(srdf).map(|loaded| loaded.cell)
    }

    fn load_whole(srdf: &str) -> Result<LoadedCell, ImportError> {
        let dir = tempfile::tempdir().unwrap();
        let urdf = dir.path().join("r.urdf");
        let file = dir.path().join("r.srdf");
        write(
            &urdf,
            r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
            <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
            <joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"#,
        )
        .unwrap();
        write(&file, srdf).unwrap();
        let options = LoadOptions {
            srdf: Some(file),
            ..LoadOptions::default()
        };
        load_robot(&urdf, &[], &options)
    }

    fn pairs(cell: &Cell) -> Vec<String> {
        cell.allowed
            .iter()
            .map(|p| format!("{}-{}:{}", p.a, p.b, p.reason))
            .collect()
    }

    #[test]
    fn disabled_pairs_and_states() {
        let loaded = load_whole(
            r#"<robot name="r">
            <virtual_joint name="v" type="floating" parent_frame="w" child_link="a"/>
            <group name="g"><chain base_link="a" tip_link="c"/></group>
            <group name="h"><chain base_link="a" tip_link="b"/><link name="c"/></group>
            <group name="i"><joint name="j"/></group>
            <group name="t"><chain base_link="a" tip_link="b"/></group>
            <group name="t"><chain base_link="a" tip_link="c"/></group>
            <group_state name="home" group="g"><joint name="v" value="0 0 0 1"/><joint name="j" value="1.5"/></group_state>
            <disable_collisions link1="a" link2="c" reason="Never"/>
            <disable_collisions link1="a" link2="gone" reason="Never"/>
            <disable_collisions link1="gone" link2="b"/></robot>"#,
        )
        .unwrap();
        let cell = &loaded.cell;
        assert_eq!(pairs(cell), ["a-c:Never"]);
        assert_eq!(loaded.robots[0].states[0].values, [(0, 1.5)]);
        // Only of a group that is one chain it is said where it ends.
        let tips: Vec<_> = loaded.robots[0].tips.iter().collect();
        assert_eq!(tips, [(&"g".to_owned(), &"c".to_owned())]);
        let stale: Vec<_> = cell
            .notes
            .iter()
            .filter(|n| n.message.contains("stale"))
            .collect();
        assert_eq!(stale.len(), 1, "{stale:?}");
        assert!(stale[0].subject.ends_with("r.srdf:10") && stale[0].message.contains("`gone`"));
        // Whoever asks what became of every pair hears of both lines.
        let pairs: Vec<_> = loaded
            .stale
            .iter()
            .map(|s| (s.line, s.allowance.b.as_str(), s.missing.join(" ")))
            .collect();
        assert_eq!(
            pairs,
            [(10, "gone", "gone".into()), (11, "b", "gone".into())]
        );
    }

    /// Links of many arms have the same names.
    #[test]
    fn an_srdf_of_another_robot_is_told() {
        for (name, told) in [(" name=\"r\"", false), ("", false), (" name=\"s\"", true)] {
            let text = format!(
                "<robot{name}><disable_collisions link1=\"a\" link2=\"c\" reason=\"Never\"/></robot>"
            );
            let cell = load(&text).unwrap();
            assert_eq!(pairs(&cell), ["a-c:Never"]);
            let notices = cell.notices.iter().filter(|n| n.code == Code::OtherRobot);
            let notices: Vec<_> = notices.map(|n| n.message.as_str()).collect();
            assert_eq!(notices.len(), usize::from(told), "{name}: {notices:?}");
            assert!(
                notices
                    .iter()
                    .all(|n| n.contains("`s`") && n.contains("`r`"))
            );
        }
    }

    #[test]
    fn default_off_with_exceptions() {
        let cell = load(
            r#"<robot><disable_default_collisions link="a"/><enable_collisions link1="c" link2="a"/></robot>"#,
        )
        .unwrap();
        assert_eq!(pairs(&cell), ["a-b:disable_default_collisions"]);
    }

    /// Catches a line that switches a pair on and does nothing: neighbours, and one that another
    /// line switches off.
    #[test]
    fn pairs_that_are_switched_on_are_checked() {
        let on = "<enable_collisions link1='b' link2='a'/><enable_collisions link1='a' link2='c'/>";
        let off = "<disable_collisions link1='a' link2='c' reason='Never'/>";
        let cell = load(&format!("<robot>{on}</robot>")).unwrap();
        assert_eq!(cell.enabled, [["b", "a"], ["a", "c"]]);
        assert_eq!(cell.notices.len(), 0);
        let cell = load(&format!("<robot>{off}{on}</robot>")).unwrap();
        assert_eq!(pairs(&cell), [""; 0]);
        assert!(
            cell.notices[0]
                .message
                .contains("`a` and `c` are switched on and off")
        );
    }

    /// A joint of the URDF that a virtual joint has the name of keeps its value.
    #[test]
    fn a_value_of_a_joint_counts_whatever_else_has_its_name() {
        let loaded = load_whole(
            "<robot><virtual_joint name='j' type='fixed' parent_frame='w' child_link='a'/>\
             <group_state name='s' group='g'><joint name='j' value='1'/><joint name='J' value='2'/></group_state></robot>",
        )
        .unwrap();
        let state = &loaded.robots[0].states[0];
        assert_eq!(
            (&state.values[..], &state.unknown[..]),
            (&[(0, 1.0)][..], &["J".to_owned()][..])
        );
    }

    /// Links × links names from a small file: each pair stands once, and there is a limit.
    #[test]
    fn defaults_are_bounded() {
        let off = |links: &[&str]| {
            let each = |l: &&str| format!("<disable_default_collisions link='{l}'/>");
            format!(
                "<robot>{}</robot>",
                links.iter().map(each).collect::<String>()
            )
        };
        let cell = load(&off(&["c", "a", "c", "a"])).unwrap();
        assert_eq!(pairs(&cell).len(), 3);
        let mut loaded = LoadedCell::of(cell);
        let link = loaded.cell.bodies[0].clone();
        for k in 0..1500 {
            loaded.cell.bodies.push(clearance_proof::model::Body {
                name: format!("more{k}"),
                ..link.clone()
            });
        }
        let names: Vec<String> = (0..1500).map(|k| format!("more{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut parse_off = |links: &[&str]| {
            loaded.cell.allowed.clear();
            parse(Path::new("r.srdf"), off(links).as_bytes(), &mut loaded, 0)
                .map(|()| loaded.cell.allowed.len())
        };
        // Each with all that came after it, and the three links of the URDF.
        assert_eq!(parse_off(&names[..10]).unwrap(), 10 * 1502 - 45);
        let said = parse_off(&names).unwrap_err().to_string();
        assert!(said.contains("more than 1000000 pairs"), "{said}");
    }

    #[test]
    fn errors_say_where() {
        for (srdf, text) in [
            (
                "\n<robot name='r'><link name='a'/></robot>",
                "r.srdf:2:1: this is a URDF, and an SRDF is wanted here; name the SRDF",
            ),
            (
                "<robot>\n<disable_collisions link1='a'/></robot>",
                "r.srdf:2:1: `<disable_collisions>` has no `link2`",
            ),
            (
                "<robot><disable_colisions link1='a' link2='b'/></robot>",
                "did you mean `<disable_collisions>`",
            ),
            (
                "<robot><disable_collisions link1='a' link='b'/></robot>",
                "has no `link2`",
            ),
            (
                "<robot><group_state name='s' group='g'><joint name='j' value='x'/></group_state></robot>",
                "not a number",
            ),
            ("<srdf/>", "expected `<robot>`"),
        ] {
            let error = load(srdf).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}
