"""Proves that a taught robot motion hits nothing, or finds the first contact.

Lengths are metres, angles radians, times seconds, points in the world's frame.

    import clearance
    cell = clearance.Cell.load("cell.toml")
    answer = cell.check(times, positions, joints=["joint_1", "joint_2"])
    answer.verdict            # "clear": proved at every instant
"""

from __future__ import annotations

import collections.abc
import dataclasses
import json
import os
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays, _clearance, _labels, _options
from ._answers import (
    Answer,
    Contact,
    DistanceAnswer,
    LimitViolation,
    MinimumClearance,
    NearMiss,
    PairDistance,
    Remark,
)
from ._clearance import ClearanceError, __version__
from ._words import told

__all__ = [
    "Answer",
    "Cell",
    "ClearanceError",
    "Contact",
    "DistanceAnswer",
    "LimitViolation",
    "MinimumClearance",
    "Motion",
    "NearMiss",
    "PairDistance",
    "Remark",
    "__version__",
]

PathLike = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Motion:
    """A motion as arrays, for `Cell.check_many`. Shapes and name are those of `Cell.check`."""

    times: Optional[Any]
    positions: Any
    joints: Optional[Sequence[str]] = None
    velocities: Optional[Any] = None
    accelerations: Optional[Any] = None
    name: str = "arrays"


class Cell:
    """A work cell that has been read: robots, obstacles, pairs, with their sphere trees.

    It does not change, and several threads may use it at the same time.
    """

    def __init__(self, inner: _clearance.Cell) -> None:
        self._inner = inner
        self._joints = tuple(inner.joints())

    @classmethod
    def load(
        cls,
        file: PathLike = "cell.toml",
        *,
        packages: Mapping[str, PathLike] = {},
        visual_as_collision: bool = False,
        cache: bool = True,
        cache_dir: Optional[PathLike] = None,
    ) -> "Cell":
        """Reads a cell file (docs/cell.md).

        packages: folder of each `package://` name. visual_as_collision: check links without
        collision geometry by what is drawn. cache, cache_dir: whether and where sphere trees are
        kept between runs. Raises ClearanceError with the text of the command.
        """
        file = _options.cell_file(file)
        return cls._open(file, None, None, (), packages, visual_as_collision, cache, cache_dir)

    @classmethod
    def robot(
        cls,
        urdf: PathLike,
        obstacles: Union[PathLike, Sequence[PathLike]] = (),
        *,
        srdf: Optional[PathLike] = None,
        packages: Mapping[str, PathLike] = {},
        visual_as_collision: bool = False,
        cache: bool = True,
        cache_dir: Optional[PathLike] = None,
    ) -> "Cell":
        """A robot at the world's origin, with mesh files in world coordinates around it: one or more paths."""
        urdf = _options.urdf(urdf)
        return cls._open(
            None, urdf, srdf, obstacles, packages, visual_as_collision, cache, cache_dir
        )

    @classmethod
    def _open(
        cls, file, urdf, srdf, obstacles, packages, visual_as_collision, cache, cache_dir
    ) -> "Cell":
        cache, cache_dir = _options.cache_folder(cache, cache_dir)
        with told():
            return cls(
                _clearance.Cell.open(
                    file,
                    urdf,
                    None if srdf is None else _options.path("srdf", srdf),
                    _options.paths("obstacles", obstacles),
                    _options.packages(packages),
                    _options.flag("visual_as_collision", visual_as_collision),
                    cache,
                    cache_dir,
                )
            )

    @property
    def joints(self) -> tuple:
        """Joints in the order in which a row without names has their values."""
        return self._joints

    @property
    def remarks(self) -> list:
        """What a reader must know of the cell: notices, what is not checked, notes."""
        return [Remark._of(remark) for remark in json.loads(self._inner.remarks())]

    def check(
        self,
        times: Optional[Any],
        positions: Any,
        joints: Optional[Sequence[str]] = None,
        velocities: Optional[Any] = None,
        accelerations: Optional[Any] = None,
        *,
        name: str = "arrays",
        **options: Any,
    ) -> Answer:
        """Proves that a motion is clear, or finds its first contact.

        times: shape (n,), seconds, increasing; None: the waypoint's number.
        positions: shape (n, k), radians or metres. joints: k names; by default `Cell.joints`.
        velocities, accelerations: shape (n, k); with velocities the motion is cubic, with
        accelerations too quintic, as the joint trajectory controller does it.
        name: the answer calls the program `<name>`, in angle brackets, as it is no file.

        Options, as those of the command: clearance, resolution, warn (metres), limits, all,
        minimum (True, or "overall": that of all pairs alone, which costs little more than a check),
        minimum_pairs (metres), interpolation ("linear", "cubic", "quintic"), time_limit (seconds).

        Raises ValueError for arrays that cannot be meant and for options that the command refuses,
        TypeError for options of another type, ClearanceError for a warn distance within the
        clearance; what cannot be verified for another reason is the verdict "unverified" with its
        `error`.
        """
        motion = self._motion(Motion(times, positions, joints, velocities, accelerations, name))
        options = _options.options(options)
        with told():
            return Answer._of_text(self._inner.check(motion, options))

    def check_many(
        self, motions: Iterable[Motion], *, threads: Optional[int] = None, **options: Any
    ) -> list:
        """Checks many motions on all cores (or on so many threads), without the GIL.

        Answers come in the order of the motions. Options are those of `check`. threads: 1 to 1024.
        """
        if not isinstance(motions, collections.abc.Iterable):
            raise TypeError(f"motions are a {type(motions).__name__}; give a list of clearance.Motion")
        if isinstance(motions, (list, tuple)):
            motions = [self._motion(motion) for motion in motions]
        else:
            # What makes them one by one may fill the same arrays again for the next one.
            motions = [_arrays.copied(self._motion(motion)) for motion in motions]
        options, threads = _options.options(options), _options.threads(threads)
        with told():
            texts = self._inner.check_many(motions, options, threads)
        return [Answer._of_text(text) for text in texts]

    def check_file(self, file: PathLike, **options: Any) -> Answer:
        """Checks a program file, as the command does. Options are those of `check`."""
        file, options = _options.path("file", file), _options.options(options)
        with told():
            return Answer._of_text(self._inner.check_file(file, options))

    def minimum(
        self, times: Optional[Any], positions: Any, *args: Any, **options: Any
    ) -> MinimumClearance:
        """The certified least clearance over a whole motion. Arguments are those of `check`.

        Raises ClearanceError with the reason where there is none: a motion that is not verified, a
        time limit that is spent.
        """
        answer = self.check(times, positions, *args, minimum="overall", **options)
        least = answer.minimum_clearance
        if answer.verdict == "unverified" or least is None:
            # The error names the notices that leave the question open; nobody else shows these here.
            notices = [notice.message for notice in answer.notices if notice.severity == "open"]
            why = [answer.error, *notices] if answer.error else notices
            raise ClearanceError("; ".join(why) or "no pair is checked along this motion")
        return least

    def distance(
        self,
        q: Any,
        joints: Optional[Sequence[str]] = None,
        *,
        clearance: Optional[float] = None,
    ) -> Union[DistanceAnswer, list]:
        """The nearest pair at a configuration.

        q: shape (k,) for one configuration, or (n, k) for n of them (a list of answers), radians or
        metres. joints: k names; by default `Cell.joints`. clearance: the threshold, metres.
        """
        names = _arrays.names(self.joints if joints is None else joints)
        _labels.agree("q", q, names, self.joints)
        q = _arrays.numbers("q", q)
        rows = _arrays.table("q", q[np.newaxis] if q.ndim == 1 else q)
        if rows.shape[1] != len(names):
            raise ValueError(f"{rows.shape[1]} values for {len(names)} joints: {', '.join(names)}")
        if len(set(names)) != len(names):
            raise ValueError("a joint is named twice")
        if not np.isfinite(rows).all():
            raise ValueError("a value is not finite")
        lines = [json.dumps(dict(zip(names, row))) for row in rows.tolist()]
        with told():
            texts = self._inner.distances(lines, _options.number("clearance", clearance))
        answers = [DistanceAnswer._of_text(text) for text in texts]
        return answers[0] if q.ndim == 1 else answers

    def _motion(self, motion: Motion) -> dict:
        if not isinstance(motion, Motion):
            raise TypeError(f"a motion is a {type(motion).__name__}; give clearance.Motion(times, positions, joints)")
        joints = _arrays.names(self.joints if motion.joints is None else motion.joints)

        def table(what: str, values: Any) -> Optional[np.ndarray]:
            if values is None:
                return None
            _labels.agree(what, values, joints, self.joints)
            return _arrays.table(what, values)

        _labels.same_rows(
            {
                "times": motion.times,
                "positions": motion.positions,
                "velocities": motion.velocities,
                "accelerations": motion.accelerations,
            }
        )
        return {
            "name": f"<{motion.name}>",
            "joints": joints,
            "times": None if motion.times is None else _arrays.row("times", motion.times),
            "positions": table("positions", motion.positions),
            "velocities": table("velocities", motion.velocities),
            "accelerations": table("accelerations", motion.accelerations),
        }
