//! What other readers than that of xacro take for something else.

use super::*;

/// property another value is another one.
#[test]
fn files_of_a_pattern_come_in_the_order_of_their_names_as_texts() {
    let part = |v: u8| format!("<robot {NS}><xacro:property name='v' value='{v}'/></robot>");
    let dir = folder(
        "<xacro:include filename='parts*/a.xacro'/><x v='${v}'/>",
        &[
            ("parts/a.xacro", &part(1)),
            ("parts-left/a.xacro", &part(2)),
        ],
    );
    let opened = expand_in(dir.path(), &[]).unwrap();
    // `-` comes before `/`.
    assert_eq!(inside(&opened), "<x v=\"1\"/>");
}
