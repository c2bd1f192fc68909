"""The page of a cell, before there is any program: `clearance inspect --report html`."""

import json
import subprocess
import unittest

import reports
from reports import ROOT, TOOL, folder, frame, link_poses, picture

setUpModule, tearDownModule = reports.start, reports.stop


def inspect(name, *options):
    """Runs `clearance inspect`; gives the HTML file and the JSON of the same cell."""
    page = folder() / f"{name}.html"
    command = [TOOL, "inspect", "--quiet", "--no-cache", *options]
    done = subprocess.run([*command, "--report", f"html={page}"], cwd=ROOT, capture_output=True, text=True)
    assert page.exists(), done.stderr
    answer = subprocess.run([*command, "--format", "json"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == answer.returncode, (done.returncode, answer.returncode)
    return page, json.loads(answer.stdout)


class Cell(reports.Case):
    def test_the_page_shows_what_inspect_says(self):
        page, answer = inspect("cell", "--cell", "robots/arm6/cell.toml")
        self.open(page)
        self.assertEqual(self.run_in("clearance.picture"), "webgl")
        self.assertIn("cell.toml", self.run_in("document.querySelector('h1').textContent"))
        self.assertIn("Nothing has been checked", self.run_in("document.getElementById('nothing-yet').textContent"))
        self.assertIn("nothing is shown to be free", self.run_in("document.getElementById('claim').textContent"))
        self.assertNotIn("clear.", self.run_in("document.querySelector('.headline').textContent"))
        self.assertEqual(self.run_in("clearance.bodies"), [body["name"] for body in answer["bodies"]])
        rows = lambda id: self.run_in(f"[...document.querySelectorAll('#{id} tbody tr')].map(r => r.cells[0].textContent)")
        self.assertEqual(rows("bodies"), [body["name"] for body in answer["bodies"]])
        self.assertEqual(rows("joints"), [joint["name"] for joint in answer["joints"]])
        self.assertEqual(len(rows("pairs")), sum(pair["checked"] for pair in answer["pairs"]))
        picture("cell")

    def test_the_robot_stands_at_rest_and_can_be_jogged(self):
        page, answer = inspect("rest", "--cell", "robots/arm6/cell.toml")
        self.open(page)
        rest = {joint["name"]: joint["rest"] for joint in answer["joints"]}
        stand = lambda joints: link_poses(ROOT / "robots/arm6/robot.urdf", frame([0, 0, 0.8], [0, 0, 0]), joints)
        self.assertEqual(self.run_in("clearance.joints"), rest)
        for link, pose in stand(rest).items():
            self.assert_pose(f"arm/{link}", pose)
        self.run_in("document.getElementById('jog').click()")
        self.run_in("const s = document.querySelector('.joints input'); s.value = 0.5; s.dispatchEvent(new Event('input'))")
        first = answer["joints"][0]["name"]
        for link, pose in stand({**rest, first: 0.5}).items():
            self.assert_pose(f"arm/{link}", pose)
        self.run_in("document.getElementById('jog').click()")
        self.assertEqual(self.run_in("clearance.joints"), rest)
        self.quiet()

    def test_frames_are_shown_where_bodies_are(self):
        page, answer = inspect("frames", "--cell", "robots/arm6/cell.toml")
        self.open(page)
        count = "document.querySelectorAll('.marks .frame').length"
        self.assertEqual(self.run_in(count), 0)
        before = self.drawn("document.getElementById('show-edges').click()")
        after = self.drawn("document.getElementById('show-frames').click()")
        self.assertNotEqual(before, after)
        self.assertEqual(self.run_in(count), len(answer["bodies"]))
        names = self.run_in("[...document.querySelectorAll('.marks .frame title')].map(t => t.textContent)")
        self.assertEqual(names, [body["name"] for body in answer["bodies"]])
        picture("frames", whole=False)

    def test_a_cell_that_cannot_be_verified_is_shown_all_the_same(self):
        cell = folder() / "huge.toml"
        part = ROOT / "robots/arm6"
        cell.write_text(f'[[robot]]\nurdf = "{part}/robot.urdf"\n[[obstacle]]\nname = "tower"\nmesh = "tower.stl"\n')
        (folder() / "tower.stl").write_text("solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 900 0 0\nvertex 0 900 0\nendloop\nendfacet\nendsolid t\n")
        page, answer = inspect("huge", "--cell", str(cell))
        self.assertEqual(len(answer["impossible"]), 1)
        self.open(page)
        self.assertIn("tower", self.run_in("document.querySelector('.headline .error').textContent"))


if __name__ == "__main__":
    unittest.main()
