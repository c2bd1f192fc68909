//! Expressions on several lines.

use super::*;

#[test]
fn an_expression_goes_on_in_the_next_line() {
    let move_to = |value: &str| {
        let text =
            format!("x = {value}\nif x == 3:\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n");
        short(&known(&text))
    };
    for value in [
        "1 +\n 2",
        "1 + # of them\n\n  2",
        "5 -\n2",
        "-\n-3",
        "3 *\n1",
        "6 /\n 2",
        "7 %\n4",
    ] {
        assert_eq!(move_to(value), ["J1", "J2"], "{value}");
    }
    for condition in [
        "(True and\n True)",
        "True and\n  True",
        "False or\nTrue",
        "False xor\nTrue",
        "not\nFalse",
        "2 >\n1",
        "2 ==\n 2",
    ] {
        let text = format!(
            "def ok():\n  return {condition}\nend\nif ok():\n  movej([1,0,0,0,0,0])\nend\n"
        );
        assert_eq!(short(&known(&text)), ["J1"], "{condition}");
    }
    // A line that begins with an operator is none of a statement that was complete.
    for text in [
        "x = True\nand True\n",
        "x = 1\n- 2\n",
        "x = 1 and\nend\n",
        "x = 1 +\n",
        "x = 1 and\ny = 2\n",
    ] {
        assert!(read_in(&arm(), text).is_err(), "{text}");
    }
}
