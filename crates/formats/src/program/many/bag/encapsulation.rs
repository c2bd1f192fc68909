//! The forms in which DDS writes messages, of which ROS 2 uses plain CDR.

/// The form that the head of a message states, where it is none of plain CDR. The numbers are those
/// of the standards RTPS 2.5 and XTypes 1.3, from 16 on those of XTypes 1.2.
pub(super) fn other_form(message: &[u8]) -> Option<&'static str> {
    match message {
        [0, 2 | 3, _, _, ..] => Some("a list of parameters in CDR (PL_CDR)"),
        [0, 4, _, _, ..] => Some("XML"),
        [0, 6 | 7 | 16 | 17, _, _, ..] => Some("the second form of CDR (XCDR2, PLAIN_CDR2)"),
        [0, 8 | 9 | 20 | 21, _, _, ..] => Some("the second form of CDR (XCDR2, DELIMITED_CDR2)"),
        [0, 10 | 11 | 18 | 19, _, _, ..] => Some("the second form of CDR (XCDR2, PL_CDR2)"),
        _ => None,
    }
}
