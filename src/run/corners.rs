//! Corners that the controller may round: where what lies in the hull of one is not proved to be free, the program is not clear.
//!
//! **With events.** A corner is passed while the program's clock is within its zone. What the cell is at some instant of that time it may be anywhere in the hull: the corner is checked in each such phase, with the
//! joints that events move anywhere between their least and their greatest value there. Where something is taken or left within
//! that time, the place at which it happens is not known, and the corner stays open.

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::model::{EventChange, Phase};
use clearance_proof::motion::programmed::{Corner, MovedJoint};

use super::Settings;
use super::motion::Motion;
use super::scenes::Scenes;
use crate::findings::{Contact, ContactKind, Verdict};

/// Into how many strips a corner is cut, until all are proved.
const STRIPS: [usize; 5] = [4, 8, 16, 32, 64];

/// What corners are checked in.
pub(super) struct CornerSetting<'s> {
    /// The cell without events.
    pub scenes: &'s Scenes<'s>,
    /// The intervals between events; none: nothing happens that changes the cell.
    pub phases: Option<&'s [Phase]>,
    /// Shapes of the cell.
    pub trees: &'s [Vec<Arc<SphereTree>>],
    /// What is asked.
    pub settings: &'s Settings,
}

/// A corner that is not proved.
#[derive(Debug, Clone)]
pub(super) enum OpenCorner {
    /// Two bodies may come too near to each other in its hull.
    Possible(Box<Contact>),
    /// It could not be looked at: its name with its line, and why.
    Unknown(String, String),
}

/// The corners of a motion that are not proved to be free everywhere, in their order.
pub(super) fn open_corners(motion: &Motion, setting: &CornerSetting) -> Vec<OpenCorner> {
    let offset = motion.parts.first().map_or(0.0, |p| p.named.offset_s);
    let mut open = Vec::new();
    for corner in motion.corners() {
        let tip = corner.station as f64 + offset;
        let [before, after] = [tip - corner.shares[0], tip + corner.shares[1]];
        match why_open(corner, motion, [before, after], setting) {
            None => {}
            Some(Why::Contact(contact)) => {
                open.push(OpenCorner::Possible(Box::new(Contact {
                    kind: ContactKind::Possible,
                    in_corner: true,
                    time: tip,
                    free_until: before,
                    until: Some(after),
                    segment: corner.station.saturating_sub(1),
                    fraction: 1.0,
                    exact_time: None,
                    feature: None,
                    ..*contact
                })));
            }
            Some(Why::Unknown(why)) => {
                let line = corner
                    .place
                    .line
                    .map_or(String::new(), |l| format!(" (line {l})"));
                open.push(OpenCorner::Unknown(
                    format!("`{}`{line}", corner.label),
                    why,
                ));
            }
        }
    }
    open
}

/// Puts what was found in corners to what was found on the way through the taught points. Returns a sentence about those that
/// could not be looked at.
pub(super) fn tell(open: &[OpenCorner], all: bool, found: &mut CheckResult) -> Option<String> {
    let mut unknown = Vec::new();
    for corner in open {
        match corner {
            OpenCorner::Possible(contact) => {
                found.verdict = found.verdict.max(Verdict::Possible);
                if found.verdict == Verdict::Possible {
                    let first = found.first_contact.as_ref();
                    // What is not told apart only is not worse.
                    if first
                        .is_none_or(|f| f.kind != ContactKind::Possible || contact.time < f.time)
                    {
                        found.first_contact = Some((**contact).clone());
                    }
                }
                if all {
                    found.contacts.push((**contact).clone());
                }
            }
            OpenCorner::Unknown(name, why) => unknown.push((name, why)),
        }
    }
    found.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
    let (name, why) = unknown.first()?;
    found.verdict = found.verdict.max(Verdict::Undecided);
    let more = match unknown.len() {
        1 => String::new(),
        n => format!(" ({} more corners likewise)", n - 1),
    };
    Some(format!(
        "the rounded corner at {name} is not proved: {why}{more}; make its zone smaller, stop there, or leave corners out with \
         --corners exact",
    ))
}

/// Why a corner is open.
enum Why {
    Contact(Box<Contact>),
    Unknown(String),
}

fn why_open(
    corner: &Corner,
    motion: &Motion,
    [from, to]: [f64; 2],
    setting: &CornerSetting,
) -> Option<Why> {
    let within = |time: f64| (from..=to).contains(&time);
    let placed = motion.timeline.events.iter().find(|event| {
        let places = matches!(
            event.change,
            EventChange::Attach {
                link_from_body: None,
                ..
            } | EventChange::Release { .. }
        );
        places && within(event.time)
    });
    if let Some(event) = placed {
        return Some(Why::Unknown(format!(
            "{}:{} takes or leaves something within it, and where the tool then is is not known",
            event.file.display(),
            event.line
        )));
    }
    let moved = motion.moved_by_events([from, to]);
    let Some(phases) = setting.phases else {
        return open_in(corner, &moved, &setting.scenes.for_contacts(), setting);
    };
    let meets = |phase: &&Phase| {
        let [begin, end] = phase.times();
        begin <= to && from <= end
    };
    phases.iter().filter(meets).find_map(|phase| {
        let scenes = setting
            .scenes
            .of_phase(phase, setting.trees, setting.settings);
        open_in(corner, &moved, &scenes.for_contacts(), setting)
    })
}

fn open_in(
    corner: &Corner,
    moved: &[MovedJoint],
    scenes: &Scenes,
    setting: &CornerSetting,
) -> Option<Why> {
    let options = CheckOptions {
        resolution: setting.settings.resolution,
        all: false,
        minimum: false,
        minimum_pairs: None,
    };
    let mut why = None;
    for count in STRIPS {
        // Wide strips leave joint values uncertain; narrower ones may not.
        let strips = match corner.strips(count, moved) {
            Ok(strips) => strips,
            Err(reason) => {
                why = Some(Why::Unknown(reason.to_string()));
                continue;
            }
        };
        let mut all = true;
        for strip in &strips {
            let found = match scenes.check(&strip.path, &options, &|_| ()) {
                Ok(found) => found.result,
                Err(error) => return Some(Why::Unknown(error.to_string())),
            };
            if found.verdict == Verdict::Clear {
                continue;
            }
            let touches = found.verdict == Verdict::Collision;
            why = Some(match found.first_contact {
                Some(contact) if !found.given_up => Why::Contact(Box::new(contact)),
                _ => Why::Unknown("it was given up before it was proved".to_owned()),
            });
            if touches {
                return why;
            }
            all = false;
            break;
        }
        if all {
            return None;
        }
    }
    why.or_else(|| Some(Why::Unknown("it could not be looked at".to_owned())))
}
