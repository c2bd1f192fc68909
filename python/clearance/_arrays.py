"""Arrays as they are meant: numbers, and nothing that numpy would quietly turn into numbers."""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def numbers(what: str, values: Any) -> np.ndarray:
    """Values as double precision. Raises ValueError where numpy would drop what they say: a unit, the step of
    `timedelta64`, a mask, the imaginary part; also where only one row of them, or one value, says it."""
    _keeps_all(what, values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        # Rows of different lengths, and what is no table at all.
        raise ValueError(f"{what} are not a table of numbers: {error}") from None
    if array.dtype.kind == "O":
        for kind in set(map(type, array.ravel())):
            if not issubclass(kind, _NUMBERS) or issubclass(kind, (bool, np.timedelta64)):
                raise _of_type(what, kind.__name__)
    elif array.dtype.kind not in "fiu":
        raise _of_type(what, array.dtype)
    return np.asarray(array, dtype=np.float64)


def copied(motion: dict) -> dict:
    """The same motion with arrays of its own."""
    return {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in motion.items()}


# What numpy turns into the same number.
_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)


def _keeps_all(what: str, values: Any) -> None:
    # As quantities of pint and astropy have them.
    if hasattr(values, "unit") or hasattr(values, "units"):
        raise ValueError(
            f"{what} have a unit, which an array would lose; give plain numbers in radians, metres and seconds"
        )
    if np.ma.is_masked(values):
        raise ValueError(f"{what} have masked entries; fill them, or leave these waypoints out")
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        # Most have nothing but floats: these are not looked at one by one.
        plain = (int, float, np.float64)
        if not set(map(type, values)) <= set(plain):
            for value in values:
                if type(value) is bool:
                    raise _of_type(what, "bool")
                if type(value) not in plain:
                    _keeps_all(what, value)
    elif isinstance(values, np.ndarray) and values.dtype.kind == "O":
        for value in values.ravel():
            _keeps_all(what, value)
    elif hasattr(values, "dtype") and getattr(values.dtype, "kind", "f") not in "fiuO":
        raise _of_type(what, values.dtype)


def _of_type(what: str, kind: Any) -> ValueError:
    return ValueError(
        f"{what} are of the type {kind}; give numbers: radians, metres and seconds"
    )


def names(joints: Iterable) -> list:
    """Names of joints in their order."""
    # Keys of a dict have the order of the dict.
    unordered = isinstance(joints, Set) and not isinstance(joints, KeysView)
    if isinstance(joints, (str, bytes)) or unordered or not isinstance(joints, Iterable):
        raise ValueError(
            f"joints are a {type(joints).__name__}; give a list of names: their order is that of the columns"
        )
    joints = list(joints)
    for joint in joints:
        if not isinstance(joint, str):
            raise ValueError(f"joints has {joint!r}, of the type {type(joint).__name__}; give a list of names as texts")
    return joints


def table(what: str, values: Any) -> np.ndarray:
    """A row for each waypoint, a column for each joint."""
    array = numbers(what, values)
    if array.ndim != 2:
        raise ValueError(
            f"{what} have {array.ndim} dimensions; give an array of shape (waypoints, joints)"
        )
    return array


def row(what: str, values: Any) -> np.ndarray:
    """A number for each waypoint."""
    array = numbers(what, values)
    if array.ndim != 1:
        raise ValueError(
            f"{what} have {array.ndim} dimensions; give an array of shape (waypoints,)"
        )
    return array
