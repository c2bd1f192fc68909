"""Arguments, answers and messages: nothing that can be misread is taken or given."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import clearance

from test_clearance import CELL, ROOT, command

MOTION = ([0.0, 1.0], [[0.0], [0.1]], ["joint_1"])
ROBOT = ROOT / "robots" / "arm6" / "robot.urdf"
TABLE = ROOT / "robots" / "arm6" / "meshes" / "table.stl"


def test_no_answer_is_a_truth_value(cell):
    collides = cell.distance([0.0, 1.2, 0.6, 0.0, 0.0, 0.0])
    assert collides.verdict == "collision" and not collides.is_clear
    beyond = cell.distance([3.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert beyond.verdict == "clear" and beyond.beyond_limits and not beyond.is_clear
    assert cell.distance([0.0] * 6).is_clear
    least = cell.minimum(*MOTION)
    for answer in (collides, cell.distance([0.0] * 6), cell.check(*MOTION), least):
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(answer)
    with pytest.raises(TypeError, match="neither true nor false"):
        all(cell.distance([[0.0] * 6]))
    with pytest.raises(TypeError, match="neither true nor false"):
        all(cell.check_many([clearance.Motion(*MOTION)]))
