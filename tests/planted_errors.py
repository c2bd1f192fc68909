#!/usr/bin/env python3
"""Plants errors in the engine, of the kind that make a false `clear`, and sees what catches each: `planted_errors.py [--fit] [--tests] [--suites] [NUMBER...]`.

It works on a copy of the last commit in a folder of its own (PLANTED_FOLDER keeps it for the next time). All errors are built in at once, each behind a number that an
environment variable chooses. Questions are the examples of arm6, scara and two_arms, at thresholds just above the one at which
the sound engine says `clear` for the last time; and one with all of arm6 inside a solid block, at four thresholds: the right
answer to all of them is not `clear`. Where the engine with an error says `clear`, a certificate is asked for. It prints a table for docs/certificates.md.

--fit only sees whether all of them still fit into the files that stand here, which takes no time.
--tests also runs the unit tests of the proof with each error, --suites the suites `examples`, `regression`, `proof` and `no_miss`,
one after the other up to the first one in which a test fails.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
PROOF = "crates/proof/src/"
BOUND, LEAF = "motion/chord_bound.rs", "check/bisection/leaf.rs"
KERNEL, VIEW, SWEEP = "check/bisection/kernel.rs", "check/bisection/view.rs", "check/bisection/sweep.rs"
PAIR, LEAVES, SEPARATION = (f"check/bisection/search/{x}.rs" for x in ("pair", "leaves", "separation"))
SEARCH = "check/bisection/search.rs"

# What it is, file, what stands there (after those above), what stands there with the error (P: whether it is chosen).
ERRORS = [
    ("half a chord bound", BOUND, "second.times(ROUND_UP / 8.0)", "second.times(ROUND_UP / if P { 16.0 } else { 8.0 })"),
    ("no chord bound", BOUND, "by_acceleration: second.times(", "by_acceleration: (if P { ChordBound::default() } else { second }).times("),
    ("half the chord bound from speeds", BOUND, "first.times(ROUND_UP / 2.0)", "first.times(ROUND_UP / if P { 4.0 } else { 2.0 })"),
    ("joints that turn one another are added, not multiplied", BOUND, "a + v * (v + 2.0 * turned);", "a + v * (v + if P { 0.0 } else { 2.0 * turned });"),
    ("accelerations forgotten", BOUND, "h * h * accel_bound(&c, s0, s1)", "if P { 0.0 } else { h * h * accel_bound(&c, s0, s1) }"),
    ("the chord bound of a part's middle for all of it", BOUND, "self.base + self.slope * distance", "self.base + if P { 0.0 } else { self.slope * distance }"),
    ("distances from axes at the first end only", BOUND, "0.5 * (rho0[k] + rho1[k] + beyond) * ROUND_UP", "0.5 * (rho0[k] + if P { rho0[k] } else { rho1[k] + beyond }) * ROUND_UP"),
    ("joints before the shared one counted from the next", SWEEP, "interval.chord_bound(shared, &sweep", "interval.chord_bound(if P { shared + 1 } else { shared }, &sweep"),
    ("the chord bound of the second part forgotten", VIEW, "chord_bound_b: if pair.one_sided {", "chord_bound_b: if P || pair.one_sided {"),
    ("triangles: the last end not looked at", LEAF, "        least_between_ends([first, last], chord_bounds)", "        least_between_ends([first, if P { first } else { last }], chord_bounds)"),
    ("triangles: no chord bound", LEAF, "    least_between_ends([at(0), at(1)], a.chord_bound + b.chord_bound)\n}\n\n/// The same for all", "    least_between_ends([at(0), at(1)], if P { 0.0 } else { a.chord_bound + b.chord_bound })\n}\n\n/// The same for all"),
    ("nodes: boxes at the first end only", KERNEL, "(sense * s0 - w0, sense * s1 - w1)", "(sense * s0 - w0, if P { sense * s0 - w0 } else { sense * s1 - w1 })"),
    ("nodes: boxes without a chord bound", KERNEL, "            let left = max(0.0, 4.0", "            let point_bound = if P { 0.0 } else { point_bound };\n            let left = max(0.0, 4.0"),
    ("nodes: balls at the first end only", KERNEL, "let p = [d0[0] + t", "let t = if P { 0.0 } else { t };\n            let p = [d0[0] + t"),
    ("whole parts: balls at the first end only", SWEEP, "segment_distance_squared(&d0, &d1)", "segment_distance_squared(&d0, if P { &d0 } else { &d1 })"),
    ("whole parts: boxes without a chord bound", VIEW, "            chord_bound: chord_bounds[0].at(bounding_radii[0])", "            chord_bound: if P { -chord_bounds[1].at(bounding_radii[1]) } else { chord_bounds[0].at(bounding_radii[0]) }"),
    ("the threshold forgotten", PAIR, "let required_gap = clearance + pair.radii + view", "let required_gap = (if P { 0.0 } else { clearance }) + pair.radii + view"),
    ("radii of round bodies forgotten", PAIR, "+ pair.radii + view.margin;", "+ (if P { 0.0 } else { pair.radii }) + view.margin;"),
    ("the margin for rounding is 0", PAIR, "{ pair.radii }) + view.margin;", "{ pair.radii }) + if P { 0.0 } else { view.margin };"),
    ("a stale direction of triangles believed", SEPARATION, "            if direction.separation([a].into_iter(), [b].into_iter(), chord_bounds) > required_gap {", "            if P || direction.separation([a].into_iter(), [b].into_iter(), chord_bounds) > required_gap {"),
    ("a stale direction of leaves believed", SEPARATION, "        direction.separation(a, b, chord_bounds) > required_gap\n", "        P || direction.separation(a, b, chord_bounds) > required_gap\n"),
    ("a stale direction of whole parts believed", VIEW, "if boxes.separated_by(known) {", "if (P && *known != Vector3::zeros()) || boxes.separated_by(known) {"),
    ("a triangle of each leaf forgotten", LEAVES, "            for t in triangles(node) {", "            for t in triangles(node).skip(usize::from(P && triangles(node).count() > 1)) {"),
    ("a forgotten leaf: one child of each node left out", "bvh/tree.rs", "&[[ia, nb.first], [ia, nb.first + 1]]);", "&[[ia, nb.first], [ia, nb.first + 1]][..if P { 1 } else { 2 }]);"),
    ("a crowded front forgets", PAIR, "                    later.push(part_pair, FrontEntry::nodes(ia, ib));\n                } else {", "                    if !P { later.push(part_pair, FrontEntry::nodes(ia, ib)); }\n                } else {"),
    ("the second half of an interval left out", SEARCH, "        self.pending.push(half([middle, end], [s, interval.s[1]]));", "        if !P { self.pending.push(half([middle, end], [s, interval.s[1]])); }"),
    ("a pair stands still when its first part does", "check/bisection/search/standing.rs", "self.moving[pair.a] <= pair.shared && self.moving[pair.b] <= pair.shared", "self.moving[pair.a] <= pair.shared && (P || self.moving[pair.b] <= pair.shared)"),
    ("hulls of half the joints' ranges", "motion/swept_ball.rs", "0.5 * self.high - 0.5 * self.low\n    }", "(0.5 * self.high - 0.5 * self.low) * if P { 0.5 } else { 1.0 }\n    }"),
    ("hulls without the threshold", "check/bisection/pair_filter.rs", "let separated = least > threshold + deviation;", "let separated = least > deviation + if P { 0.0 } else { threshold };"),
    ("boxes of tree nodes 2 % too small", "bvh/build.rs", "box_half: half.map(outward).into(),", "box_half: half.map(|x| outward(if P { 0.98 * x } else { x })).into(),"),
    ("balls of tree nodes 2 % too small", "bvh/build.rs", "radius: outward(farthest),", "radius: outward(if P { 0.98 * farthest } else { farthest }),"),
    ("nobody asks what is inside", "check/containment.rs", "    if outer.may_be_solid == Some(false) {", "    if P || outer.may_be_solid == Some(false) {"),
    ("only the second body of a pair is asked for what is inside", "check/containment.rs", "    of_a().or_else(of_b)", "    (if P { None } else { of_a() }).or_else(of_b)"),
    ("half the parabola between the ends", BOUND, "low - left * left / (16.0 * chord_bound)", "low - left * left / (if P { 32.0 } else { 16.0 } * chord_bound)"),
    ("nodes: half the parabola between the ends", KERNEL, "(16.0 * point_bound + TINY)", "(if P { 32.0 } else { 16.0 } * point_bound + TINY)"),
    ("errors of nodes fade towards the ends", KERNEL, "            let gaps = self.", "            let (point_bound, need) = if P { (point_bound + (need - self.required_gap), self.required_gap) } else { (point_bound, need) };\n            let gaps = self."),
    ("errors of leaves fade towards the ends", SEPARATION, "        let [a, b] =\n            [(a, na)", "        let (chord_bounds, required_gap) = if P { (chord_bounds + (required_gap - self.required_gap), self.required_gap) } else { (chord_bounds, required_gap) };\n        let [a, b] =\n            [(a, na)"),
]
# A block around all of arm6.
BLOCK = """
[[obstacle]]
name = "block"
box = [8, 8, 8]
"""

# The cheap ones first.
SUITES = ("examples", "regression", "proof", "no_miss")

SWITCH = """
/// For errors that are planted on purpose: which one.
#[allow(missing_docs, clippy::all)]
pub fn planted(number: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    number == *CHOSEN.get_or_init(|| std::env::var("CLEARANCE_PLANTED").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}
"""


def planted(folder):
    """The files with all errors in them."""
    texts, changed = {}, []
    for number, (what, file, old, new) in enumerate(ERRORS, 1):
        path = folder / PROOF / file
        text = texts.get(path) or path.read_text()
        if text.count(old) != 1:
            changed.append(f"{number}. {what}: {file} has changed ({text.count(old)} places)")
        texts[path] = text.replace(old, re.sub(r"\bP\b", f"crate::planted({number})", new))
    if changed:
        sys.exit("\n".join(changed))
    return texts


def plant(copy):
    for path, text in planted(copy).items():
        path.write_text(text)
    lib = copy / PROOF / "lib.rs"
    lib.write_text(lib.read_text() + SWITCH)


def run(command, number, **more):
    environment = dict(os.environ, CLEARANCE_PLANTED=str(number))
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def questions(copy):
    for folder in ("arm6", "scara", "two_arms"):
        for program in sorted((copy / "trajectories" / folder).iterdir()):
            if program.suffix in (".csv", ".json", ".yaml"):
                yield copy / "robots" / folder / "cell.toml", program
    inside = copy / "robots/arm6/inside.toml"
    inside.write_text((inside.parent / "cell.toml").read_text() + BLOCK)
    yield inside, copy / "trajectories/arm6/pick_place.csv"


def ask(binary, cell, program, micrometres, number, certificate=None):
    command = [binary, "check", "--no-cache", "--quiet", "--report", "json", "--cell", cell, "--clearance", f"{micrometres}um"]
    command += ["--program", f"left={program}"] if "two_arms" in str(cell) else [program]
    command += ["--certificate", certificate] if certificate else []
    result = run([str(word) for word in command], number)
    return result.returncode, result.stdout


def main():
    arguments = sys.argv[1:]
    if arguments == ["--fit"]:
        print(f"{len(ERRORS)} errors fit into {len(planted(HERE))} files")
        return 0
    if any(word not in ("--tests", "--suites") and not word.isdigit() for word in arguments):
        print(__doc__)
        return 2
    tests = []
    if "--tests" in arguments:
        tests.append(("unit tests", ["-p", "clearance-proof", "--lib"]))
    if "--suites" in arguments:
        tests += [(name, ["--test", "suite", "--", f"{name}::"]) for name in SUITES]
    chosen = [int(n) for n in arguments if n.isdigit()] or range(1, len(ERRORS) + 1)
    copy = pathlib.Path(os.environ.get("PLANTED_FOLDER") or tempfile.mkdtemp(prefix="planted"))
    copy.mkdir(parents=True, exist_ok=True)
    # A copy of another commit, or with other errors, would answer in the place of this one.
    made_of = copy / "planted.txt"
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], stdout=subprocess.PIPE, check=True, text=True).stdout
    if not made_of.exists() or made_of.read_text() != f"{commit}{ERRORS}":
        for old in copy.iterdir():
            if old.is_dir() and old.name != "target":
                shutil.rmtree(old)
        archive = subprocess.run(["git", "-C", HERE, "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "x", "-C", copy], input=archive, check=True)
        plant(copy)
        made_of.write_text(f"{commit}{ERRORS}")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or copy / "target")
    build = ["cargo", "build", "--release", "--bin", "clearance"]
    subprocess.run(build, cwd=copy, check=True, env=dict(os.environ, CARGO_TARGET_DIR=str(target)))
    binary = target / "release" / "clearance"
    certificate = copy / "one.cert"

    asked = []
    for cell, program in questions(copy):
        clear, contact = -1, 300_000
        if ask(binary, cell, program, 0, 0)[0] == 0:
            clear = 0
        while clear >= 0 and contact - clear > 1:
            middle = (clear + contact) // 2
            clear, contact = (middle, contact) if ask(binary, cell, program, middle, 0)[0] == 0 else (clear, middle)
        for more in (1, 20, 500, 10_000):
            if ask(binary, cell, program, clear + more, 0)[0] == 1:
                asked.append((cell, program, clear + more))
    print(f"{len(asked)} questions, none of which is `clear`\n")
    print("| planted error | false `clear` | refused by the certificate |" + (" ordinary tests |" if tests else ""))
    print("|---|---|---|" + ("---|" if tests else ""))
    missed = 0
    for number in chosen:
        wrong = refused = 0
        for question in asked:
            if ask(binary, *question, number)[0] != 0:
                continue
            wrong += 1
            certificate.unlink(missing_ok=True)
            code, said = ask(binary, *question, number, certificate)
            if code == 0 or certificate.exists():
                print(f"NOT CAUGHT: {question}: {said}", file=sys.stderr)
                missed += 1
            else:
                refused += 1
        row = f"| {number}. {ERRORS[number - 1][0]} | {wrong} | {refused} |"
        if tests:
            answer = "all pass"
            for suite, command in tests:
                said = run(["cargo", "test", *command], number, cwd=copy).stdout
                failed = re.findall(r"^test (\S+) \.\.\. FAILED", said, re.M)
                if not failed and "test result: ok" not in said:
                    sys.exit(f"{suite} did not run:\n{said[-2000:]}")
                if failed:
                    first = ", ".join(f"`{name.split('::')[-1]}`" for name in failed[:2])
                    answer = f"{suite}: {len(failed)} fail: {first}"
                    break
            row += f" {answer} |"
        print(row, flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
