//! Names of Python that xacro knows and that are not computed here. A property or a parameter of such
//! a name has a value already, so its default does not count.

/// Of `math`, which are known without it too; those of any version of Python, since nobody says
/// which one expands the file.
const MATH: [&str; 31] = [
    "acosh",
    "asinh",
    "atanh",
    "cbrt",
    "comb",
    "dist",
    "erf",
    "erfc",
    "exp2",
    "expm1",
    "factorial",
    "fma",
    "frexp",
    "fsum",
    "gamma",
    "gcd",
    "isclose",
    "isfinite",
    "isinf",
    "isqrt",
    "lcm",
    "ldexp",
    "lgamma",
    "log1p",
    "modf",
    "nextafter",
    "perm",
    "prod",
    "remainder",
    "sumprod",
    "ulp",
];
/// Of Python itself.
const MAP: &str = "map";

/// Methods of a dict that are not computed here. In xacro a key of such a name is not had by a dot.
const OF_DICT: [&str; 7] = [
    "clear",
    "copy",
    "fromkeys",
    "pop",
    "popitem",
    "setdefault",
    "update",
];

/// Whether a name that no property has is one of these.
pub(super) fn is_builtin(name: &str) -> bool {
    name == MAP || MATH.contains(&name)
}

/// Whether a dict has a method of this name.
pub(super) fn is_of_dict(name: &str) -> bool {
    OF_DICT.contains(&name)
}
