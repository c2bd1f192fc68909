//! Small files, each with what the `xacro` of Python makes of it; damaged ones; and real files
//! beside Python's answers.

mod differing;
mod expressions;
mod real;

use std::fs;
use std::path::Path;

use super::*;

const NS: &str = "xmlns:xacro=\"http://www.ros.org/wiki/xacro\"";

/// A folder with `robot.xacro`, whose root element is there already, and other files.
fn folder(robot: &str, others: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let whole = format!("<robot name=\"r\" {NS}>\n{robot}\n</robot>");
    for (name, text) in others
        .iter()
        .copied()
        .chain([("robot.xacro", whole.as_str())])
    {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn expand_in(dir: &Path, given: &[(&str, &str)]) -> Result<Opened, ImportError> {
    let given: Vec<_> = given
        .iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    let mut arguments = Arguments::new(&given);
    let packages = vec![("pkg".to_owned(), dir.join("pkg"))];
    let resolver = Resolver::from_environment(packages);
    let opened = open(&dir.join("robot.xacro"), &mut arguments, &resolver)?;
    opened.xml.parse()?;
    let used = arguments.all_used();
    used.map_err(|problem| ImportError::file(&dir.join("robot.xacro"), problem))?;
    Ok(opened)
}

/// The text inside the root element, lines joined.
fn inside(opened: &Opened) -> String {
    let text = opened.xml.text();
    let from = text.find('>').unwrap() + 1;
    let to = text.rfind("</robot>").unwrap_or(from);
    text[from.min(to)..to].replace('\n', "")
}

fn expand(robot: &str) -> Result<String, ImportError> {
    let dir = folder(robot, &[]);
    expand_in(dir.path(), &[]).map(|opened| inside(&opened))
}

#[test]
fn properties_conditions_and_macros() {
    for (robot, expected) in [
        // Evaluated when they are asked for, where they stand.
        (
            "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='2'/><x v='${a*2}'/>",
            "<x v=\"4\"/>",
        ),
        (
            "<xacro:property name='a' value='1'/><xacro:property name='b' value='${a}' lazy_eval='false'/><xacro:property name='a' value='2'/><x v='${b}'/>",
            "<x v=\"1\"/>",
        ),
        (
            "<xacro:property name='a' value='1'/><xacro:property name='a' default='2'/><xacro:property name='c' default='3'/><x v='${a}${c}'/>",
            "<x v=\"13\"/>",
        ),
        (
            "<xacro:property name='n' value='007'/><x v='$${n} ${n} a$5'/>",
            "<x v=\"${n} 7 a$5\"/>",
        ),
        (
            "<xacro:if value='${1 == 2}'><x/></xacro:if><xacro:unless value='0'><y/></xacro:unless><xacro:if value='true'><z/></xacro:if>",
            "<y/><z/>",
        ),
        // A macro sees the properties of who calls it, and what it sets is gone behind it.
        (
            "<xacro:macro name='m' params='p q:=${p0}_d'><x p='${p}' q='${q}'/><xacro:property name='inner' value='1'/></xacro:macro><xacro:property name='p0' value='z'/><xacro:m p='1.50'/><xacro:m p='a' q='b'/>",
            "<x p=\"1.5\" q=\"z_d\"/><x p=\"a\" q=\"b\"/>",
        ),
        (
            "<xacro:macro name='m' params='k:=^ l:=^|7'><x k='${k}' l='${l}'/></xacro:macro><xacro:property name='k' value='5'/><xacro:m/><xacro:property name='l' value='6'/><xacro:m/>",
            "<x k=\"5\" l=\"7\"/><x k=\"5\" l=\"6\"/>",
        ),
        (
            "<xacro:macro name='m'><xacro:property name='out' value='${1+1}' scope='parent'/></xacro:macro><xacro:m/><x v='${out}'/>",
            "<x v=\"2\"/>",
        ),
        // Blocks: one element, all that is in one, and those of a property.
        (
            "<xacro:macro name='m' params='*one **all'><l><xacro:insert_block name='one'/></l><xacro:insert_block name='all'/></xacro:macro><xacro:m><origin xyz='${1+1} 0 0'/><k><a/><b/></k></xacro:m>",
            "<l><origin xyz=\"2 0 0\"/></l><a/><b/>",
        ),
        (
            "<xacro:property name='o'><origin v='${w}'/></xacro:property><xacro:property name='w' value='3'/><xacro:insert_block name='o'/>",
            "<origin v=\"3\"/>",
        ),
        // Recursion that ends.
        (
            "<xacro:macro name='count' params='n'><x n='${n}'/><xacro:if value='${n > 1}'><xacro:count n='${n - 1}'/></xacro:if></xacro:macro><xacro:count n='3'/>",
            "<x n=\"3\"/><x n=\"2\"/><x n=\"1\"/>",
        ),
        (
            "<xacro:macro name='a'><x/></xacro:macro><xacro:property name='which' value='a'/><xacro:call macro='${which}'/>",
            "<x/>",
        ),
        (
            "<xacro:element xacro:name='${\"li\" + \"nk\"}' name='q'><xacro:attribute name='w' value='${1}'/></xacro:element>",
            "<link name=\"q\" w=\"1\"/>",
        ),
        (
            "<!-- <xacro:nobody/> ${nothing} --><x t='&lt;&amp;&quot;'>a &amp; ${1+1}</x>",
            "<x t=\"&lt;&amp;&quot;\">a &amp; 2</x>",
        ),
    ] {
        assert_eq!(
            expand(robot).map_err(|e| e.to_string()).as_deref(),
            Ok(expected),
            "{robot}"
        );
    }
}

#[test]
fn nothing_is_dropped_in_silence() {
    for (robot, said) in [
        (
            "\n<xacro:hand side='left'/>",
            "unknown macro or element of xacro `<xacro:hand>`",
        ),
        (
            "<xacro:macro name='hand'/>\n<xacro:hnd/>",
            "did you mean `hand`?",
        ),
        (
            "<xacro:macro name='m' params='p'/>\n<xacro:m q='1'/>",
            "unknown parameter `q`",
        ),
        (
            "<xacro:macro name='m' params='p'/>\n<xacro:m/>",
            "wants a value for `p`",
        ),
        (
            "<xacro:macro name='m' params='*b'/>\n<xacro:m/>",
            "wants a block for `*b`",
        ),
        (
            "<xacro:macro name='m'/>\n<xacro:m><x/></xacro:m>",
            "has no use for the block `<x>`",
        ),
        ("\n<xacro:include filename='gone.xacro'/>", "cannot be read"),
        (
            "\n<xacro:include filename='part_*.xacro'/>",
            "no file matches",
        ),
        (
            "\n<xacro:include filename='$(find nobody)/a.xacro'/>",
            "`$(find nobody)` was not found",
        ),
        ("\n<x v='$(eval 1+1)'/>", "`$(eval 1+1)` is not supported"),
        ("\n<x v='$(arg size)'/>", "unknown argument `size`"),
        (
            "\n<x v='$(env CLEARANCE_NO_SUCH)'/>",
            "the environment has no `CLEARANCE_NO_SUCH`",
        ),
        (
            "\n<xacro:if value='maybe'><x/></xacro:if>",
            "it must be true, false, or an integer",
        ),
        (
            "\n<xacro:if value='1.0'><x/></xacro:if>",
            "it must be true, false, or an integer",
        ),
        ("\n<xacro:insert_block name='b'/>", "unknown block `b`"),
        (
            "\n<xacro:property name='a' value='1' scope='parent'/>",
            "stands in no macro",
        ),
        (
            "\n<link xacro:if='0' name='a'/>",
            "the attribute `xacro:if`",
        ),
        (
            "\n<a><xacro:if value='1'><xacro:attribute name='b' value='c'/></xacro:if></a>",
            "does not stand directly",
        ),
        (
            "\n<xacro:property name='a' vaule='1'/>",
            "did you mean `value`?",
        ),
        (
            "\n<xacro:property name='class' value='1'/>",
            "not a name of a property",
        ),
        (
            "\n<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x v='${a}'/>",
            "depends on itself",
        ),
        ("\n<x v='${1'/>", "has no closing `}`"),
        (
            "\n<link name='$${a}'/>",
            "left after expanding: `${a}` in `name`",
        ),
        (
            "\n<x:robot xmlns:x='http://www.ros.org/wiki/xacro'/>",
            "`<x:robot>`, which is xacro's by its namespace",
        ),
    ] {
        let error = expand(robot).unwrap_err().to_string();
        let line = 1 + robot.matches('\n').count();
        assert!(error.contains(said), "{robot}: {error}");
        assert!(
            error.contains(&format!("robot.xacro:{}", line + 1)),
            "{robot}: {error}"
        );
    }
}

/// As makers' files have it: keys that stand twice, arguments in an include, a scope of no meaning.
#[test]
fn what_xacro_passes_over_is_passed_over() {
    let dir = folder(
        "<xacro:include filename='n.xacro'><xacro:arg name='a' value='1'/></xacro:include>\
         <xacro:property name='y' value=\"${xacro.load_yaml('d.yaml')}\"/><x v='${y.a} ${y.b.c} ${len(y)} ${w}'/>",
        &[
            (
                "n.xacro",
                &format!("<robot {NS}><xacro:property name='w' value='4' scope='local'/></robot>"),
            ),
            ("d.yaml", "a: 1\nb: {c: 5, c: 6}\na: 2\n"),
        ],
    );
    let opened = expand_in(dir.path(), &[]).unwrap();
    assert_eq!(inside(&opened), "<x v=\"2 6 2 4\"/>");
}

#[test]
fn files_are_included_from_where_they_stand_and_told() {
    let part =
        format!("<robot {NS}>\n<xacro:include filename='deep/b.xacro'/>\n<x v='${{w}}'/></robot>");
    let named = format!(
        "<robot {NS}><xacro:property name='w' value='9'/><xacro:macro name='m'><y v='${{w}}'/></xacro:macro></robot>"
    );
    let dir = folder(
        "<xacro:include filename='$(find pkg)/a.xacro'/><xacro:include filename='n.xacro' ns='n'/><xacro:n.m/><z v='${n.w}'/>\
         <xacro:include filename='absent.xacro' optional='true'/><xacro:property name='y' value=\"${xacro.load_yaml('d.yaml')}\"/><q v='${y.size[1]} ${y[\"turn\"]} ${y.name}'/>",
        &[
            ("pkg/package.xml", "<package><name>pkg</name></package>"),
            ("pkg/a.xacro", &part),
            (
                "pkg/deep/b.xacro",
                &format!("<robot {NS}><xacro:property name='w' value='4'/></robot>"),
            ),
            ("n.xacro", &named),
            ("d.yaml", "size: [1, 2.5]\nturn: !degrees 90\nname: 'on'\n"),
        ],
    );
    let opened = expand_in(dir.path(), &[]).unwrap();
    assert_eq!(
        inside(&opened),
        "<x v=\"4\"/><y v=\"9\"/><z v=\"9\"/><q v=\"2.5 1.5707963267948966 on\"/>"
    );
    let names: Vec<String> = opened
        .files
        .iter()
        .map(|f| f.strip_prefix(dir.path()).unwrap().display().to_string())
        .collect();
    assert_eq!(
        names,
        [
            "robot.xacro",
            "pkg/a.xacro",
            "pkg/deep/b.xacro",
            "n.xacro",
            "d.yaml"
        ]
    );
    let notes: Vec<String> = opened.missing_notes().map(|n| n.message).collect();
    assert!(
        notes.len() == 1 && notes[0].contains("absent.xacro"),
        "{notes:?}"
    );
    // An element is told where it is written, whoever asks for it.
    let at = opened.xml.text().find("<x ").unwrap();
    let place = opened.xml.place(at);
    assert!(
        place.file.ends_with("pkg/a.xacro") && place.line == Some(3),
        "{place:?}"
    );
}

#[test]
fn arguments_come_before_defaults_and_unknown_ones_are_refused() {
    let dir = folder(
        "<xacro:arg name='side' default='left'/><x v='$(arg side)'/>",
        &[],
    );
    let of = |given: &[(&str, &str)]| expand_in(dir.path(), given);
    assert_eq!(inside(&of(&[]).unwrap()), "<x v=\"left\"/>");
    assert_eq!(
        inside(&of(&[("side", "right")]).unwrap()),
        "<x v=\"right\"/>"
    );
    let error = of(&[("sid", "right")]).unwrap_err().to_string();
    assert!(
        error.contains("unknown xacro argument `sid`; did you mean `side`?"),
        "{error}"
    );
}

#[test]
fn yaml_that_readers_take_differently_is_refused_with_its_line() {
    for (yaml, said) in [
        ("a: 1\nb: 010\n", "the number `010`"),
        ("a: 1\nb: 1e3\n", "the number `1e3`"),
        ("a: 1\nb: 1:30\n", "the value `1:30`"),
        ("a: 1\nb: 1_000\n", "the value `1_000`"),
        ("a: 1\nb: 0x1f\n", "the value `0x1f`"),
        ("a: 1\nb: 0o17\n", "the value `0o17`"),
        ("a: 1\nb: 0b11\n", "the value `0b11`"),
        ("a: 1\nb: -0b1_1\n", "the value `-0b1_1`"),
        ("a: 1\nb: -.5\n", "the number `-.5`"),
        ("a: 1\nb: +.5e+1\n", "the number `+.5e+1`"),
        ("a: 1\nb: 5.e3\n", "the number `5.e3`"),
        ("a: 1\nb: -.inf\n", "the value `-.inf`"),
        ("a: 1\nb: =\n", "the value `=`"),
        ("a: 1\nb: [<<]\n", "the key `<<`"),
        ("a: 1\nb: !unknown 2\n", "the tag `!unknown`"),
        ("a: &x {c: 1}\nb: {<<: *x}\n", "the key `<<`"),
    ] {
        let dir = folder(
            "<xacro:property name='y' value=\"${xacro.load_yaml('d.yaml')}\"/><x v='${y}'/>",
            &[("d.yaml", yaml)],
        );
        let error = expand_in(dir.path(), &[]).unwrap_err().to_string();
        assert!(
            error.contains(said) && error.contains("d.yaml:2"),
            "{yaml}: {error}"
        );
    }
}

/// None of these may take long, fill the memory, or run out of stack.
#[test]
fn bombs_end_with_an_error() {
    let twice = "<xacro:macro name='m' params='n'><xacro:if value='${n > 0}'><xacro:m n='${n-1}'/><xacro:m n='${n-1}'/></xacro:if></xacro:macro>";
    for (robot, said) in [
        (
            format!("{twice}<xacro:m n='40'/>"),
            "more work than any robot needs",
        ),
        (
            "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>".into(),
            "nested more than",
        ),
        (
            "<xacro:include filename='robot.xacro'/>".into(),
            "nested more than",
        ),
        (
            (0..40)
                .map(|i| {
                    format!(
                        "<xacro:property name='p{}' value='${{p{i}}}${{p{i}}}'/>",
                        i + 1
                    )
                })
                .collect::<String>()
                + "<xacro:property name='p0' value='ab'/><x v='${p40}'/>",
            "more work than any robot needs",
        ),
        (
            (0..1000)
                .map(|i| format!("<xacro:property name='p{}' value='${{p{i}}}'/>", i + 1))
                .collect::<String>()
                + "<xacro:property name='p0' value='1'/><x v='${p1000}'/>",
            "nested more than",
        ),
        (
            format!("<x v='${{{}1}}'/>", "(".repeat(100_000)),
            "nested more than",
        ),
        (
            format!("<x v='${{{}1}}'/>", "-".repeat(100_000)),
            "too many signs",
        ),
        (
            format!("<x v='${{{}1}}'/>", "not ".repeat(100_000)),
            "too many `not`",
        ),
    ] {
        let error = expand(&robot).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    // A recursion that ends is expanded.
    let deep = "<xacro:macro name='m' params='n'><a><xacro:if value='${n > 0}'><xacro:m n='${n-1}'/></xacro:if></a></xacro:macro><xacro:m n='60'/>";
    assert_eq!(expand(deep).unwrap().matches("</a>").count(), 60);
}

#[cfg(unix)]
#[test]
fn pipes_are_not_included() {
    let dir = folder("<xacro:include filename='p.xacro'/>", &[]);
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("p.xacro"))
        .status();
    assert!(made.is_ok_and(|s| s.success()), "mkfifo is missing");
    let error = expand_in(dir.path(), &[]).unwrap_err().to_string();
    assert!(error.contains("it is a pipe, not a file"), "{error}");
}

/// A pack is read where another environment may say something else.
#[test]
fn a_pack_does_not_ask_the_environment() {
    for text in ["$(env PATH)", "$(optenv CLEARANCE_NO_SUCH 0.1)"] {
        let dir = folder(&format!("<x v='{text}'/>"), &[]);
        let file = dir.path().join("robot.xacro");
        let read = |resolver: Resolver| open(&file, &mut Arguments::default(), &resolver);
        assert!(
            read(Resolver::from_environment(Vec::new())).is_ok(),
            "{text}"
        );
        let said = read(Resolver::of_packages(Vec::new()))
            .unwrap_err()
            .to_string();
        assert!(
            said.contains(&format!("`{text}` in a pack, which")),
            "{said}"
        );
    }
}
