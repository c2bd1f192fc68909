//! Expressions in `${…}`.

use super::*;

/// `${expression}` as an attribute.
fn value(expression: &str) -> Result<String, String> {
    let escaped = expression
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    let text = expand(&format!("<a v=\"${{{escaped}}}\"/>")).map_err(|e| e.to_string())?;
    let text = text.trim_start_matches("<a v=\"").trim_end_matches("\"/>");
    Ok(text.replace("&quot;", "\"").replace("&gt;", ">"))
}

/// Each as the `xacro` of Python writes it; those in the first lines are computed otherwise by
/// other expanders.
#[test]
fn expressions_have_the_values_of_python() {
    for (expression, expected) in [
        ("-2**2", "-4"),
        ("1 < 2 < 2", "False"),
        ("round(2.5)", "2"),
        ("3*1.0", "3.0"),
        ("1 == 1", "True"),
        ("2**3**2", "512"),
        ("7//2", "3"),
        ("-7//2", "-4"),
        ("-7%3", "2"),
        ("-7.5%2", "0.5"),
        ("7/2", "3.5"),
        ("4/2", "2.0"),
        ("2**-1", "0.5"),
        ("0.1+0.2", "0.30000000000000004"),
        ("1e-7*1", "1e-07"),
        ("10**20", "100000000000000000000"),
        ("'a' + 'b'", "ab"),
        ("'ab'*2", "abab"),
        (
            "'%03d|%5.2f|%s|%d%%' % (5, 3.14159, 'x', -2)",
            "005| 3.14|x|-2%",
        ),
        ("'%02d' % -3", "-3"),
        ("1 in [1, 2]", "True"),
        ("3 not in [1, 2]", "True"),
        ("'b' in 'abc'", "True"),
        ("0 or 3", "3"),
        ("2 and 5", "5"),
        ("not 0 and True", "True"),
        ("None is None", "True"),
        ("1 if 0.2 > 0.5 else 'no'", "no"),
        ("[x*2 for x in [1, 2, 3] if x > 1]", "[4, 6]"),
        (
            "[a + b for a, b in python.zip([1, 2], [10, 20])]",
            "[11, 22]",
        ),
        ("'abcdef'[1:3]", "bc"),
        ("'abcdef'[-1]", "f"),
        ("len('abc')", "3"),
        ("str(3) + 'x'", "3x"),
        ("int('7') + int(7.9)", "14"),
        ("float('1e3')", "1000.0"),
        ("max(1, 2.5, 2)", "2.5"),
        ("min([3, 1, 2])", "1"),
        ("range(3)", "[0, 1, 2]"),
        ("math.atan2(1, 1)", "0.7853981633974483"),
        ("radians(90)", "1.5707963267948966"),
        ("degrees(pi)", "180.0"),
        ("sin(pi/6)", "0.49999999999999994"),
        ("floor(-1.5)", "-2"),
        ("ceil(1.2)", "2"),
        ("hypot(3, 4)", "5.0"),
        ("round(1.005, 2)", "1.0"),
        ("'A b'.lower().split()", "['a', 'b']"),
        ("'-'.join(['x', 'y'])", "x-y"),
        ("dict(a=1)['a']", "1"),
        ("(1, 2)[0]", "1"),
        ("True + 1", "2"),
        ("xacro.abs_filename('/a/b')", "/a/b"),
        ("xacro.tokenize('a, b;c')", "['a', 'b', 'c']"),
        (".5 + 1.", "1.5"),
        ("\"it's\"", "it's"),
    ] {
        assert_eq!(value(expression).as_deref(), Ok(expected), "{expression}");
    }
}

/// Python fails in the first ones, too; the others are known to it, and not computed here.
#[test]
fn what_cannot_be_evaluated_is_named_with_its_line() {
    for (expression, said) in [
        ("None + 5", "`+` between None and an int"),
        ("1 + 'a'", "`+` between an int and a text"),
        ("1/0", "a division by zero"),
        ("nope + 1", "unknown name `nope`"),
        ("'5' < 6", "have no order"),
        ("[1][3]", "an index 3 of 1 elements"),
        ("(1", "expected `)`"),
        ("1 +", "something is missing at the end"),
        ("__import__('os')", "the name `__import__`"),
        ("open('/etc/passwd')", "unknown name `open`"),
        ("sqrt(-1)", "has no value here"),
        ("10**1000", "an integer that is too large"),
        ("007", "zeros in front"),
        ("0x10", "a number of another form"),
        ("1_000", "a number of another form"),
        ("lambda x: x", "`lambda` is not known here"),
        ("1 | 2", "the operator `|`"),
        ("f'{1'", "a text with the prefix `f`"),
        (
            "python.sum([0.1, 0.2])",
            "`sum` of other values than integers",
        ),
        ("'a'*10**10", "more work than any robot needs"),
        ("range(10**10)", "more work than any robot needs"),
    ] {
        let error = value(expression).unwrap_err();
        assert!(
            error.contains(said) && error.contains("robot.xacro:2"),
            "{expression}: {error}"
        );
    }
}
