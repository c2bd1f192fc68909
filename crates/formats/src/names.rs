//! Names: in full, and the known one that somebody may have meant who wrote an unknown one.

/// `robot/link`, or the bare link of an unnamed robot.
pub(crate) fn qualified(robot: &str, link: &str) -> String {
    if robot.is_empty() {
        link.to_owned()
    } else {
        format!("{robot}/{link}")
    }
}

/// The known name nearest to `name`, when it is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|k| (distance(name, k), k))
        .min_by_key(|&(d, _)| d)
        .filter(|&(d, _)| d <= allowed)
        .map(|(_, k)| k)
}

/// The sentence that helps: the nearest known name, or all of them where none is near.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 40;
    if let Some(near) = nearest(name, known.clone()) {
        return format!("did you mean `{near}`?");
    }
    let all: Vec<&str> = known.into_iter().collect();
    match all.len() {
        0 => "there is none".into(),
        n if n > SHOWN => format!(
            "known are {}, … ({} more)",
            quoted(&all[..SHOWN]),
            n - SHOWN
        ),
        _ => format!("known are {}", quoted(&all)),
    }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|n| format!("`{n}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Edit distance that counts a changed case as nothing and swapped neighbours as one.
/// A prefix that is only missing (`tool0` for `arm/tool0`) counts as one too.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    if b.rsplit('/').next() == Some(a.as_str()) {
        return usize::from(a != b);
    }
    strsim::damerau_levenshtein(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_listed() {
        let known = ["clearance", "resolution", "limits"];
        assert_eq!(nearest("clearence", known), Some("clearance"));
        assert_eq!(nearest("Limits", known), Some("limits"));
        assert_eq!(nearest("speed", known), None);
        assert_eq!(
            nearest("tool0", ["arm/base", "arm/tool0"]),
            Some("arm/tool0")
        );
        assert_eq!(
            suggestion("speed", known),
            "known are `clearance`, `resolution`, `limits`"
        );
        assert_eq!(suggestion("speed", []), "there is none");
    }
}
