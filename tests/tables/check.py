#!/usr/bin/env python3
"""Verifies the same programs from tables of their own and from files of many, written by other people's libraries.

    pip install pyarrow mcap rosbags
    cargo build
    python3 tests/tables/check.py target/debug/clearance

The example programs of robots/arm6 are put into Parquet tables (in every compression that is read, with columns and with
lists, as LeRobot has them), one long CSV, lines of JSON, and recordings of ROS 1 and ROS 2. Each program's answer has to be
that of the program's own table, but for its name and its lines. Results as Parquet are read back by pyarrow. Damaged copies
of every file must end with an answer and never with a panic or in more than 1 GB of memory.
"""

import csv
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Writer1
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

TOP = pathlib.Path(__file__).resolve().parents[2]
CELL = TOP / "robots/arm6/cell.toml"
JOINTS = [f"joint_{k}" for k in range(1, 7)]

# The messages of MoveIt that are written; what they name and is empty here is cut short.
MOVEIT = {
    "moveit_msgs/msg/RobotTrajectory": "trajectory_msgs/JointTrajectory joint_trajectory\n"
    "trajectory_msgs/MultiDOFJointTrajectory multi_dof_joint_trajectory\n",
    "moveit_msgs/msg/AttachedCollisionObject": "string link_name\n",
    "moveit_msgs/msg/RobotState": "sensor_msgs/JointState joint_state\n"
    "sensor_msgs/MultiDOFJointState multi_dof_joint_state\n"
    "moveit_msgs/AttachedCollisionObject[] attached_collision_objects\nbool is_diff\n",
    "moveit_msgs/msg/DisplayTrajectory": "string model_id\nmoveit_msgs/RobotTrajectory[] trajectory\n"
    "moveit_msgs/RobotState trajectory_start\n",
}


def programs():
    found = {}
    for file in sorted((TOP / "trajectories/arm6").glob("*.csv")):
        if file.stem == "degrees":
            continue
        rows = list(csv.DictReader(file.open()))
        found[file.stem] = [(float(r["time"]), [float(r[j]) for j in JOINTS]) for r in rows]
    return found


class Tool:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def run(self, *arguments, stdin=None):
        # 1 GB for memory that is touched or not, above what the program and its threads reserve.
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        return subprocess.run(
            [self.command, *map(str, arguments)], input=stdin, capture_output=True, preexec_fn=limit, timeout=600
        )

    def answers(self, *arguments, stdin=None):
        out = self.folder / "report.json"
        out.unlink(missing_ok=True)
        done = self.run("batch", "--cell", CELL, *arguments, "--quiet", "--report", f"json={out}", "--minimum", stdin=stdin)
        assert out.exists(), done.stderr.decode()
        report = json.loads(out.read_text())
        self.notes = [n["message"] for n in report.get("notes", []) if n["code"] == "passed-over"]
        return {p["program"]: p for p in report["programs"]}


def answer(program, digits):
    """What must not depend on the file: everything but names, lines and seconds."""
    text = json.dumps({k: v for k, v in program.items() if k not in ("program", "files", "lines", "statistics")}, sort_keys=True)
    known = json.loads(text)

    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in ("line", "lines", "at", "file")}
        if digits and isinstance(value, float):
            return round(value, digits)
        return [strip(v) for v in value] if isinstance(value, list) else value

    return strip(known)


def same(tool, what, arguments, expected, name, stdin=None, digits=None):
    found = tool.answers(*arguments, stdin=stdin)
    wanted = {name(k): v for k, v in expected.items()}
    assert set(found) == set(wanted), f"{what}: {sorted(found)} in place of {sorted(wanted)}"
    for key, program in wanted.items():
        a, b = answer(found[key], digits), answer(program, digits)
        assert a == b, f"{what}: {key}\n{a}\n{b}"
    print(f"{what}: {len(found)} answers are the same")


def columns(all_programs, number=np.float64):
    ids = [name for name, rows in all_programs.items() for _ in rows]
    rows = [row for rows in all_programs.values() for row in rows]
    table = {"program": ids, "time": np.array([r[0] for r in rows])}
    for k, joint in enumerate(JOINTS):
        table[joint] = np.array([r[1][k] for r in rows], dtype=number)
    return table


def write_tables(folder, all_programs):
    """Parquet tables: file, arguments, name of each program."""
    table = pa.table(columns(all_programs))
    for compression in ["none", "snappy", "zstd", "lz4"]:
        for version in ["1.0", "2.0"]:
            for dictionary in [True, False]:
                file = folder / f"{compression}_{version[0]}_{'dict' if dictionary else 'plain'}.parquet"
                pq.write_table(
                    table, file, compression=compression, data_page_version=version, use_dictionary=dictionary,
                    row_group_size=7, data_page_size=64,
                )
                yield file, []
    # Whole numbers as ids, packed as differences; instants as times; columns that are not joints.
    numbered = columns(all_programs)
    order = {name: n for n, name in enumerate(all_programs)}
    numbered["episode_index"] = np.array([order[i] for i in numbered.pop("program")], dtype=np.int64)
    numbered["frame_index"] = np.arange(len(numbered["episode_index"]))
    numbered["task"] = ["pick"] * len(numbered["episode_index"])
    file = folder / "numbered.parquet"
    pq.write_table(
        pa.table(numbered), file, use_dictionary=False,
        column_encoding={"episode_index": "DELTA_BINARY_PACKED", "time": "BYTE_STREAM_SPLIT"},
    )
    yield file, []
    stamped = columns(all_programs)
    nanoseconds = np.round(stamped.pop("time") * 1e9).astype(np.int64) + 1_700_000_000_000_000_000
    stamped["stamp"] = pa.array(nanoseconds, pa.timestamp("ns"))
    file = folder / "stamped.parquet"
    pq.write_table(pa.table(stamped), file)
    yield file, ["--time-column", "stamp"]


def write_lerobot(folder, all_programs):
    """A data set as LeRobot 3.0 lays it out, in single precision."""
    rows = [(n, k, *row) for n, rows in enumerate(all_programs.values()) for k, row in enumerate(rows)]
    lists = lambda shift: pa.array([[q + shift for q in r[3]] + [0.5] for r in rows], pa.list_(pa.float32(), 7))
    table = pa.table({
        "action": lists(0.1),
        "observation.state": lists(0.0),
        "timestamp": pa.array([r[2] for r in rows], pa.float32()),
        "frame_index": pa.array([r[1] for r in rows], pa.int64()),
        "episode_index": pa.array([r[0] for r in rows], pa.int64()),
    })
    data = folder / "lerobot/data/chunk-000"
    data.mkdir(parents=True)
    pq.write_table(table, data / "file-000.parquet")
    meta = folder / "lerobot/meta"
    meta.mkdir()
    features = {"observation.state": {"dtype": "float32", "shape": [7], "names": {"motors": [*JOINTS, "-"]}}}
    (meta / "info.json").write_text(json.dumps({"codebase_version": "v3.0", "features": features}))
    single = {
        name: [(float(np.float32(t)), [float(np.float32(q)) for q in p]) for t, p in rows]
        for name, rows in all_programs.items()
    }
    return data / "file-000.parquet", single


def write_csv(file, all_programs, head="program,time," + ",".join(JOINTS)):
    lines = ["# many programs", head]
    for name, rows in all_programs.items():
        lines += [",".join([name, repr(t), *map(repr, p)]) for t, p in rows]
    file.write_text("\n".join(lines) + "\n")


def typestore(number):
    store = get_typestore(Stores.ROS1_NOETIC if number == 1 else Stores.ROS2_HUMBLE)
    for name, text in MOVEIT.items():
        store.register(get_types_from_msg(text, name))
    return store


def messages(store, all_programs, number):
    """For every program its trajectory, what MoveIt makes of it, and what a recorder sees of it."""
    types = store.types
    stamp_type = types["builtin_interfaces/msg/Time"]
    duration = types["builtin_interfaces/msg/Duration"]

    def header(t=0.0):
        whole = int(t)
        stamp = stamp_type(sec=whole, nanosec=round((t - whole) * 1e9))
        extra = {"seq": 0} if number == 1 else {}
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id="", **extra)

    none = np.array([], dtype=np.float64)
    for name, rows in all_programs.items():
        points = [
            types["trajectory_msgs/msg/JointTrajectoryPoint"](
                positions=np.array(p), velocities=none, accelerations=none, effort=none,
                time_from_start=duration(sec=int(t), nanosec=round((t - int(t)) * 1e9)),
            )
            for t, p in rows
        ]
        trajectory = types["trajectory_msgs/msg/JointTrajectory"](header=header(), joint_names=JOINTS, points=points)
        robot = types["moveit_msgs/msg/RobotTrajectory"](
            joint_trajectory=trajectory,
            multi_dof_joint_trajectory=types["trajectory_msgs/msg/MultiDOFJointTrajectory"](
                header=header(), joint_names=[], points=[]
            ),
        )
        state = lambda positions, t: types["sensor_msgs/msg/JointState"](
            header=header(t), name=JOINTS, position=np.array(positions), velocity=none, effort=none
        )
        start = types["moveit_msgs/msg/RobotState"](
            joint_state=state(rows[0][1], 0.0),
            multi_dof_joint_state=types["sensor_msgs/msg/MultiDOFJointState"](
                header=header(), joint_names=[], transforms=[], twist=[], wrench=[]
            ),
            attached_collision_objects=[], is_diff=False,
        )
        display = types["moveit_msgs/msg/DisplayTrajectory"](model_id="arm6", trajectory=[robot], trajectory_start=start)
        yield name, trajectory, robot, display, [state(p, 1000.0 + t) for t, p in rows]


def all_messages(store, all_programs, number):
    """(topic, type, message), in the order of a recording."""
    for name, trajectory, robot, display, states in messages(store, all_programs, number):
        yield "/plan", "trajectory_msgs/msg/JointTrajectory", trajectory
        yield "/robot_plan", "moveit_msgs/msg/RobotTrajectory", robot
        yield "/display", "moveit_msgs/msg/DisplayTrajectory", display
        for state in states:
            yield f"/states/{name}", "sensor_msgs/msg/JointState", state
    text = store.types["std_msgs/msg/String"](data="nothing that moves")
    yield "/chatter", "std_msgs/msg/String", text


def write_bag1(file, all_programs, compression):
    store = typestore(1)
    bag = Writer1(file)
    if compression:
        bag.set_compression(compression)
    with bag:
        made = {}
        for n, (topic, kind, message) in enumerate(all_messages(store, all_programs, 1)):
            if topic not in made:
                made[topic] = bag.add_connection(topic, kind, typestore=store)
            bag.write(made[topic], 1_000_000_000 + n, store.serialize_ros1(message, kind))


def write_mcap(file, all_programs, compression, number):
    store = typestore(number)
    with file.open("wb") as out:
        writer = McapWriter(out, compression=compression, chunk_size=4096)
        writer.start(profile="ros1" if number == 1 else "ros2")
        made = {}
        for n, (topic, kind, message) in enumerate(all_messages(store, all_programs, number)):
            if topic not in made:
                text, _ = store.generate_msgdef(kind, ros_version=number)
                written = kind.replace("/msg/", "/") if number == 1 else kind
                schema = writer.register_schema(written, f"ros{number}msg", text.encode())
                made[topic] = writer.register_channel(topic, "ros1" if number == 1 else "cdr", schema)
            data = store.serialize_ros1(message, kind) if number == 1 else store.serialize_cdr(message, kind)
            writer.add_message(made[topic], n, bytes(data), n)
        writer.finish()


def recordings(tool, file, expected):
    # Seconds and nanoseconds make times that differ in the last digit.
    numbers = {name: n for n, name in enumerate(expected, 1)}
    for topic in ["/plan", "/robot_plan", "/display"]:
        same(tool, f"{file.name}{topic}", [f"{file}#{topic}"], expected, lambda name: f"{file}#{topic}@{numbers[name]}", digits=9)
    states = [f"{file}#/states/{name}" for name in expected]
    same(tool, f"{file.name}/states", states, expected, lambda name: f"{file}#/states/{name}", digits=9)
    said = tool.run("check", "--cell", CELL, file).stderr.decode()
    assert "/plan (trajectory_msgs/JointTrajectory, 8 messages)" in said, said
    assert "/chatter (std_msgs/String, 1 messages)" in said, said


def results_as_parquet(tool, folder, table, expected):
    out = folder / "results.parquet"
    tool.run("batch", "--cell", CELL, table, "--quiet", "--minimum", "--report", f"parquet={out}")
    rows = {row["program"]: row for row in pq.read_table(out).to_pylist()}
    assert len(rows) == len(expected)
    for name, program in expected.items():
        row = rows[f"{table}#{name}"]
        assert row["verdict"] == program["verdict"], (row, program)
        first = program.get("first_contact")
        assert (row["contact_time"] is None) == (first is None)
        if first:
            assert (row["contact_a"], row["contact_b"]) == (first["a"], first["b"]), (row, first)
            assert row["contact_time"] == first["time"], (row, first)
        least = program.get("minimum_clearance")
        assert row["minimum_clearance"] == (least["distance"] if least else None), (row, least)
    print(f"results as Parquet: {len(rows)} rows are those of the JSON report")


def damaged(tool, files, rounds):
    random.seed(1)
    copy = tool.folder / "damaged"
    copy.mkdir()
    refused = 0
    for file, topic in files:
        whole = file.read_bytes()
        for _ in range(rounds):
            data = bytearray(whole)
            kind = random.randrange(4)
            at = random.randrange(len(data))
            if kind == 0:
                data = data[:at]
            elif kind == 1:
                data[at:at + 4] = random.choice([b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\x00\x00\x00\x00"])
            elif kind == 2:
                data[at] ^= 1 << random.randrange(8)
            else:
                del data[at:at + random.randrange(1, 40)]
            bad = copy / file.name
            bad.write_bytes(data)
            done = tool.run("batch", "--cell", CELL, f"{bad}{topic}", "--quiet")
            said = done.stderr.decode()
            assert done.returncode in (0, 1, 2), (file, done.returncode, said)
            assert "panicked" not in said and "internal error" not in said, (file, said)
            refused += done.returncode == 2
    print(f"{len(files) * rounds} damaged copies: {refused} were refused, and none broke anything")


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tool = Tool(pathlib.Path(command).resolve(), folder)
        all_programs = programs()
        own = folder / "own"
        own.mkdir()

        def of_tables(wanted, sub):
            place = own / sub
            place.mkdir()
            for name, rows in wanted.items():
                lines = [",".join(["time", *JOINTS])] + [",".join([repr(t), *map(repr, p)]) for t, p in rows]
                (place / f"{name}.csv").write_text("\n".join(lines) + "\n")
            found = tool.answers(place)
            return {name: found[str(place / f"{name}.csv")] for name in wanted}

        expected = of_tables(all_programs, "double")
        assert len({p["verdict"] for p in expected.values()}) > 1
        numbers = {name: n for n, name in enumerate(all_programs)}
        first = None
        for file, arguments in write_tables(folder, all_programs):
            first = first or file
            by_number = file.stem == "numbered"
            name = lambda k: f"{file}#{numbers[k] if by_number else k}"
            same(tool, file.name, [file, *arguments], expected, name)
            if by_number:
                assert any("frame_index, task" in note for note in tool.notes), tool.notes
                assert len(tool.notes) == 1
        file, single = write_lerobot(folder, all_programs)
        lerobot = of_tables(single, "single")
        same(tool, "LeRobot", [file, "--list-column", "observation.state"], lerobot, lambda k: f"{file}#{numbers[k]}")
        done = tool.run("batch", "--cell", CELL, file)
        assert b"--list-column" in done.stderr + done.stdout, done
        file = folder / "long.csv"
        write_csv(file, all_programs)
        same(tool, "one long CSV", [file], expected, lambda k: f"{file}#{k}")
        same(tool, "one of it", [f"{file}#shortcut"], {"shortcut": expected["shortcut"]}, lambda k: f"{file}#{k}")
        lines = [
            json.dumps({"id": k, "joints": JOINTS, "times": [t for t, _ in rows], "positions": [p for _, p in rows]})
            for k, rows in all_programs.items()
        ]
        same(tool, "lines of JSON", ["-"], expected, lambda k: k, stdin="\n".join(lines).encode())
        kept = [(first, ""), (folder / "numbered.parquet", ""), (file, "")]
        for compression in [None, Writer1.CompressionFormat.BZ2, Writer1.CompressionFormat.LZ4]:
            file = folder / f"bag_{compression.name if compression else 'none'}.bag"
            write_bag1(file, all_programs, compression)
            recordings(tool, file, expected)
            kept.append((file, "#/display"))
        for compression in [CompressionType.NONE, CompressionType.LZ4, CompressionType.ZSTD]:
            for number in [1, 2]:
                file = folder / f"{compression.name}_ros{number}.mcap"
                write_mcap(file, all_programs, compression, number)
                recordings(tool, file, expected)
                kept.append((file, "#/states/shortcut"))
        results_as_parquet(tool, folder, first, expected)
        damaged(tool, kept, 25)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
