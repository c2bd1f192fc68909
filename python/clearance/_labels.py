"""Names that tables and rows carry (pandas, polars, pyarrow, xarray, named tuples). numpy drops them: a table on its
side, or with columns in another order, would be taken for another motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set

import numpy as np


class Axis(NamedTuple):
    """What is known of the rows or the columns of a table: what they are (`time`, `joint`), and each one's label."""

    name: Any
    labels: list


#: Of these only the subclasses have labels, and a motion may have many rows.
_PLAIN = {list, tuple, np.ndarray, int, float, np.float64}
#: No message has more labels than this.
_MOST = 12


def agree(what: str, values: Any, joints: List[str], cell: Iterable[str]) -> None:
    """Raises ValueError where a table, or a row of it, says that its columns are not these joints. `cell`: the names of
    all joints of the cell."""
    if type(values) is np.ndarray:
        return
    rows = values if _is_rows(values) else [values]
    labelled = [row for row in rows if type(row) not in _PLAIN]
    if labelled:
        known = {_last(joint) for joint in (*joints, *cell)}
        for row in labelled:
            _table(what, row, joints, known)


def same_rows(tables: Dict[str, Any]) -> None:
    """Raises ValueError where two tables have the same labels of rows in different orders."""
    labelled = []
    for what, values in tables.items():
        axes = [] if values is None or _is_rows(values) else _axes(values)
        if axes and axes[0].labels and (what == "times") == (len(axes) == 1):
            labelled.append((what, axes[0].labels))
    for (a, first), (b, second) in combinations(labelled, 2):
        if first != second and Counter(first) == Counter(second):
            raise ValueError(
                f"the rows of {a} have the labels {_listed(first)}, those of {b} {_listed(second)}; "
                "give both in the same order"
            )


def _is_rows(values: Any) -> bool:
    """Whether it is a list of rows or of numbers, rather than one thing with labels."""
    return (
        isinstance(values, Sequence)
        and not isinstance(values, (str, bytes))
        and not hasattr(values, "_fields")
    )


def _table(what: str, values: Any, joints: List[str], known: Set[str]) -> None:
    axes = _axes(values)
    if axes and axes[-1].labels == joints:
        return
    for axis in axes[-1:]:
        if any(not _is_count(label) for label in axis.labels):
            raise ValueError(
                f"{what} have the columns {_listed(axis.labels)}, and the joints are {_listed(joints)}; "
                "give `joints` in the order of the columns"
            )
        if any(a >= b for a, b in _pairwise(axis.labels)):
            raise ValueError(
                f"{what} have the columns {_listed(axis.labels)}, which are not in their order; give the values as "
                "an array, and `joints` in the order of its columns"
            )
        if _begins(axis.name, ("time", "waypoint")) or axis.name == "t":
            raise _on_its_side(what, f"the columns are called `{axis.name}`")
    for axis in axes[:-1]:
        for label in axis.labels:
            if _is_joint(label, known):
                raise _on_its_side(what, f"`{label}` is the label of a row")
        if _begins(axis.name, ("joint", "dof")):
            raise _on_its_side(what, f"the rows are called `{axis.name}`")
        # Waypoints may have names. Only where there are as many as joints, nobody can tell which they are.
        named = any(isinstance(label, (str, bytes, tuple)) for label in axis.labels)
        if named and len(axis.labels) == len(joints):
            raise ValueError(
                f"{what} have the rows {_listed(axis.labels)}, as many as joints, and columns without names: "
                "nobody can tell whether these are waypoints or joints; name the columns as the joints"
            )
    for name in _own_names(values):
        if _is_joint(name, known):
            raise _on_its_side(what, f"`{name}` is the name of a row")
    # A column of pyarrow has no name.
    if hasattr(values, "num_chunks"):
        raise _on_its_side(what, "a column of a table is given as a row")


def _axes(values: Any) -> List[Axis]:
    """Rows and columns of a table, or the columns of a row; nothing where it has no labels."""
    dims = getattr(values, "dims", None)
    if isinstance(dims, tuple):
        return [Axis(dim, _coordinate(values, dim)) for dim in dims]
    fields = getattr(values, "_fields", None)
    if isinstance(fields, tuple):
        return [Axis(None, list(fields))]
    # pyarrow's `columns` are not the names.
    columns = getattr(values, "column_names", None)
    if columns is None:
        columns = getattr(values, "columns", None)
    axes = [getattr(values, "index", None), columns]
    # A list has a method of the name `index`.
    return [
        Axis(getattr(axis, "name", None), list(axis))
        for axis in axes
        if axis is not None and not callable(axis)
    ]


def _coordinate(values: Any, dim: Any) -> list:
    """The labels along a dimension of xarray: those of its own name, or else any that are texts."""
    coords = getattr(values, "coords", {})
    along = {name: c.values for name, c in coords.items() if c.dims == (dim,)}
    texts = [labels for labels in along.values() if labels.dtype.kind in "OUS"]
    own: Optional[np.ndarray] = along.get(dim, texts[0] if texts else None)
    return [] if own is None else list(own)


def _own_names(values: Any) -> list:
    """What a row says that it is: the column of a table that it was, or the joint that was chosen."""
    scalars = [c for c in getattr(values, "coords", {}).values() if c.dims == ()]
    return [getattr(values, "name", None), *(c.values.item() for c in scalars)]


def _is_count(label: Any) -> bool:
    """Whether it only counts: 0, 1, 2, …"""
    return isinstance(label, (int, np.integer)) and not isinstance(label, (bool, np.timedelta64))


def _pairwise(values: list) -> Iterable[tuple]:
    """Each value with the next one."""
    return zip(values, values[1:])


def _is_joint(label: Any, known: Set[str]) -> bool:
    parts = label if isinstance(label, tuple) else (label,)
    parts = [part.decode(errors="replace") if isinstance(part, bytes) else part for part in parts]
    return any(isinstance(part, str) and _last(part) in known for part in parts)


def _last(joint: str) -> str:
    """A joint's name without that of its robot."""
    return joint.rsplit("/", 1)[-1]


def _begins(name: Any, words: tuple) -> bool:
    return isinstance(name, str) and name.lower().startswith(words)


def _on_its_side(what: str, why: str) -> ValueError:
    return ValueError(f"{what} may lie on their side: {why}; give a row for each waypoint and a column for each joint")


def _listed(labels: Sequence) -> str:
    more = ["…"] if len(labels) > _MOST else []
    return ", ".join([*map(str, labels[:_MOST]), *more])
