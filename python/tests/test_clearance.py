"""The Python package, from the wheel, against the command and against closed forms."""

import json
import math
import os
import pathlib
import subprocess
import sys
from collections import deque

import numpy as np
import pytest

import clearance

ROOT = pathlib.Path(os.environ["CLEARANCE_SOURCES"])
CELL = ROOT / "robots" / "arm6" / "cell.toml"
PROGRAMS = sorted((ROOT / "trajectories" / "arm6").glob("*.csv"))


def command(*words, **kwargs):
    """The command as `pip` has installed it."""
    program = pathlib.Path(sys.executable).parent / "clearance"
    return subprocess.run(
        [str(program), *map(str, words)], capture_output=True, text=True, timeout=600, **kwargs
    )


def without_seconds(program):
    program["statistics"].pop("check_seconds")
    return program


def read_csv(file):
    """A program as arrays, by code of the test's own."""
    lines = [l for l in file.read_text().splitlines() if l.strip() and not l.startswith("#")]
    names = lines[0].split(",")
    rows = np.array([[float(v) for v in line.split(",")] for line in lines[1:]])
    degrees = ["[deg]" in name for name in names]
    rows = np.where(degrees, rows * math.pi / 180, rows)
    names = [name.split("[")[0].strip() for name in names]
    assert names[0] == "time"
    return rows[:, 0], rows[:, 1:], names[1:]


def test_package_runs_without_rust():
    assert not any(
        (pathlib.Path(folder) / "cargo").exists() for folder in os.environ["PATH"].split(os.pathsep)
    )
    assert ROOT not in pathlib.Path(clearance.__file__).parents


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_answers_about_files_are_those_of_the_command(cell, file):
    ran = command("check", "--cell", CELL, file, "--all", "--minimum", "--report", "json", "--quiet", "--no-cache")
    (expected,) = json.loads(ran.stdout)["programs"]
    answer = cell.check_file(file, all=True, minimum=True)
    assert json.dumps(without_seconds(answer.raw)) == json.dumps(without_seconds(expected))
    assert answer.is_clear == (ran.returncode == 0)


def test_all_verdicts_occur_in_the_files(cell):
    verdicts = {cell.check_file(file).verdict for file in PROGRAMS}
    assert {"clear", "collision"} <= verdicts


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_arrays_are_answered_as_the_file_with_the_same_numbers(cell, file):
    times, positions, joints = read_csv(file)
    by_file = cell.check_file(file)
    answer = cell.check(times, positions, joints)
    assert answer.verdict == by_file.verdict
    assert (answer.first_contact is None) == (by_file.first_contact is None)
    if answer.first_contact:
        assert answer.first_contact.time == pytest.approx(by_file.first_contact.time, abs=1e-9)
        assert {answer.first_contact.a, answer.first_contact.b} == {
            by_file.first_contact.a,
            by_file.first_contact.b,
        }


def test_velocities_make_a_cubic(cell):
    joints = ["joint_1"]
    answer = cell.check([0.0, 1.0], [[0.0], [0.1]], joints, velocities=[[0.0], [0.0]])
    assert answer.interpolation == "cubic"
    assert cell.check([0.0, 1.0], [[0.0], [0.1]], joints).interpolation == "linear"
    forced = cell.check(
        [0.0, 1.0], [[0.0], [0.1]], joints, velocities=[[0.0], [0.0]], interpolation="linear"
    )
    assert forced.interpolation == "linear"


def test_many_motions_are_answered_in_their_order_and_as_one_by_one(cell):
    read = [read_csv(file) for file in PROGRAMS] * 5
    motions = [
        clearance.Motion(times, positions, joints, name=str(k))
        for k, (times, positions, joints) in enumerate(read)
    ]
    many = cell.check_many(motions)
    assert [answer.program for answer in many] == [f"<{k}>" for k in range(len(read))]
    for (times, positions, joints), answer in zip(read, many):
        alone = cell.check(times, positions, joints, name=answer.program.strip("<>"))
        assert without_seconds(dict(alone.raw)) == without_seconds(dict(answer.raw))


def test_motions_that_come_one_by_one_may_share_their_arrays(cell):
    read = [read_csv(file) for file in PROGRAMS]
    most = max(len(times) for times, _, _ in read)
    shared = np.zeros(most), np.zeros((most, 6))

    def motions():
        for times, positions, joints in read:
            shared[0][: len(times)], shared[1][: len(times)] = times, positions
            yield clearance.Motion(shared[0][: len(times)], shared[1][: len(times)], joints)

    alone = [cell.check(*one).verdict for one in read]
    assert len(set(alone)) > 1
    assert [answer.verdict for answer in cell.check_many(motions())] == alone


def test_options_change_the_question(cell):
    times, positions, joints = read_csv(ROOT / "trajectories" / "arm6" / "pick_place.csv")
    answer = cell.check(times, positions, joints, minimum=True)
    least = answer.minimum_clearance
    assert answer.verdict == "clear" and 0 < least.lower_bound <= least.distance
    overall = cell.check(times, positions, joints, minimum="overall")
    assert answer.raw["minimum_by_class"] and "minimum_by_class" not in overall.raw
    assert overall.minimum_clearance == cell.minimum(times, positions, joints)
    assert abs(cell.minimum(times, positions, joints).distance - least.distance) <= 1e-4
    nearer = cell.check(times, positions, joints, clearance=least.distance + 1e-3)
    assert nearer.verdict == "collision"
    # The verifier of the last options is not taken for these.
    assert cell.check(times, positions, joints).verdict == "clear"


def test_distances_are_those_of_the_command(cell):
    q = np.array([[0.1, -0.4, 0.3, 0.0, 0.2, 0.0], [0.0, 1.4, 0.8, 0.0, 0.0, 0.0]])
    lines = "".join(json.dumps(row) + "\n" for row in q.tolist())
    ran = command("distance", "--cell", CELL, "--no-cache", "--quiet", input=lines)
    expected = [json.loads(line) for line in ran.stdout.splitlines()]
    answers = cell.distance(q)
    assert [answer.raw for answer in answers] == expected
    one = cell.distance(q[0])
    assert one.nearest == answers[0].nearest and one.nearest.distance > 0
    by_name = cell.distance(q[0][::-1], cell.joints[::-1])
    assert by_name.nearest == one.nearest


@pytest.mark.parametrize(
    "arrays, text",
    [
        (([0.0, 0.0], [[0.0], [1.0]], ["joint_1"]), "must increase"),
        (([0.0], [[0.0], [1.0]], ["joint_1"]), "1 times for 2 rows"),
        (([0.0, 1.0], [[0.0], [float("nan")]], ["joint_1"]), r"positions\[1, 0\] is NaN"),
        (([0.0, 1.0], [0.0, 1.0], ["joint_1"]), "shape"),
        (([0.0, 1.0], [[0.0], [1.0]], ["joint_1", "joint_2"]), "2 joint names for 1 column"),
    ],
)
def test_arrays_that_cannot_be_meant_are_refused(cell, arrays, text):
    with pytest.raises(ValueError, match=text):
        cell.check(*arrays)


class Quantity(list):
    """As units are carried along by pint and astropy."""

    units = "degree"


@pytest.mark.parametrize(
    "times, positions, text",
    [
        (np.array([0, 1500], dtype="timedelta64[ms]"), [[0.0], [1.0]], "times are of the type timedelta64"),
        ([0.0, 1.0], Quantity([[0.0], [90.0]]), "positions have a unit"),
        ([0.0, 1.0], np.ma.array([[0.0], [1.0]], mask=[[0], [1]]), "positions have masked entries"),
        ([0.0, 1.0], [[0.0], [1.0 + 2.0j]], "positions are of the type complex"),
        (["0", "1"], [[0.0], [1.0]], "times are of the type <U1"),
        ([0.0, 1.0], [[False], [True]], "positions are of the type bool"),
        # The same one level down.
        ([0.0, 1.0], [Quantity([0.0]), Quantity([90.0])], "positions have a unit"),
        ([0.0, 1.0], [np.ma.array([0.0], mask=[True]), np.ma.array([1.0])], "positions have masked entries"),
        ([0.0, 1.0], [[0.0], [True]], "positions are of the type bool"),
        ([0.0, 1.0], np.array([[0.0], [True]], dtype=object), "positions are of the type bool"),
        (deque([False, 2.0]), [[0.0], [1.0]], "times are of the type bool"),
        ([0.0, 1.0], deque([Quantity([0.0]), Quantity([90.0])]), "positions have a unit"),
        ([0.0, 1.0], [np.array([False]), np.array([True])], "positions are of the type bool"),
        ([0.0, 1.0], np.array([["0"], ["1"]], dtype=object), "positions are of the type str"),
        (np.array([np.timedelta64(0, "ms"), np.timedelta64(5, "ms")], dtype=object), [[0.0], [1.0]], "times"),
        ([np.timedelta64(0, "ms"), np.timedelta64(5, "ms")], [[0.0], [1.0]], "times are of the type timedelta64"),
    ],
)
def test_nothing_is_quietly_turned_into_numbers(cell, times, positions, text):
    with pytest.raises(ValueError, match=text):
        cell.check(times, positions, ["joint_1"])


class Table(np.ndarray):
    """A table with names of columns, as pandas has them."""

    columns = ["joint_2", "joint_1"]


class Row(np.ndarray):
    """A row of such a table."""

    index = ["joint_2", "joint_1"]


def test_the_order_of_joints_is_stated(cell):
    motion = ([0.0, 1.0], np.array([[0.0, 0.1], [1.0, 0.2]]))
    for joints in ({"joint_1", "joint_2"}, frozenset(["joint_1", "joint_2"]), "joint_1"):
        with pytest.raises(ValueError, match="give a list of names"):
            cell.check(*motion, joints)
        with pytest.raises(ValueError, match="give a list of names"):
            cell.distance([0.0, 0.1], joints=joints)
    named = motion[1].view(Table)
    assert cell.check(motion[0], named, ["joint_2", "joint_1"]).verdict != "unverified"
    with pytest.raises(ValueError, match="positions have the columns joint_2, joint_1"):
        cell.check(motion[0], named, ["joint_1", "joint_2"])
    with pytest.raises(ValueError, match="q have the columns joint_2, joint_1"):
        cell.distance(named, joints=["joint_1", "joint_2"])
    rows = [row.view(Row) for row in motion[1]]
    assert cell.check(motion[0], rows, {"joint_2": 0, "joint_1": 1}.keys()).verdict != "unverified"
    with pytest.raises(ValueError, match="positions have the columns joint_2, joint_1"):
        cell.check(motion[0], rows, ["joint_1", "joint_2"])
    with pytest.raises(ValueError, match="q have the columns joint_2, joint_1"):
        cell.distance(rows[0], joints=["joint_1", "joint_2"])
    with pytest.raises(ValueError, match="give 1 to 1024"):
        cell.check_many([clearance.Motion(*motion, ["joint_1", "joint_2"])], threads=100_000)


def test_numbers_of_every_type_are_numbers(cell):
    for kind in (np.float32, np.float16, np.int8, np.uint64, object):
        times, positions = np.array([0, 1], dtype=kind), np.array([[0], [1]], dtype=kind)
        assert cell.check(times, positions, ["joint_1"]).verdict != "unverified"
    backwards = np.asfortranarray([[0.0, 0.1], [1.0, 0.2]])[::-1]
    answer = cell.check([0.0, 1.0], backwards, ["joint_1", "joint_2"])
    same = cell.check([0.0, 1.0], [[1.0, 0.2], [0.0, 0.1]], ["joint_1", "joint_2"])
    assert without_seconds(dict(answer.raw)) == without_seconds(dict(same.raw))


def test_what_cannot_be_verified_is_not_clear(cell):
    answer = cell.check([0.0, 1.0], [[0.0], [1.0]], ["joint_9"])
    assert answer.verdict == "unverified" and "joint_9" in answer.error
    assert cell.check_file("nowhere.csv").verdict == "unverified"
    with pytest.raises(TypeError):
        bool(answer)


def test_errors_have_the_text_of_the_command(tmp_path):
    file = tmp_path / "cell.toml"
    file.write_text('[[robot]]\nurdff = "a.urdf"\n')
    with pytest.raises(clearance.ClearanceError) as error:
        clearance.Cell.load(file)
    ran = command("check", "--cell", file, PROGRAMS[0], "--quiet")
    assert ran.returncode == 2
    assert str(error.value) in (ran.stdout + ran.stderr)
    assert "cell.toml:2" in str(error.value)


def test_threads_may_share_a_cell(cell):
    from concurrent.futures import ThreadPoolExecutor

    times, positions, joints = read_csv(PROGRAMS[0])
    with ThreadPoolExecutor(4) as pool:
        options = [{"clearance": 1e-3 * (k % 3)} for k in range(24)]
        answers = list(pool.map(lambda o: cell.check(times, positions, joints, **o), options))
    for chosen, answer in zip(options, answers):
        alone = cell.check(times, positions, joints, **chosen)
        assert without_seconds(dict(alone.raw)) == without_seconds(dict(answer.raw))


def test_the_command_is_there():
    assert command("--version").stdout.strip() == f"clearance {clearance.__version__}"
    assert command("check").returncode == 2
    module = subprocess.run(
        [sys.executable, "-m", "clearance", "--version"], capture_output=True, text=True
    )
    assert module.stdout.strip() == f"clearance {clearance.__version__}"
