"""Arrays as they are meant: numbers, and nothing that numpy would quietly turn into numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(what: str, values: Any) -> np.ndarray:
    """Values as double precision. Raises ValueError where numpy would drop what they say: a unit, the step of
    `timedelta64`, a mask, the imaginary part."""
    # As quantities of pint and astropy have them.
    if hasattr(values, "unit") or hasattr(values, "units"):
        raise ValueError(
            f"{what} have a unit, which an array would lose; give plain numbers in radians, metres and seconds"
        )
    if np.ma.is_masked(values):
        raise ValueError(f"{what} have masked entries; fill them, or leave these waypoints out")
    array = np.asarray(values)
    if array.dtype.kind not in "fiuO":
        raise ValueError(
            f"{what} are of the type {array.dtype}; give numbers: radians, metres and seconds"
        )
    return np.asarray(array, dtype=np.float64)


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
