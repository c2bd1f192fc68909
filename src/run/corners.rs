//! Corners that the controller may round: where what lies in the hull of one is not proved to be
//! free, the program is not clear.
//!
//! **With events.** A corner is passed while the program's clock is within its zone. What the cell
//! is at some instant of that time it may be anywhere in the hull: the corner is checked in each
//! such phase, with the joints that events move anywhere between their least and their greatest
//! value there. Where something is taken or left within that time, the place at which it happens is
//! not known, and the corner stays open. So does the corner at the first or the last point, of which
//! the program has one move only (`half.rs`).
//!
//! **With other programs.** `other_programs.rs`.

mod half;
mod other_programs;

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::delay::WholeCell;
use clearance_proof::model::{Event, EventChange, Phase};
use clearance_proof::motion::programmed::{Corner, MovedJoint};

use half::{PlacedInHalf, placed_in_halves, placed_within};
use other_programs::OtherPrograms;

use super::Settings;
use super::motion::{Motion, ProgramPart};
use super::scenes::Scenes;
use crate::findings::{Contact, ContactKind, Verdict};

/// Into how many strips a corner is cut, until all are proved: first with little work for each,
/// which mostly does, in less time than more work for wide strips takes.
const AT_ONCE: [usize; 4] = [4, 16, 64, 128];
/// And then with more work; all strips of a hull share it, so that narrow ones have less each.
const THOROUGH: [usize; 5] = [16, 8, 32, 64, 4];
/// What can be done about a corner that is not proved: where the program states the size of its zone,
/// and where half of both moves counts.
const REMEDY: &str = "make its zone smaller, stop there, or leave corners out with --corners exact";
const REMEDY_UNSIZED: &str = "stop there, teach a point on the way so that the moves beside it are shorter, or leave corners out with --corners exact";

/// The setting in which corners are checked.
pub(super) struct CornerSetting<'s> {
    /// The cell without events.
    pub scenes: &'s Scenes<'s>,
    /// The intervals between events; none: nothing happens that changes the cell.
    pub phases: Option<&'s [Phase]>,
    /// Shapes of the cell.
    pub trees: &'s [Vec<Arc<SphereTree>>],
    /// The settings of the check.
    pub settings: &'s Settings,
}

/// A corner that is not proved.
#[derive(Debug, Clone)]
pub(super) enum OpenCorner {
    /// Two bodies may come too near to each other in the hull of a corner; with the number of the
    /// program.
    Possible(Box<Contact>, usize),
    /// It could not be looked at.
    Unknown {
        /// Name of the corner, with its line.
        name: String,
        why: String,
        remedy: String,
        /// When the program enters it.
        from: f64,
    },
}

impl OpenCorner {
    /// Time up to which this corner leaves the motion free.
    fn free_until(&self) -> f64 {
        match self {
            OpenCorner::Possible(contact, _) => contact.free_until,
            OpenCorner::Unknown { from, .. } => *from,
        }
    }
}

/// The corners of a motion that are not proved to be free everywhere, in their order.
pub(super) fn open_corners(motion: &Motion, setting: &CornerSetting) -> Vec<OpenCorner> {
    let mut others = OtherPrograms::of(motion);
    let corners = motion.parts.iter().enumerate().flat_map(|(k, part)| {
        let for_cell = part.moves.iter();
        for_cell
            .flat_map(|for_cell| &for_cell.corners)
            .map(move |corner| (k, corner))
    });
    // Where nothing else moves, a corner that is passed again is what it was.
    let alone = motion.timeline.events.is_empty() && motion.parts.len() == 1;
    let known = &setting.scenes.known_corners;
    let mut open = Vec::new();
    for (k, corner) in corners {
        let [before, tip, after] = times(corner, &motion.parts[k]);
        let answer = known.answer(corner).filter(|_| alone);
        let why = match answer {
            Some(answer) => answer.map(WhyOpen::Contact),
            None => {
                let why = why_open(k, corner, &mut others, [before, after], setting);
                match &why {
                    None if alone => known.add(corner, None),
                    Some(WhyOpen::Contact(contact)) if alone => {
                        known.add(corner, Some(contact.clone()));
                    }
                    // What could not be looked at may be another time.
                    _ => {}
                }
                why
            }
        };
        match why {
            None => {}
            Some(WhyOpen::Contact(contact)) => {
                let contact = Contact {
                    kind: ContactKind::Possible,
                    in_corner: true,
                    time: tip,
                    free_until: before,
                    until: Some(after),
                    segment: corner.tip.saturating_sub(1),
                    fraction: 1.0,
                    exact_time: None,
                    feature: None,
                    ..*contact
                };
                open.push(OpenCorner::Possible(Box::new(contact), k));
            }
            Some(WhyOpen::Unknown(why)) => open.push(OpenCorner::Unknown {
                name: name(motion, k, corner.tip),
                why,
                remedy: if corner.sized { REMEDY } else { REMEDY_UNSIZED }.to_owned(),
                from: before,
            }),
            Some(WhyOpen::Placed(event)) => open.push(OpenCorner::Unknown {
                name: name(motion, k, corner.tip),
                why: not_placed(event),
                remedy: remedy_of_placed(event, false),
                from: before,
            }),
        }
    }
    let halves = placed_in_halves(motion).into_iter();
    open.extend(halves.map(|placed| open_half(motion, &placed)));
    open.sort_by(|a, b| a.free_until().total_cmp(&b.free_until()));
    open
}

/// The corner at this end of a move, as the user finds it in the file.
fn name(motion: &Motion, part: usize, tip: usize) -> String {
    let of = match &motion.parts[..] {
        [_] => String::new(),
        parts => format!(" of {}", parts[part].program.source.display()),
    };
    let ends = motion.parts[part].moves.as_ref().map(|m| &m.ends);
    let end = ends.and_then(|ends| ends.get(tip));
    let own = motion.parts[part].program.source.display().to_string();
    // It may be a line of another file: of a routine that is called, or what the moves were made from.
    let line = end.and_then(|end| {
        let line = end.place.line?;
        Some(match &end.place.file {
            file if *file == own => format!("line {line}"),
            file => format!("{file}:{line}"),
        })
    });
    let label = end.map_or("", |end| end.label.as_str());
    let place = match (label, line) {
        ("", Some(line)) => line,
        ("", None) => format!("waypoint {}", tip + 1),
        (label, Some(line)) => format!("`{label}` ({line})"),
        (label, None) => format!("`{label}`"),
    };
    format!("{place}{of}")
}

/// A corner at the first or the last point in which something is taken or left.
fn open_half(motion: &Motion, placed: &PlacedInHalf) -> OpenCorner {
    OpenCorner::Unknown {
        name: name(motion, placed.part, placed.tip),
        why: not_placed(placed.event),
        remedy: remedy_of_placed(placed.event, placed.first),
        from: placed.times[0],
    }
}

fn not_placed(event: &Event) -> String {
    format!(
        "{}:{} takes or leaves something within it, and where the tool then is is not known",
        event.file.display(),
        event.line
    )
}

/// What can be done where an event takes or leaves something in a corner; `first`: in that at the
/// first point.
fn remedy_of_placed(event: &Event, first: bool) -> String {
    let pose = match event.change {
        EventChange::Attach { .. } => ", state the `pose` of what is taken",
        _ => "",
    };
    let start = if first {
        ", say by `start` that the arm begins there if it does"
    } else {
        ""
    };
    format!(
        "make its zone smaller, stop there{pose}{start}, or leave corners out with --corners exact"
    )
}

/// When a program is at the begin, the tip and the end of one of its corners, on the clock of the
/// motion.
fn times(corner: &Corner, part: &ProgramPart) -> [f64; 3] {
    let waypoints = &part.program.waypoints;
    let at = |k: usize| {
        let waypoint = waypoints.get(k).or(waypoints.last());
        part.named.offset_s + waypoint.map_or(0.0, |w| w.time)
    };
    let tip = at(corner.tip);
    let [before, last, after] =
        [corner.tip.saturating_sub(1), corner.next, corner.next + 1].map(at);
    let [to, from] = corner.shares;
    [tip - to * (tip - before), tip, last + from * (after - last)]
}

/// Remarks about corners beside what the check's result takes in.
#[derive(Debug, Default)]
pub(super) struct CornerRemarks {
    /// About those that could not be looked at.
    pub left_open: Option<String>,
    /// The program whose corner is now the first contact.
    pub first_of: Option<usize>,
}

/// Adds contacts and remarks of corners to the result of the motion through the taught points.
///
/// `possible` says that this motion is proved clear: where it is not, its verdict and its contact
/// are told. Whatever is told, all is free only until the first corner that is open.
pub(super) fn add_to_result(
    open: &[OpenCorner],
    all: bool,
    found: &mut CheckResult,
) -> CornerRemarks {
    let mut unknown = Vec::new();
    let mut remarks = CornerRemarks::default();
    for corner in open {
        match corner {
            OpenCorner::Possible(contact, which) => {
                found.verdict = Verdict::of_parts(found.verdict, Verdict::Possible);
                let first = found.first_contact.as_ref();
                let earlier =
                    first.is_none_or(|f| f.kind == ContactKind::Possible && contact.time < f.time);
                if earlier {
                    found.first_contact = Some((**contact).clone());
                    remarks.first_of = Some(*which);
                }
                if all {
                    found.contacts.push((**contact).clone());
                }
            }
            OpenCorner::Unknown {
                name, why, remedy, ..
            } => unknown.push((name, why, remedy)),
        }
    }
    if let Some(first) = &mut found.first_contact {
        let free = open.iter().map(OpenCorner::free_until);
        first.free_until = free.fold(first.free_until, f64::min);
    }
    found.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
    let Some((name, why, remedy)) = unknown.first() else {
        return remarks;
    };
    found.verdict = found.verdict.max(Verdict::Undecided);
    let more = match unknown.len() {
        1 => String::new(),
        n => format!(" ({} more corners likewise)", n - 1),
    };
    remarks.left_open = Some(format!(
        "the rounded corner at {name} is not proved: {why}{more}; {remedy}"
    ));
    remarks
}

/// Why a corner is open.
enum WhyOpen<'m> {
    Contact(Box<Contact>),
    Unknown(String),
    /// Something is taken or left in it.
    Placed(&'m Event),
}

impl WhyOpen<'_> {
    fn given_up() -> Self {
        WhyOpen::Unknown("it was given up before it was proved".to_owned())
    }
}

fn why_open<'m>(
    which: usize,
    corner: &Corner,
    others: &mut OtherPrograms<'m>,
    [from, to]: [f64; 2],
    setting: &CornerSetting,
) -> Option<WhyOpen<'m>> {
    let motion = others.motion;
    if setting.scenes.contact.time_limit.is_exceeded() {
        return Some(WhyOpen::given_up());
    }
    if let Some(event) = placed_within(motion, [from, to]) {
        return Some(WhyOpen::Placed(event));
    }
    let mut moved = motion.moved_by_events([from, to]);
    moved.extend(others.standing(which));
    let mut passed = Passed {
        which,
        corner,
        moved,
        others,
    };
    let Some(phases) = setting.phases else {
        return passed.open_in(&setting.scenes.for_contacts(), setting);
    };
    let meets = |phase: &&Phase| {
        let [begin, end] = phase.times();
        begin <= to && from <= end
    };
    phases.iter().filter(meets).find_map(|phase| {
        let scenes = setting
            .scenes
            .of_phase(phase, setting.trees, setting.settings);
        passed.open_in(&scenes.for_contacts(), setting)
    })
}

/// A corner that is passed.
struct Passed<'p, 'm> {
    /// Its program, among those of the motion.
    which: usize,
    corner: &'p Corner,
    /// Joints that something else moves, or that other programs have where they start.
    moved: Vec<MovedJoint>,
    others: &'p mut OtherPrograms<'m>,
}

impl Passed<'_, '_> {
    fn open_in(&mut self, scenes: &Scenes, setting: &CornerSetting) -> Option<WhyOpen<'static>> {
        let options = CheckOptions {
            resolution: setting.settings.resolution,
            all: false,
            minimum: false,
            minimum_by_class: false,
            minimum_pairs: None,
        };
        let mut why = None;
        // With more work these would be the same strips.
        let mut made_at_once = Vec::new();
        let at_once = AT_ONCE.map(|count| (count, true));
        let thorough = THOROUGH.map(|count| (count, false));
        for (count, at_once) in at_once.into_iter().chain(thorough) {
            if made_at_once.contains(&count) {
                continue;
            }
            let strips = if at_once {
                self.corner.strips_at_once(count, &self.moved)
            } else {
                self.corner.strips(count, &self.moved)
            };
            let strips = match strips {
                Ok(strips) => strips,
                Err(reason) => {
                    // What other strips have shown says more.
                    why.get_or_insert_with(|| WhyOpen::Unknown(reason.to_string()));
                    continue;
                }
            };
            if at_once {
                made_at_once.push(count);
            }
            let mut all = true;
            for strip in &strips {
                let found = match scenes.check(strip, &options, &|_| ()) {
                    Ok(found) => found.result,
                    Err(error) => return Some(WhyOpen::Unknown(error.to_string())),
                };
                if found.verdict == Verdict::Clear {
                    continue;
                }
                let touches = found.verdict == Verdict::Collision;
                // Time ran out before this strip was proved: it may still be free.
                let late = setting.scenes.contact.time_limit.was_exceeded() && !touches;
                why = Some(match found.first_contact {
                    Some(contact) if !found.given_up && !late => {
                        WhyOpen::Contact(Box::new(contact))
                    }
                    _ => WhyOpen::given_up(),
                });
                if touches || late {
                    return why;
                }
                all = false;
                break;
            }
            if all {
                let whole = WholeCell {
                    scene: &scenes.contact,
                    trees: setting.trees,
                    clearance: setting.settings.clearance,
                };
                let resolution = setting.settings.resolution;
                let met = (self.others).met(self.which, &strips, count, &whole, resolution);
                why = match met {
                    Ok(None) => return None,
                    Ok(Some(contact)) => Some(WhyOpen::Contact(Box::new(contact))),
                    Err(reason) => Some(WhyOpen::Unknown(reason)),
                };
            }
        }
        why.or_else(|| Some(WhyOpen::Unknown("it could not be looked at".to_owned())))
    }
}
