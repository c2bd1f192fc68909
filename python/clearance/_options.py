"""Arguments that are not arrays: what the command refuses is refused here too, by the name of the argument."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional

import numpy as np

from . import _arrays
from ._clearance import ClearanceError

#: Unit of each option that is a number, and whether it may be 0.
_NUMBERS = {
    "clearance": ("metres", True),
    "resolution": ("metres", False),
    "warn": ("metres", False),
    "minimum_pairs": ("metres", False),
    "time_limit": ("seconds", False),
}
#: Options that are True or False, by default as here; None: as the cell file has it.
_FLAGS = {"limits": None, "all": False}
_INTERPOLATIONS = ("linear", "cubic", "quintic")
_ALL = (*_NUMBERS, *_FLAGS, "minimum", "interpolation")
#: More than a clock can tell is not a limit.
_CLOCK_S = 1e18


def options(given: Mapping[str, Any]) -> dict:
    """All options of a check: those that are given, and None or False for the others."""
    for name in given:
        if name not in _ALL:
            raise TypeError(f"`{name}` is not an option; the options are {', '.join(_ALL)}")
    read = {name: number(name, given.get(name)) for name in _NUMBERS}
    for name, default in _FLAGS.items():
        value = given.get(name)
        read[name] = default if value is None else flag(name, value)
    read["minimum"] = minimum(given.get("minimum"))
    if read["time_limit"] is not None and read["time_limit"] > _CLOCK_S:
        read["time_limit"] = None
    law = given.get("interpolation")
    if law is not None and law not in _INTERPOLATIONS:
        raise ValueError(f'interpolation is {law!r}; give "linear", "cubic" or "quintic"')
    read["interpolation"] = law
    return read


def minimum(value: Any) -> Optional[str]:
    """Over which pairs the least clearance is wanted; None: over none."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return "classes" if value else None
    if isinstance(value, str) and value in ("classes", "overall"):
        return value
    must = 'give True, False, "classes" or "overall"'
    if isinstance(value, str):
        raise ValueError(f"minimum is {value!r}; {must}")
    raise TypeError(f"minimum is {value!r}, of the type {type(value).__name__}; {must}")


def number(name: str, value: Any) -> Optional[float]:
    """An option that is a number of metres or seconds."""
    if value is None:
        return None
    unit, zero = _NUMBERS[name]
    must = f"give a number of {unit}, {'from 0 on' if zero else 'above 0'}"
    try:
        array = _arrays.numbers(name, value)
    except ValueError:
        array = None
    if array is None or array.ndim != 0:
        raise TypeError(f"{name} is {value!r}, of the type {type(value).__name__}; {must}")
    read = float(array)
    if not np.isfinite(read) or read < 0 or (read == 0 and not zero):
        raise ValueError(f"{name} is {read:g}; {must}")
    return read


def flag(name: str, value: Any) -> bool:
    """An argument that is True or False: any text, also `"false"`, would be true for Python."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, of the type {type(value).__name__}; give True or False")
    return bool(value)


def threads(value: Any) -> Optional[int]:
    """How many threads."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"threads is {value!r}, of the type {type(value).__name__}; give a number from 1 to 1024")
    if not 1 <= value <= 1024:
        raise ValueError(f"{value} threads; give 1 to 1024")
    return int(value)


def path(name: str, value: Any) -> str:
    """A path as text."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, of the type {type(value).__name__}; give a path") from None


def paths(name: str, value: Any) -> list:
    """Paths as texts; one alone is one, not its letters."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return [path(name, value)]
    if not isinstance(value, Iterable):
        raise TypeError(f"{name} is {value!r}, of the type {type(value).__name__}; give a list of paths")
    return [path(name, item) for item in value]


def packages(value: Any) -> list:
    """Folders by the names of packages."""
    if not isinstance(value, Mapping):
        raise TypeError(
            f"packages is of the type {type(value).__name__}; give a dict from each name to its folder, "
            'as in {"ur_description": "../ur_description"}'
        )
    read = [(name, path(f"packages[{name!r}]", folder)) for name, folder in value.items()]
    for name, folder in read:
        if not isinstance(name, str) or not name or not folder:
            raise ValueError(f"packages has {name!r}: {folder!r}; give the package's name and its folder")
    return read


def cell_file(value: Any) -> str:
    """The path of a cell file."""
    file = path("file", value)
    if file.lower().endswith((".urdf", ".xml", ".xacro")):
        raise ClearanceError(f"{file} is not a cell file; a robot alone is read by `Cell.robot({file!r})`")
    return file


def urdf(value: Any) -> str:
    """The path of a URDF."""
    file = path("urdf", value)
    if file.lower().endswith(".toml"):
        raise ClearanceError(f"{file} is not a URDF; a cell file is read by `Cell.load({file!r})`")
    return file


def cache_folder(cache: Any, cache_dir: Any) -> tuple:
    """Whether and where sphere trees are kept."""
    cache = flag("cache", cache)
    if cache_dir is None:
        return cache, None
    if not cache:
        raise ValueError("cache=False and a cache_dir: give one of the two")
    return cache, path("cache_dir", cache_dir)
