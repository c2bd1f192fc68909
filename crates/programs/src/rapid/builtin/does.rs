//! The effects of instructions and functions, by their names.

use super::*;

/// Arguments by name in which an instruction answers, whatever it does with all others.
const WRITTEN: &[&str] = &[
    "timeflag",
    "valueattimeout",
    "dvalueattimeout",
    "result",
    "breakflag",
    "instanceid",
];

/// Instructions that only read what is handed to them, and neither move the arm nor change how it
/// moves.
const NOTHING: &[&str] = &[
    "accset",
    "aliasio",
    "break",
    "cleariobuff",
    "clkreset",
    "clkstart",
    "clkstop",
    "close",
    "copyfile",
    "cornerpathwarning",
    "corrclear",
    "eoffsoff",
    "errlog",
    "errwrite",
    "gripload",
    "idelete",
    "idisable",
    "ienable",
    "invertdo",
    "iodisable",
    "ioenable",
    "isleep",
    "iwatch",
    "makedir",
    "motionprocessmodeset",
    "motionsup",
    "pathacclim",
    "pathresol",
    "pdispoff",
    "pulsedo",
    "raise",
    "removedir",
    "removefile",
    "renamefile",
    "reset",
    "resetretrycount",
    "rewind",
    "rmqsendmessage",
    "safetycontrollersyncrequest",
    "savecfgdata",
    "set",
    "setao",
    "setdo",
    "setgo",
    "setsysdata",
    "skipwarn",
    "socketbind",
    "socketclose",
    "socketconnect",
    "socketcreate",
    "socketlisten",
    "socketsend",
    "softdeact",
    "speedlimaxis",
    "speedlimcheckpoint",
    "speedrefresh",
    "spystart",
    "spystop",
    "stop",
    "systemstopaction",
    "texttabinstall",
    "tperase",
    "tpshow",
    "tpwrite",
    "triggstopproc",
    "tunereset",
    "tuneservo",
    "uimsgbox",
    "uimsgwrite",
    "uishow",
    "velset",
    "waitai",
    "waitao",
    "waitdi",
    "waitdo",
    "waitgi",
    "waitgo",
    "waitrob",
    "waittime",
    "waituntil",
    "worldacclim",
    "write",
    "writeany",
    "writebin",
    "writestrbin",
    "writevar",
];

/// Instructions that do nothing else than change what is handed to them, to something that only the
/// controller knows.
const ANSWERS: &[&str] = &[
    "bitclear",
    "bitset",
    "bookerrno",
    "clearrawbytes",
    "copyrawbytes",
    "getsysdata",
    "open",
    "packrawbytes",
    "readany",
    "readrawbytes",
    "socketaccept",
    "socketreceive",
    "tpreadfk",
    "tpreadnum",
    "tpreaddnum",
    "triggequip",
    "triggio",
    "triggrampao",
    "waittestandset",
    "triggcheckio",
    "triggspeed",
    "unpackrawbytes",
    "rmqfindslot",
    "getdatetime",
    "readcfgdata",
];

/// Instructions that compute with a variable.
const COMPUTES: &[&str] = &["add", "clear", "decr", "incr"];

/// Functions that answer what only the controller knows, or something that no motion is made of
/// here. They only read what is handed to them.
pub(super) const READS: &[&str] = &[
    "ainput",
    "aoutput",
    "bitand",
    "bitcheck",
    "bitlsh",
    "bitneg",
    "bitor",
    "bitrsh",
    "bitxor",
    "bytetostr",
    "calcrobt",
    "cdate",
    "cjointt",
    "clkread",
    "cpos",
    "crobt",
    "cspeedoverride",
    "ctime",
    "ctool",
    "cwobj",
    "defdframe",
    "defframe",
    "dinput",
    "dnumtostr",
    "doutput",
    "filesize",
    "fssize",
    "gettime",
    "ginput",
    "ginputdnum",
    "goutput",
    "goutputdnum",
    "iounitstate",
    "isbrakecheckactive",
    "isfile",
    "ismechunitactive",
    "ispers",
    "isstopmoveact",
    "issyncmoveon",
    "isvar",
    "motionplannerno",
    "nonmotionmode",
    "numtostr",
    "opmode",
    "rawbyteslen",
    "robname",
    "robos",
    "runmode",
    "socketgetstatus",
    "socketpeek",
    "strdigcalc",
    "strdigcmp",
    "strfind",
    "strlen",
    "strmap",
    "strmatch",
    "strmemb",
    "strorder",
    "strpart",
    "strtobyte",
    "testdi",
    "validio",
    "valtostr",
];

/// The same, but variables handed to them may be changed.
pub(super) const OUTSIDE: &[&str] = &[
    "argname",
    "calcjointt",
    "decodebin",
    "getmecunitname",
    "getsysinfo",
    "gettaskname",
    "readbin",
    "readnum",
    "readstr",
    "readstrbin",
    "readvar",
    "strtoval",
    "taskrunmec",
    "taskrunrob",
    "testandset",
    "tooltcpinfo",
    "uialphaentry",
    "uidnumentry",
    "uilistview",
    "uimessagebox",
    "uinumentry",
];

/// The effect of an instruction.
pub(crate) fn does(call: &Call) -> Does {
    let name = &*call.name;
    let mut names = call.arguments.iter().filter_map(|a| a.name.as_deref());
    match name {
        _ if NOTHING.contains(&name) && names.any(|n| WRITTEN.contains(&n)) => Does::Answers,
        _ if NOTHING.contains(&name) => Does::Nothing,
        _ if ANSWERS.contains(&name) => Does::Answers,
        _ if COMPUTES.contains(&name) => Does::Computes,
        _ => Does::Moves,
    }
}

/// The effect of a function.
pub(crate) fn function_does(name: &str) -> Does {
    match name {
        _ if COMPUTED.contains(&name) || READS.contains(&name) => Does::Nothing,
        _ if OUTSIDE.contains(&name) => Does::Answers,
        _ => Does::Moves,
    }
}

/// Instructions that are not read and move the arm, shift or bend its motion, or lead elsewhere. Those
/// that only end what the program has not begun are not among them.
const MOTION: &[&str] = &[
    "arcmoveabsj",
    "arcmovec",
    "arcmovej",
    "arcmovel",
    "calibj",
    "calibl",
    "callbyvar",
    "capc",
    "capl",
    "clearpath",
    "cnvsync",
    "contactl",
    "corrcon",
    "corrwrite",
    "cssact",
    "cssacttcp",
    "cssdeactmovel",
    "cssforceoffsetact",
    "dispc",
    "displ",
    "egmactjoint",
    "egmactmove",
    "egmactpose",
    "egmmovec",
    "egmmovel",
    "egmrunjoint",
    "egmrunpose",
    "eoffson",
    "eoffsset",
    "exitcycle",
    "fcact",
    "fccalib",
    "fcloadid",
    "fcpress1lstart",
    "fcpressc",
    "fcpressend",
    "fcpressl",
    "fcrefcircle",
    "fcrefforce",
    "fcrefline",
    "fcrefmoveframe",
    "fcrefrot",
    "fcrefspiral",
    "fcrefspring",
    "fcrefstart",
    "fcrefstop",
    "fcreftorque",
    "indamove",
    "indcmove",
    "inddmove",
    "indreset",
    "indrmove",
    "loadid",
    "manloadidproc",
    "movepnp",
    "nutj",
    "nutl",
    "paintc",
    "paintl",
    "pathrecmovebwd",
    "pathrecmovefwd",
    "pdispon",
    "pdispset",
    "pickwobj",
    "restopath",
    "searchc",
    "searchextj",
    "searchj",
    "searchl",
    "setalldataval",
    "setdataval",
    "setleadthrough",
    "softact",
    "spotj",
    "spotl",
    "spotmj",
    "spotml",
    "startmove",
    "startmoveretry",
    "stepbwdpath",
    "stopmove",
    "supsyncsensoron",
    "syncmoveon",
    "syncmoveresume",
    "syncmovesuspend",
    "synctosensor",
    "waitsensor",
    "waitwobj",
];

/// The instructions that move, by the beginnings of their names, and what may stand behind these: a
/// move does something else besides.
const MOVES: &[&str] = &[
    "moveabsj",
    "moveextj",
    "movej",
    "movel",
    "movec",
    "triggj",
    "triggl",
    "triggc",
    "triggabsj",
];
const BESIDES: &[&str] = &["", "do", "ao", "go", "sync", "ios"];

/// Whether an instruction is one of the controller's own that moves the arm, changes how it moves, or
/// leads elsewhere: those that are read, and those that are known and not read.
pub(crate) fn is_motion(name: &str) -> bool {
    let mut behind = MOVES.iter().filter_map(|begins| name.strip_prefix(begins));
    let modes = ["confj", "confl", "singarea", "cirpathmode"];
    behind.any(|rest| BESIDES.contains(&rest))
        || modes.contains(&name)
        || MOTION.contains(&name)
        || is_weld(name)
}

/// The beginnings of further families of the controller's own instructions that move the arm:
/// forces, sensors, axes and arms that move with others.
const FAMILIES: &[&str] = &["css", "egm", "fc", "ind", "pathrec", "step", "sync"];

/// Whether an instruction may be one of the controller's own that moves the arm, by its name.
pub(crate) fn may_be_motion(name: &str) -> bool {
    FAMILIES.iter().any(|begins| name.starts_with(begins))
}

/// Whether such an instruction only reads what it is handed: those that look for a place answer it,
/// those that weigh a load answer that, and some say whether they came to their end.
pub(crate) fn only_reads(call: &Call) -> bool {
    let mut names = call.arguments.iter().filter_map(|a| a.name.as_deref());
    let answers = call.name.starts_with("search")
        || ["loadid", "manloadidproc"].contains(&&*call.name)
        || names.any(|n| WRITTEN.contains(&n));
    is_motion(&call.name) && !answers
}

/// Whether an instruction moves along a weld: `ArcL`, `ArcL1Start`, `ArcC2End`, of any equipment.
fn is_weld(name: &str) -> bool {
    let rest = name.strip_prefix("arcl").or(name.strip_prefix("arcc"));
    let rest = rest.map(|rest| {
        rest.strip_prefix(|c: char| c.is_ascii_digit())
            .unwrap_or(rest)
    });
    rest.is_some_and(|rest| ["", "start", "end"].contains(&rest))
}
