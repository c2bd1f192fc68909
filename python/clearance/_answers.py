"""Answers as dataclasses. Fields have the names, units and meanings of the JSON report (docs/formats.md)."""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import Dict, List, Optional, Tuple

from ._words import in_python


@functools.lru_cache(maxsize=None)
def _names(cls) -> frozenset:
    """The names of a dataclass's fields: finding them out takes longer than making one."""
    return frozenset(field.name for field in dataclasses.fields(cls))


class _FromJson:
    """Makes a dataclass of the part of a JSON report with its name; what a newer report has besides stays in `raw`."""

    @classmethod
    def _of(cls, values: dict):
        names = _names(cls)
        known = {name: cls._field(name, v) for name, v in values.items() if name in names}
        return cls(**known)

    @classmethod
    def _field(cls, name: str, value):
        return value

    @classmethod
    def _of_text(cls, text: str):
        values = json.loads(text)
        answer = cls._of(values)
        object.__setattr__(answer, "raw", values)
        return answer


@dataclasses.dataclass(frozen=True)
class Remark(_FromJson):
    """Something that a reader must know."""

    subject: str
    message: str
    code: str = ""
    severity: str = ""

    @classmethod
    def _field(cls, name, value):
        return in_python(value) if name == "message" else value


@dataclasses.dataclass(frozen=True)
class Contact(_FromJson):
    """Two bodies within their threshold. `free_until` is proved free; contact was found at `time`."""

    time: float
    free_until: float
    segment: int
    fraction: float
    a: str
    b: str
    kind: str
    distance: float
    point_a: Tuple[float, float, float]
    point_b: Tuple[float, float, float]
    normal: Tuple[float, float, float]
    joints: Dict[str, float]
    until: Optional[float] = None
    feature: Optional[str] = None
    exact_time: Optional[float] = None
    depth: Optional[float] = None
    depth_time: Optional[float] = None

    @classmethod
    def _field(cls, name, value):
        return tuple(value) if name in ("point_a", "point_b", "normal") else value


@dataclasses.dataclass(frozen=True)
class MinimumClearance(_FromJson):
    """The least distance: never less than `lower_bound` (proved), `distance` was attained at `time`."""

    distance: float
    lower_bound: float
    time: float
    a: str
    b: str

    def __bool__(self) -> bool:
        raise TypeError(
            "a least clearance is neither true nor false; compare its `lower_bound` with a length, or ask `is None`"
        )


@dataclasses.dataclass(frozen=True)
class NearMiss(_FromJson):
    """Where a pair came nearer than the warn distance."""

    a: str
    b: str
    raw: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def _of(cls, values):
        miss = super()._of(values)
        object.__setattr__(miss, "raw", values)
        return miss


@dataclasses.dataclass(frozen=True)
class LimitViolation(_FromJson):
    """A joint outside its limits; `value` is the worst one."""

    joint: str
    what: str
    time: float
    value: float
    limit: float
    segment: Optional[int] = None
    way: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Answer(_FromJson):
    """The answer for one motion: `clear`, `undecided`, `possible`, `collision` or `unverified`, and why."""

    program: str
    verdict: str
    interpolation: Optional[str] = None
    duration: Optional[float] = None
    first_contact: Optional[Contact] = None
    contacts: List[Contact] = dataclasses.field(default_factory=list)
    near_misses: List[NearMiss] = dataclasses.field(default_factory=list)
    minimum_clearance: Optional[MinimumClearance] = None
    pair_minimums: List[MinimumClearance] = dataclasses.field(default_factory=list)
    others_farther_than: Optional[float] = None
    limits: List[LimitViolation] = dataclasses.field(default_factory=list)
    notices: List[Remark] = dataclasses.field(default_factory=list)
    unchecked: List[Remark] = dataclasses.field(default_factory=list)
    #: Proved with narrower ranges of the joints on straight moves whose tool turns.
    narrow_joint_ranges: bool = False
    error: Optional[str] = None
    #: The program's entry of the JSON report, as it is.
    raw: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def is_clear(self) -> bool:
        """Proved clear, and no joint beyond its limits: what exit code 0 of the command says."""
        return self.verdict == "clear" and not self.limits

    def __bool__(self) -> bool:
        raise TypeError("an answer is neither true nor false; ask for its `verdict` or `is_clear`")

    @classmethod
    def _field(cls, name, value):
        if name in _ONE:
            return _ONE[name]._of(value)
        if name in _MANY:
            return [_MANY[name]._of(item) for item in value]
        return in_python(value) if name == "error" else value


#: The fields of an answer that are dataclasses, and those that are lists of them.
_ONE = {"first_contact": Contact, "minimum_clearance": MinimumClearance}
_MANY = {
    "contacts": Contact,
    "near_misses": NearMiss,
    "pair_minimums": MinimumClearance,
    "limits": LimitViolation,
    "notices": Remark,
    "unchecked": Remark,
}


@dataclasses.dataclass(frozen=True)
class PairDistance(_FromJson):
    """How far apart two bodies are, and where. Where their surfaces meet there is no `normal`."""

    a: str
    b: str
    kind: str
    distance: float
    point_a: Tuple[float, float, float]
    point_b: Tuple[float, float, float]
    normal: Optional[Tuple[float, float, float]] = None

    @classmethod
    def _field(cls, name, value):
        return tuple(value) if name in ("point_a", "point_b", "normal") else value


@dataclasses.dataclass(frozen=True)
class DistanceAnswer(_FromJson):
    """The answer for one configuration."""

    verdict: str
    nearest: Optional[PairDistance] = None
    contacts: List[PairDistance] = dataclasses.field(default_factory=list)
    beyond_limits: List[str] = dataclasses.field(default_factory=list)
    error: Optional[str] = None
    raw: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def is_clear(self) -> bool:
        """No pair within its threshold, and no joint beyond its limits: what exit code 0 of the command says."""
        return self.verdict == "clear" and not self.beyond_limits

    def __bool__(self) -> bool:
        raise TypeError("an answer is neither true nor false; ask for its `verdict` or `is_clear`")

    @classmethod
    def _field(cls, name, value):
        if name == "nearest":
            return PairDistance._of(value)
        if name == "contacts":
            return [PairDistance._of(item) for item in value]
        return in_python(value) if name == "error" else value
