"""Arguments, answers and messages: nothing that can be misread is taken or given."""

import numpy as np
import pytest

import clearance
from clearance import _words

from test_clearance import CELL, PROGRAMS, ROOT, command

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


@pytest.mark.parametrize(
    "option, value, text",
    [
        ("clearance", -1e-9, "clearance is -1e-09; give a number of metres, from 0 on"),
        ("resolution", 0, "resolution is 0; give a number of metres, above 0"),
        ("warn", 0.0, "warn is 0; give a number of metres, above 0"),
        ("warn", -1, "warn is -1"),
        ("minimum_pairs", 0, "minimum_pairs is 0; give a number of metres, above 0"),
        ("minimum_pairs", -1, "minimum_pairs is -1"),
        ("time_limit", 0, "time_limit is 0; give a number of seconds, above 0"),
        ("time_limit", -1, "time_limit is -1"),
        *((name, bad, f"{name} is {bad}")
          for name in ("clearance", "resolution", "warn", "minimum_pairs", "time_limit")
          for bad in (float("nan"), float("inf"), float("-inf"))),
        ("interpolation", "spline", "interpolation is 'spline'; give \"linear\", \"cubic\" or \"quintic\""),
        ("interpolation", 3, "interpolation is 3; give \"linear\""),
    ],
)
def test_options_that_the_command_refuses_are_refused(cell, option, value, text):
    for ask in (
        lambda: cell.check(*MOTION, **{option: value}),
        lambda: cell.check_many([clearance.Motion(*MOTION)], **{option: value}),
        lambda: cell.check_file("nowhere.csv", **{option: value}),
        lambda: cell.minimum(*MOTION, **{option: value}),
    ):
        with pytest.raises(ValueError) as error:
            ask()
        assert text in str(error.value)
    # The command takes a time of 0, in which nothing is decided.
    if (option, value) != ("time_limit", 0):
        words = f"--{option.replace('_', '-')}={value}"
        ran = command("check", "--cell", CELL, words, PROGRAMS[0])
        assert ran.returncode == 2 and "invalid value" in ran.stderr
    if option == "clearance":
        with pytest.raises(ValueError, match="clearance is"):
            cell.distance([0.0] * 6, clearance=value)


@pytest.mark.parametrize(
    "option, value, text",
    [
        ("clearance", "5mm", "clearance is '5mm', of the type str; give a number of metres, from 0 on"),
        ("clearance", True, "clearance is True, of the type bool"),
        ("clearance", np.array([0.001]), "of the type ndarray; give a number of metres"),
        ("clearance", np.timedelta64(5, "ms"), "of the type timedelta64"),
        ("warn", b"1", "warn is b'1', of the type bytes"),
        ("time_limit", "10s", "time_limit is '10s', of the type str; give a number of seconds, above 0"),
        ("limits", "false", "limits is 'false', of the type str; give True or False"),
        ("all", 1, "all is 1, of the type int; give True or False"),
        ("minimum", 0.05, 'minimum is 0.05, of the type float; give True, False, "classes" or "overall"'),
        ("clearence", 0.1, "`clearence` is not an option; the options are clearance, resolution"),
    ],
)
def test_options_of_another_type_are_refused_in_plain_words(cell, option, value, text):
    with pytest.raises(TypeError) as error:
        cell.check(*MOTION, **{option: value})
    assert text in str(error.value)
    if option == "clearance":
        with pytest.raises(TypeError, match="give a number of metres"):
            cell.distance([0.0] * 6, clearance=value)


def test_numbers_and_flags_of_numpy_are_options(cell):
    least = cell.minimum(*MOTION).distance
    for kind in (float, np.float64, np.float32, np.array):
        assert cell.check(*MOTION, clearance=kind(least + 1e-3)).verdict == "collision"
    assert cell.check(*MOTION, limits=np.bool_(False), all=np.bool_(True), warn=None).verdict == "clear"
    # More than a clock can tell is not a limit.
    assert cell.check(*MOTION, time_limit=1e300).verdict == "clear"
    assert cell.check_many([clearance.Motion(*MOTION)], threads=np.int64(1))[0].verdict == "clear"


@pytest.mark.parametrize(
    "joints, text",
    [
        ([1], "joints has 1, of the type int; give a list of names as texts"),
        ([None], "joints has None, of the type NoneType"),
        ([b"joint_1"], "joints has b'joint_1', of the type bytes"),
        (1, "joints are a int; give a list of names"),
    ],
)
def test_joints_are_texts(cell, joints, text):
    for ask in (lambda: cell.check([0.0, 1.0], [[0.0], [0.1]], joints), lambda: cell.distance([0.0], joints)):
        with pytest.raises(ValueError) as error:
            ask()
        assert text in str(error.value)


def test_other_arguments_are_refused_in_plain_words(cell, tmp_path):
    load, robot, motion = clearance.Cell.load, clearance.Cell.robot, clearance.Motion(*MOTION)
    for error, text, ask in [
        (TypeError, "motions are a Motion; give a list", lambda: cell.check_many(motion)),
        (TypeError, "a motion is a tuple; give clearance.Motion", lambda: cell.check_many([MOTION])),
        (TypeError, "threads is 1.5, of the type float", lambda: cell.check_many([motion], threads=1.5)),
        (ValueError, "0 threads; give 1 to 1024", lambda: cell.check_many([motion], threads=0)),
        (ValueError, "positions are not a table of numbers", lambda: cell.check([0, 1], [[0], [0, 1]], ["joint_1"])),
        (TypeError, "file is None, of the type NoneType; give a path", lambda: cell.check_file(None)),
        (TypeError, "file is None, of the type NoneType; give a path", lambda: load(None)),
        (TypeError, "urdf is 1, of the type int; give a path", lambda: robot(1)),
        (TypeError, "obstacles is 1, of the type int; give a path", lambda: robot(ROBOT, [1])),
        (TypeError, "obstacles is 1, of the type int; give a list of paths", lambda: robot(ROBOT, 1)),
        (TypeError, "cache is 'no', of the type str", lambda: load(CELL, cache="no")),
        (TypeError, "visual_as_collision is 1,", lambda: load(CELL, visual_as_collision=1)),
        (ValueError, "cache=False and a cache_dir", lambda: load(CELL, cache=False, cache_dir=tmp_path)),
        (TypeError, "packages is of the type list; give a dict", lambda: load(CELL, packages=["a=b"])),
        (ValueError, "packages has '': 'a'; give the package's name", lambda: load(CELL, packages={"": "a"})),
        (clearance.ClearanceError, "is not a cell file; a robot alone is read by `Cell.robot(", lambda: load(ROBOT)),
        (clearance.ClearanceError, "is not a URDF; a cell file is read by `Cell.load(", lambda: robot(CELL)),
    ]:
        with pytest.raises(error) as raised:
            ask()
        assert text in str(raised.value)


@pytest.mark.parametrize("table", [str(TABLE), TABLE, [TABLE], (str(TABLE),)])
def test_one_obstacle_is_a_path_not_its_letters(table, tmp_path):
    robot = clearance.Cell.robot(ROBOT, table, cache_dir=tmp_path)
    alone = clearance.Cell.robot(ROBOT, cache_dir=tmp_path)
    down = [0.0, 1.2, 0.6, 0.0, 0.0, 0.0]
    assert robot.distance(down).raw != alone.distance(down).raw


def test_a_minimum_that_is_not_there_says_why(cell):
    degrees = [[0.0] * 6, [20.0, 10.0, 10.0, 0.0, 0.0, 0.0]]
    for motion, text in [
        (([0.0, 1.0], degrees), "look like degrees"),
        (([0.0, 1.0], [[0.0], [1.0]], ["joint_9"]), "unknown joint `joint_9`"),
        ((None, np.zeros((2, 6)), None, np.zeros((2, 6))), "interpolation needs times"),
    ]:
        assert cell.check(*motion, minimum=True).minimum_clearance is None
        with pytest.raises(clearance.ClearanceError, match=text):
            cell.minimum(*motion)
    with pytest.raises(clearance.ClearanceError, match="the time limit .* was spent"):
        cell.minimum(None, np.linspace(0.0, 1.0, 300).reshape(50, 6), time_limit=1e-9)


def test_the_name_of_a_motion_stands_in_angle_brackets(cell):
    assert cell.check(*MOTION, name="x").program == "<x>" and "`<name>`" in clearance.Cell.check.__doc__
    assert cell.check(*MOTION).program == "<arrays>"


def test_messages_name_arguments_not_options(cell, tmp_path):
    answer = cell.check(None, np.zeros((2, 6)), velocities=np.zeros((2, 6)))
    assert answer.error.endswith('add times, or ask for `interpolation="linear"`')
    assert answer.raw["error"].endswith("ask for --interpolation linear")
    spent = cell.check(None, np.linspace(0.0, 1.0, 300).reshape(50, 6), time_limit=1e-9)
    assert "give more with `time_limit`, a coarser `resolution`" in spent.error
    bare = tmp_path / "bare.urdf"
    box = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    bare.write_text(
        f'<robot name="r"><link name="a">{box}</link><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    robot = clearance.Cell.robot(bare, cache=False)
    (notice,) = robot.check(None, [[0.0]]).notices
    for message in (notice.message, *(remark.message for remark in robot.remarks)):
        assert "--visual" not in message
    assert any("`visual_as_collision=True`" in remark.message for remark in robot.remarks)
    # The reason is in a notice, which the minimum does not have.
    with pytest.raises(clearance.ClearanceError, match="no body has .*; use `visual_as_collision=True`"):
        robot.minimum(None, [[0.0]])


@pytest.mark.parametrize(
    "said, meant",
    [
        ("use `--visual-as-collision`, or", "use `visual_as_collision=True`, or"),
        ("leave out --all and --minimum,", "leave out `all` and `minimum`,"),
        ("--minimum-pairs is", "`minimum_pairs` is"),
        ("--no-limits", "`limits=False`"),
        ("leave out --interpolation", "leave out `interpolation`"),
        # What is no argument stays, and so do names of files.
        ("--corners exact, --minimum-pair, --all-of-it", "--corners exact, --minimum-pair, --all-of-it"),
        ("a--all.csv, x/--all", "a--all.csv, x/--all"),
    ],
)
def test_words_of_the_command_in_python(said, meant):
    assert _words.in_python(said) == meant
