"""Programs of moves in the HTML report: a table of the moves with their lines, the tool's lines, corners that may be rounded."""

import json

import reports
from reports import ROOT, check, folder

setUpModule, tearDownModule = reports.start, reports.stop

ABOVE = [0.2, 0.5, -0.1, 0, 0.95, 0]
ROW = "[...document.querySelectorAll('#moves tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))"


def program(zone):
    """To a place, straight to the side of it and back; the corner at the side has this zone."""
    move = lambda kind, turn, zone, label, line: {
        "move": kind, "to": {"joints": [turn, *ABOVE[1:]]}, "tool": "tip", "zone": zone, "label": label, "file": "way.src", "line": line,
    }
    path = folder() / f"moves-{zone if isinstance(zone, str) else 'sized'}.motion.json"
    path.write_text(json.dumps({
        "clearance_motion": 1, "units": {"length": "mm", "angle": "rad"}, "joints": [f"joint_{k}" for k in range(1, 7)],
        "frames": {}, "tools": {"tip": {"link": "tool0", "pose": {"xyz": [0, 0, 100]}}},
        "moves": [move("joint", 0.2, "stop", "above", 3), move("linear", 0.25, zone, "side", 5), move("linear", 0.2, "stop", "above", 6)],
    }))
    return str(path)


class Moves(reports.Case):
    def test_moves_are_listed_with_their_lines_and_drawn(self):
        page, report = check("moves", [program({"radius": 5})])
        self.assertEqual([m["line"] for m in report["programs"][0]["moves"]], [5, 6])
        self.open(page)
        rows = self.run_in(ROW)
        self.assertEqual(rows, [["1", "straight move", "side", "way.src:5", "rounded corner"], ["2", "straight move", "above", "way.src:6", ""]])
        # Two lines of the tool, and strips through one corner.
        lines, strips = self.run_in("[clearance.moves.lines.length, clearance.moves.corners[0].strips.length]")
        self.assertEqual(lines, 2)
        self.assertGreater(strips, 1)
        self.assertEqual(self.run_in("clearance.outlines"), lines + strips)
        # The line begins and ends where the tool stands then.
        for time, place in [(0, "clearance.moves.lines[0][0]"), (1, "clearance.moves.lines[0].at(-1)")]:
            pose = self.run_in(f"(clearance.time = {time}, clearance.pose('arm/tool0'))")
            tip = [pose[9 + r] + 0.1 * pose[3 * r + 2] for r in range(3)]
            for got, right in zip(self.run_in(place), tip):
                self.assertAlmostEqual(got, right, delta=1e-6)
        # A strip lies within the triangle of the zone around its tip: no farther from it than the radius.
        far = self.run_in("Math.max(...clearance.moves.corners[0].strips.flat().map((p) => Math.hypot(...[0, 1, 2].map((i) => p[i] - clearance.moves.lines[0].at(-1)[i]))))")
        self.assertLess(far, 0.0051)
        with_lines = self.drawn("clearance.time = 0")
        self.run_in("document.getElementById('show-moves').click()")
        self.assertNotEqual(self.drawn("clearance.time = 0"), with_lines)
        # A row leads to the beginning of its move.
        self.run_in("document.querySelectorAll('#moves tbody tr')[1].click()")
        self.assertEqual(self.run_in("clearance.time"), 1)
        self.assertIn("straight move 2 to above (way.src:6)", self.run_in("document.querySelector('.readout').textContent"))
        self.quiet()

    def test_a_corner_of_unknown_size_is_called_so_and_none_is_drawn_where_none_is_checked(self):
        page, _ = check("moves-unknown", [program("unknown")])
        self.open(page)
        self.assertEqual(self.run_in(ROW)[0][-1], "rounded corner of unknown size")
        page, _ = check("moves-exact", [program("unknown")], "--corners", "exact")
        self.open(page)
        self.assertEqual(self.run_in("clearance.moves.corners.length"), 0)
        self.assertNotIn("rounded", self.run_in("document.getElementById('moves').textContent"))
        self.quiet()

    def test_what_the_picture_leaves_out_is_said(self):
        path = program("stop")
        long = json.loads(open(path).read())
        long["moves"] = long["moves"][:1] + long["moves"][1:] * 251
        path = folder() / "moves-many.motion.json"
        path.write_text(json.dumps(long))
        page, _ = check("moves-many", [str(path)])
        self.open(page)
        self.assertEqual(self.run_in("clearance.moves.lines.length"), 500)
        said = "[...document.querySelectorAll('p')].map((p) => p.textContent).filter((t) => t.includes('leaves out'))"
        self.assertEqual(len(self.run_in(said)), 1)
        self.assertIn("leaves out the last 2 lines.", self.run_in(said)[0])
        self.quiet()
