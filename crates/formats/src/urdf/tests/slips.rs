//! Names of attributes with a slip of the pen.

use clearance_proof::report::{Code, Severity};

use super::{joint, links, load, refused};

/// Regression: attributes with a slip in their name were a note, and what they state was missing.
#[test]
fn slips_in_attributes_leave_the_question_open_where_they_take_an_effect_away() {
    let origin = |origin: &str| links("a b") + &joint("j", "fixed", "a", "b", origin);
    let of_joint = |more: &str| {
        let limit = if more.contains("<limit") {
            ""
        } else {
            "<limit lower='-1' upper='1' velocity='1'/>"
        };
        links("a b c")
            + "<joint name='i' type='continuous'><parent link='a'/><child link='b'/><limit velocity='1'/></joint>"
            + &format!(
                "<joint name='j' type='revolute'><parent link='a'/><child link='c'/>{limit}{more}</joint>"
            )
    };
    let open = Some(Severity::Open);
    let note = Some(Severity::Note);
    for (body, meant, expected) in [
        (origin("<origin ryp='0 0 1'/>"), "rpy", open),
        (origin("<origin xzy='0 0 1' rpy='0 0 1'/>"), "xyz", open),
        (origin("<origin XYZ='0 0 1'/>"), "xyz", open),
        (
            of_joint("<mimic joint='i' multipler='-1'/>"),
            "multiplier",
            open,
        ),
        (of_joint("<mimic joint='i' ofset='0.5'/>"), "offset", open),
        (
            of_joint("<limit lower='-1' uper='1' velocity='1'/>"),
            "upper",
            open,
        ),
        // Words of other formats.
        (origin("<origin xyz='0 0 1' quat='0 1 0 0'/>"), "rpy", open),
        (origin("<origin rotation='0 0 1'/>"), "rpy", open),
        (origin("<origin position='0 0 1'/>"), "xyz", open),
        (
            of_joint("<mimic joint='i' factor='-2'/>"),
            "multiplier",
            open,
        ),
        (origin("<origin xyz='0 0 1' quat='1 0 0 0'/>"), "rpy", note),
        (
            origin("<origin xyz='0 0 1' position='0 0 0'/>"),
            "xyz",
            note,
        ),
        // Files that have these are in use: nothing is missing, or it is stated besides.
        (origin("<origin ryp='0 0 0' xyz='0 0 1'/>"), "rpy", note),
        (origin("<origin ryp='0 0 1' rpy='0 0 0.5'/>"), "rpy", note),
        (
            of_joint("<mimic joint='i' multipler='1'/>"),
            "multiplier",
            note,
        ),
        (
            of_joint("<limit lower='-1' upper='1' velocity='1' efort='9'/>"),
            "effort",
            note,
        ),
        // No near miss.
        (origin("<origin frame='base'/>"), "", None),
    ] {
        let cell = load(&body).unwrap();
        let said = cell.notices.iter().chain(&cell.notes);
        let said: Vec<_> = said.filter(|d| d.code == Code::MisspeltAttribute).collect();
        assert_eq!(
            said.first().map(|d| d.severity),
            expected,
            "{body}: {said:?}"
        );
        for said in said {
            let remedy = format!("did you mean `{meant}`?");
            assert!(said.message.contains(&remedy), "{said:?}");
        }
    }
    // An axis, or a file, that is missing is refused.
    refused(&of_joint("<axis xzy='0 0 1'/>"), 2, "`<axis>` has no `xyz`");
}
