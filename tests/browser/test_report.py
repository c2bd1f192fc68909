"""The HTML report as a reader meets it: opened from disk in a headless Chromium, compared with the JSON report of the same run
and with forward kinematics from the URDF alone."""

import json
import math
import os
import pathlib
import pty
import subprocess
import unittest

import chromium
import reports
from reports import PICTURES, ROOT, TOOL, changed, check, folder, frame, link_poses, picture

setUpModule, tearDownModule = reports.start, reports.stop


class Report(reports.Case):
    def test_a_page_loads_from_disk_without_complaints_and_is_small(self):
        page, _ = check("clear", ["trajectories/arm6/pick_place.csv"])
        self.assertLess(page.stat().st_size, 3_000_000)
        self.open(page)
        self.assertEqual(self.run_in("clearance.picture"), "webgl")
        self.assertIn("pick_place.csv", self.run_in("document.querySelector('h1').textContent"))
        self.assertIn("clear", self.run_in("document.querySelector('.headline .badge').textContent"))
        self.assertIn("every triangle", self.run_in("document.getElementById('simplified').textContent.toLowerCase()"))
        picture("clear")

    def test_the_page_moves_the_robot_as_the_urdf_says(self):
        page, answer = check("contact", ["trajectories/arm6/swing_through_guard.csv"], "--minimum")
        self.open(page)
        contact = answer["programs"][0]["first_contact"]
        # As it opens, and through the slider.
        for act in ["0", "clearance.time = 0",
                    f"const s = document.getElementById('time'); s.value = {contact['time']!r}; s.dispatchEvent(new Event('input'))"]:
            self.run_in(act)
            if self.run_in("clearance.time") == 0:
                continue
            joints = self.run_in("clearance.joints")
            for name, value in contact["joints"].items():
                self.assertAlmostEqual(joints[name], value, delta=1e-9)
            poses = link_poses(ROOT / "robots/arm6/robot.urdf", frame([0, 0, 0.8], [0, 0, 0]), contact["joints"])
            self.assertGreater(len(poses), 7)
            for link, pose in poses.items():
                self.assert_pose(f"arm/{link}", pose)
            self.assert_pose("gripper", poses["tool0"])
        picture("contact", whole=False)

    def test_a_cubic_and_a_slide_move_as_they_should(self):
        for program, cell, urdf in [
            ("trajectories/arm6/cubic_dips.yaml", "robots/arm6/cell.toml", "robots/arm6/robot.urdf"),
            ("trajectories/scara/too_deep.csv", "robots/scara/cell.toml", "robots/scara/robot.urdf"),
        ]:
            page, answer = check(pathlib.Path(program).stem, [program], cell=cell)
            contact = answer["programs"][0]["first_contact"]
            self.open(page)
            self.run_in("clearance.time = 0")
            self.run_in("document.getElementById('go').click()")
            self.assertAlmostEqual(self.run_in("clearance.time"), contact["time"], delta=1e-12)
            joints = self.run_in("clearance.joints")
            for name, value in contact["joints"].items():
                self.assertAlmostEqual(joints[name], value, delta=1e-9)
            moved = {name: pose for name, pose in link_poses(ROOT / urdf, frame([0, 0, 0], [0, 0, 0]), contact["joints"]).items()}
            # The base's place in the world is the cell's; relative to it the links stand as the URDF says.
            root = next(iter(moved))
            for name in moved:
                full = self.run_in(f"[{json.dumps('arm/' + name)}, {json.dumps(name)}].find(n => {{ try {{ return clearance.pose(n).length }} catch {{ return false }} }})")
                if full and not full.endswith(root):
                    got = self.run_in(f"clearance.pose({json.dumps(full)})")
                    base = self.run_in(f"clearance.pose({json.dumps(full[:-len(name)] + root)})")
                    apart = math.dist(got[9:], base[9:])
                    self.assertAlmostEqual(apart, math.dist([r[3] for r in moved[name][:3]], [r[3] for r in moved[root][:3]]), delta=1e-9)

    def test_the_least_of_the_plot_is_the_least_of_the_report(self):
        for name in ["pick_place", "near_miss", "place_too_low", "swing_through_guard", "folds_onto_itself"]:
            page, answer = check(f"least_{name}", [f"trajectories/arm6/{name}.csv"], "--minimum")
            self.open(page)
            least, minimum = self.run_in("clearance.least"), answer["programs"][0]["minimum_clearance"]
            self.assertAlmostEqual(least["distance"], minimum["distance"], delta=1e-9, msg=name)
            # Of several pairs that touch, either may be named.
            if minimum["distance"] > 0:
                self.assertEqual(least["pair"], f"{minimum['a']} – {minimum['b']}", msg=name)
            for curve in self.run_in("clearance.curves"):
                self.assertEqual(len(curve["bounds"]), len(curve["times"]) - 1)
                for k, bound in enumerate(curve["bounds"]):
                    self.assertLessEqual(bound, min(curve["distances"][k:k + 2]))

    def test_every_pair_has_a_bound_where_the_least_is_proved(self):
        page, answer = check("bounds", ["trajectories/arm6/pick_place.csv"], "--minimum")
        self.open(page)
        bounds = self.run_in("[...document.querySelectorAll('#pairs tbody tr')].map(r => r.children[4].textContent)")
        self.assertEqual(len(bounds), answer["pairs"])
        self.assertNotIn("–", bounds)
        least = answer["programs"][0]["minimum_clearance"]["lower_bound"]
        for bound in bounds:
            self.assertGreaterEqual(float(bound.removesuffix(" mm")), 1e3 * least - 0.001)

    def test_what_is_only_possible_is_called_so(self):
        robot = ROOT / "robots/arm6"
        text = (robot / "cell.toml").read_text()
        text = text.replace('"robot.urdf"', f'"{robot}/robot.urdf"').replace('"meshes/', f'"{robot}/meshes/')
        cell = folder() / "possible.toml"
        cell.write_text(text + '\n[uncertainty]\nbase = { xyz = "5mm" }\n')
        page, answer = check("possible", ["trajectories/arm6/near_miss.csv"], "--all", "--minimum-pairs", cell=str(cell))
        program = answer["programs"][0]
        self.assertEqual(program["verdict"], "possible")
        self.open(page)
        self.assertIn(" may meet ", self.run_in("document.querySelector('.headline').textContent"))
        possible = {frozenset([c["a"], c["b"]]) for c in program["contacts"]}
        rows = self.run_in("[...document.querySelectorAll('#pairs tbody tr')].map(r => [0, 1, 2].map(k => r.children[k].textContent))")
        self.assertEqual(len(rows), answer["pairs"])
        for a, b, result in rows:
            # The ideal motion keeps all of them apart: that is no reason to call a pair clear.
            self.assertIn(result, ["possible"] if frozenset([a, b]) in possible else ["clear", "–"], f"{a} {b}")
        band = "document.querySelector('.ticks .band').classList.contains('possible')"
        self.assertTrue(self.run_in(band))

    def test_the_slider_the_keys_and_play_move_time(self):
        page, _ = check("keys", ["trajectories/arm6/pick_place.csv"])
        self.open(page)
        self.run_in("document.getElementById('time').focus()")
        reports.BROWSER.press("ArrowRight")
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.08, delta=1e-9)
        self.run_in("document.activeElement.blur()")
        reports.BROWSER.press(" ", "Space", " ")
        # It plays by the clock of the screen, which may be slow to begin: ends when time has moved.
        self.run_in("new Promise(done => { const look = () => clearance.time > 0.08 + 1e-6 ? done() : setTimeout(look, 20); look(); })")
        reports.BROWSER.press(" ", "Space", " ")
        still = self.run_in("clearance.time")
        self.run_in("new Promise(done => setTimeout(done, 200))")
        self.assertEqual(self.run_in("clearance.time"), still)
        self.run_in("document.querySelector('[aria-label=\"Waypoint after\"]').click()")
        self.assertGreater(self.run_in("clearance.time"), still)
        self.quiet()

    def test_tables_sort_filter_and_lead_to_the_picture(self):
        page, answer = check("tables", ["trajectories/arm6/place_too_low.csv"], "--minimum-pairs=100m", "--all")
        self.open(page)
        column = "[...document.querySelectorAll('#pairs tbody tr')].map(r => r.children[{}].textContent)".format
        rows = self.run_in(column(0))
        self.assertEqual(len(rows), answer["pairs"])
        self.run_in("document.querySelectorAll('#pairs th button')[3].click()")
        least = [float(t.split()[0]) for t in self.run_in(column(3))]
        self.assertEqual(least, sorted(least))
        self.run_in("document.querySelectorAll('#pairs th button')[3].click()")
        self.assertEqual(self.run_in("document.querySelectorAll('#pairs th')[3].ariaSort"), "descending")
        self.assertEqual([float(t.split()[0]) for t in self.run_in(column(3))], sorted(least, reverse=True))
        self.run_in("const f = document.querySelector('#pairs input'); f.value = 'gripper fixture'; f.dispatchEvent(new Event('input'))")
        self.assertEqual(self.run_in(column(0)), ["gripper"])
        self.run_in("document.querySelector('#pairs tbody tr').click()")
        self.assertEqual(self.run_in("clearance.chosen"), "gripper – fixture")
        self.assertAlmostEqual(self.run_in("clearance.time"), answer["programs"][0]["first_contact"]["time"], delta=1e-9)
        self.assertEqual(self.run_in("document.querySelectorAll('#contacts tbody tr').length"), len(answer["programs"][0]["contacts"]))
        self.quiet()

    def test_light_and_dark(self):
        page, _ = check("dark", ["trajectories/arm6/near_miss.csv"], "--clearance", "5mm")
        background = "getComputedStyle(document.body).backgroundColor"
        shades = {}
        for dark in [False, True]:
            reports.BROWSER.window(1440, 900, dark=dark)
            self.open(page)
            shades[dark] = self.run_in(background)
            picture(f"near_miss_{'dark' if dark else 'light'}")
        self.assertNotEqual(shades[False], shades[True])
        # The button goes against the system's wish.
        self.run_in("document.getElementById('theme').click()")
        self.assertEqual(self.run_in(background), shades[False])
        self.quiet()

    def test_what_can_be_shown_is_drawn(self):
        page, _ = check("overlays", ["trajectories/arm6/swing_through_guard.csv"])
        self.open(page)
        plain = self.drawn("clearance.time = clearance.time")
        seen = {plain}
        choose = "(l => {{ l.value = {1!r}; l.dispatchEvent(new Event('change')); }})(document.getElementById('{0}'))".format
        for step in [choose("level", "2"), choose("level", "5"), choose("balls-of", "all"),
                     "document.getElementById('show-through').click()", "document.getElementById('show-edges').click()",
                     "document.getElementById('show-path').click()", "document.getElementById('show-contact').click()",
                     "document.getElementById('closer').click()"]:
            now = self.drawn(step)
            self.assertNotIn(now, seen, step)
            seen.add(now)
            if "balls-of" in step:
                # Without spheres it is the picture of before.
                self.assertEqual(self.drawn(choose("level", "-1")), plain)
        self.assertEqual(self.run_in("document.querySelectorAll('.plot rect.contact').length"), 1)
        self.assertEqual(self.run_in("document.querySelectorAll('.plot line.threshold').length"), 1)
        self.quiet()

    def test_the_spheres_that_meet_are_drawn(self):
        page, report = check("spheres", ["trajectories/arm6/place_too_low.csv"], "--method", "sampling", "--shape", "ranked", "--leaf-radius", "10mm", "--all")
        first = report["programs"][0]["first_contact"]
        self.assertTrue(all(count > 0 for count in first["spheres"]["count"]), first["spheres"]["count"])

        def without(data):
            """The same page of a run that tells no spheres."""
            if isinstance(data, dict):
                data.pop("spheres", None)
            for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else []:
                without(part)

        at, later = f"clearance.time = {first['time']!r}", f"clearance.time = {first['time'] + 0.05!r}"
        self.open(page)
        pictures = [self.drawn(step) for step in [at, later]]
        self.quiet()
        self.open(changed(page, "no-spheres", without))
        # They belong to the instant of the contact.
        self.assertNotEqual(self.drawn(at), pictures[0])
        self.assertEqual(self.drawn(later), pictures[1])
        self.quiet()

    def test_several_programs_in_one_page(self):
        names = ["pick_place", "place_too_low", "beyond_limit", "near_miss"]
        page, answer = check("several", [f"trajectories/arm6/{n}.csv" for n in names] + ["trajectories/arm6/gone.csv"])
        self.assertLess(page.stat().st_size, 3_000_000)
        self.open(page)
        words = "[...document.querySelectorAll('#programs tbody tr')].map(r => r.children[0].textContent)"
        # Worst first; a heading sorts otherwise.
        self.assertEqual(self.run_in(words), ["collision", "unverified", "limit", "clear", "clear"])
        self.run_in("document.querySelectorAll('#programs th button')[1].click()")
        self.assertEqual(self.run_in(words), ["limit", "unverified", "clear", "clear", "collision"])
        self.run_in("document.querySelector('#programs th button').click()")
        self.assertEqual(self.run_in(words), ["collision", "unverified", "limit", "clear", "clear"])
        picture("several")
        for row, verdict in enumerate(["collision", "unverified", "limit"]):
            self.run_in(f"document.querySelectorAll('#programs tbody tr')[{row}].click()")
            reports.BROWSER.settle()
            self.assertEqual(self.run_in("document.querySelector('.headline .badge').textContent"), verdict)
            if verdict == "collision":
                contact = answer["programs"][1]["first_contact"]
                self.assertAlmostEqual(self.run_in("clearance.time"), contact["time"], delta=1e-9)
            self.run_in("document.getElementById('back').click()")
        self.quiet()

    def test_a_library_has_a_list_that_leads_to_pages(self):
        page = folder() / "library.html"
        done = subprocess.run([TOOL, "batch", "--quiet", "--no-cache", "--cell", "robots/arm6/cell.toml", "trajectories/arm6/*.csv",
                               "--report", f"html={page}"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.open(page)
        picture("library")
        rows = self.run_in("[...document.querySelectorAll('#programs tbody tr')].map(r => [...r.children].map(c => c.textContent))")
        self.assertEqual(len(rows), len(list((ROOT / "trajectories/arm6").glob("*.csv"))))
        links = {r[1] for r in rows if self.run_in(f"[...document.querySelectorAll('#programs a')].some(a => a.textContent === {json.dumps(r[1])})")}
        self.assertEqual(links, {r[1] for r in rows if r[0] != "clear"})
        self.assertEqual(len(list(page.with_name("library_pages").iterdir())), len(links))
        address = self.run_in("[...document.querySelectorAll('#programs a')].find(a => a.textContent.includes('place_too_low')).href")
        self.open(address.removeprefix("file://"))
        self.assertIn("place_too_low.csv", self.run_in("document.querySelector('h1').textContent"))
        self.assertEqual(self.run_in("clearance.picture"), "webgl")
        self.assertIn(":10 → 11", self.run_in("document.querySelector('aside').textContent"))
        self.assertTrue(self.run_in("document.getElementById('list').href").endswith("/library.html"))
        self.quiet()

    def test_a_bar_tells_how_many_pages_are_written(self):
        """On a terminal only: standard error of this run is one."""
        page, place = folder() / "told.html", folder() / "told"
        place.mkdir()
        (place / "robot.urdf").write_text("""<robot name="r"><link name="base"/><link name="car">
            <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
            <joint name="x" type="prismatic"><parent link="base"/><child link="car"/><axis xyz="1 0 0"/>
            <limit lower="-9" upper="9" velocity="9" effort="9"/></joint></robot>""")
        (place / "cell.toml").write_text('[[robot]]\nurdf = "robot.urdf"\n[[obstacle]]\nname = "block"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [1, 0, 0] }\n')
        for name in ["a", "b"]:
            (place / f"{name}.csv").write_text("time,x\n0,0\n1,1\n")
        terminal, end = pty.openpty()
        command = [TOOL, "batch", "--no-cache", "--cell", place / "cell.toml", place / "a.csv", place / "b.csv", "--report", f"html={page}"]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=end) as run:
            os.close(end)
            told = b""
            while True:
                try:
                    told += os.read(terminal, 65536)
                except OSError:
                    # The other end is closed: the run is over.
                    break
        os.close(terminal)
        self.assertEqual(run.returncode, 1)
        self.assertIn("0/2 pages", told.decode())
        self.assertEqual(len(list((folder() / "told_pages").iterdir())), 2)

    def test_names_from_files_are_only_names(self):
        """Bodies, joints, programs called like tags and like scripts come out as text, and do nothing."""
        wicked = "</script><img src=x onerror=document.title='hit'>\"'&amp;"
        place = folder() / "wicked"
        place.mkdir(exist_ok=True)
        joint = wicked.replace(";", "")  # a header of a CSV must not mix separators
        quoted, quoted_joint = (text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for text in [wicked, joint])
        (place / "robot.urdf").write_text(f"""<robot name="r"><link name="base"/><link name="{quoted}">
            <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
            <joint name="{quoted_joint}" type="prismatic"><parent link="base"/><child link="{quoted}"/><axis xyz="1 0 0"/>
            <limit lower="-9" upper="9" velocity="9" effort="9"/></joint></robot>""")
        (place / "cell.toml").write_text(f"""[[robot]]\nurdf = "robot.urdf"\n[[obstacle]]\nname = {json.dumps(wicked + '2')}\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [1, 0, 0] }}\n""")
        name = "<script>document.title='hit'<" + "!--.csv"
        csv = joint.replace('"', '""')
        (place / name).write_text(f"time,\"{csv}\"\n0,0\n1,1\n")
        page, answer = check("names", [str(place / name)], cell=str(place / "cell.toml"))
        self.assertEqual(answer["verdict"], "collision")
        self.open(page)
        self.assertIn("clearance", self.run_in("document.title"))
        self.assertNotEqual(self.run_in("document.title"), "hit")
        self.assertEqual(self.run_in("document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.run_in("document.querySelectorAll('script').length"), 2)
        self.assertIn(wicked, self.run_in("document.querySelector('.headline').textContent"))
        self.assertIn(joint, self.run_in("document.querySelector('.joints').textContent"))
        self.assertIn(name, self.run_in("document.querySelector('h1').textContent"))
        self.quiet()

    def test_what_cannot_be_shown_is_still_told(self):
        page, answer = check("gone", ["trajectories/arm6/place_too_low.csv"])
        contact = answer["programs"][0]["first_contact"]
        # As it is when a file has changed since the check.
        self.open(reports.changed(page, "gone_since", lambda data: data["programs"].__setitem__(0, None)))
        self.assertIn("cannot be shown", self.run_in("document.getElementById('no-picture').textContent"))
        told = self.run_in("document.querySelector('main').textContent")
        for word in ["collision", contact["a"], contact["b"], *contact["joints"]]:
            self.assertIn(word, told)
        self.quiet()

    def delayed(self, name, offset, delay, *options):
        """Two arms for every delay; the page and the answer for the program."""
        visit = "trajectories/two_arms/visit.csv"
        page, answer = check(name, ["--program", f"left={visit}", "--program", f"right={visit}@{offset}s", "--any-delay", f"{delay}s", *options],
                             cell="robots/two_arms/cell.toml")
        self.open(page)
        return answer["programs"][0]

    def test_a_contact_at_some_delay_is_shown_with_that_delay(self):
        program = self.delayed("delay_contact", 3.2, 0.5, "--all", "--minimum-pairs=100m")
        contact = program["first_contact"]
        self.assertGreater(max(contact["delays"]), 0.05)
        self.assertIn(f"started {max(contact['delays']):.3f} s late", self.run_in("document.getElementById('delays').textContent"))
        self.assertAlmostEqual(self.run_in("clearance.time"), contact["time"], delta=1e-9)
        joints = self.run_in("clearance.joints")
        for name, value in contact["joints"].items():
            self.assertAlmostEqual(joints[name], value, delta=1e-9, msg=name)
        pair = f"{contact['a']} – {contact['b']}"
        curve = next(c for c in self.run_in("clearance.curves") if c["pair"] == pair)
        near = min(range(len(curve["times"])), key=lambda k: abs(curve["times"][k] - contact["time"]))
        self.assertAlmostEqual(curve["distances"][near], contact["distance"], delta=1e-9)
        # What is proved is proved over all delays, also where it is less than the curves of this one show.
        rows = self.run_in("[...document.querySelectorAll('#pairs tbody tr')].map(r => [...r.children].map(c => c.textContent))")
        self.assertEqual(len(rows), len(program["pair_minimums"]))
        least = {(m["a"], m["b"]): m for m in program["pair_minimums"]}
        for row in rows:
            proved = 1e3 * least[row[0], row[1]]["lower_bound"]
            self.assertLessEqual(float(row[4].split()[0]), proved + 1e-9, row)
        # A row of another delay has no place in this motion, one of this delay has.
        nearest = next(m for m in program["pair_minimums"] if (m["a"], m["b"]) not in {(c["a"], c["b"]) for c in program["contacts"]}
                       and m.get("delays") and m["delays"] != contact["delays"])
        other = next(k for k, row in enumerate(rows) if row[:2] == [nearest["a"], nearest["b"]])
        self.assertIn("s late", rows[other][-1])
        row = "document.querySelectorAll('#pairs tbody tr')[{}].click()".format
        self.run_in("clearance.time = 1.5")
        self.run_in(row(other))
        self.assertEqual(self.run_in("clearance.chosen"), f"{nearest['a']} – {nearest['b']}")
        self.assertEqual(self.run_in("clearance.time"), 1.5)
        mine = next(k for k, row in enumerate(rows) if row[:2] == [contact["a"], contact["b"]])
        self.run_in(row(mine))
        self.assertAlmostEqual(self.run_in("clearance.time"), contact["time"], delta=1e-9)
        # Contacts of other delays have no bands and no places either.
        elsewhere = next(c for c in program["contacts"] if c.get("delays") != contact["delays"])
        shown = [c for c in program["contacts"] if c.get("delays") == contact["delays"]]
        self.assertEqual(self.run_in("document.querySelectorAll('.ticks rect.band').length"), len(shown))
        self.run_in("clearance.time = 1.5")
        self.run_in(f"[...document.querySelectorAll('#contacts tbody tr')].find(r => r.textContent.includes({elsewhere['a']!r}) && r.textContent.includes({elsewhere['b']!r})).click()")
        self.assertEqual(self.run_in("clearance.time"), 1.5)
        picture("delay_contact")
        self.quiet()

    def test_the_least_over_all_delays_is_shown_with_its_delay(self):
        program = self.delayed("delay_least", 3, 0.1, "--minimum")
        least = program["minimum_clearance"]
        self.assertGreater(max(least["delays"]), 0.05)
        self.assertIn(f"started {max(least['delays']):.3f} s late", self.run_in("document.getElementById('delays').textContent"))
        self.run_in("document.getElementById('go').click()")
        self.assertAlmostEqual(self.run_in("clearance.time"), least["time"], delta=1e-9)
        seen = self.run_in("clearance.least")
        self.assertEqual(seen["pair"], f"{least['a']} – {least['b']}")
        self.assertAlmostEqual(seen["distance"], least["distance"], delta=1e-9)
        self.quiet()

    def test_nothing_is_called_proved_of_a_single_delay(self):
        program = self.delayed("delay_clear", 3, 0.1)
        self.assertEqual(program["verdict"], "clear")
        self.assertIn("without any delay", self.run_in("document.getElementById('delays').textContent"))
        rows = self.run_in("[...document.querySelectorAll('#pairs tbody tr')].map(r => r.children[4].textContent)")
        self.assertEqual(set(rows), {"–"})
        self.assertNotIn("never below", self.run_in("document.querySelector('aside').textContent"))
        self.quiet()

    def relative(self, carrier, carried):
        """Translation of a body in the frame of another one, as the page has both."""
        r, p = (self.run_in(f"clearance.pose({json.dumps(name)})") for name in [carrier, carried])
        away = [p[9 + k] - r[9 + k] for k in range(3)]
        return [sum(r[3 * k + c] * away[k] for k in range(3)) for c in range(3)]

    def test_what_is_carried_moves_along(self):
        page, answer = check("events", ["trajectories/scara_events/take_and_insert.csv"], cell="robots/scara/pick.toml")
        self.open(page)
        def at(time):
            self.run_in(f"clearance.time = {time}")
            return self.run_in("clearance.pose('pin')")[9:]
        first, held, last = at(0), [], at(3.5)
        self.assertEqual(at(0.5), first)
        for time in [0.95, 1.2, 1.7, 2.3, 2.79]:
            at(time)
            held.append(self.relative("palm", "pin"))
        for place in held:
            for x, y in zip(place, held[0]):
                self.assertAlmostEqual(x, y, places=9)
        self.assertGreater(math.dist(at(1.7), first), 0.05)
        self.assertGreater(math.dist(last, first), 0.05)
        # Events cut the motion, but waypoints are those of the program.
        at(3.0)
        self.assertIn("waypoint 10 → 11", self.run_in("document.querySelector('.readout').textContent"))
        # Released: it stays while the hand leaves.
        self.assertEqual(at(2.8), last)
        self.assertEqual(at(3.0), last)
        # A pair has its curve while it is checked, with a gap where it is not.
        curves = [c for c in self.run_in("clearance.curves") if "pin" in c["pair"]]
        self.assertTrue(any(None in c["bounds"] for c in curves), [c["pair"] for c in curves])
        for curve in curves:
            for k, bound in enumerate(curve["bounds"]):
                if bound is not None:
                    self.assertLessEqual(bound, min(curve["distances"][k:k + 2]) + 1e-12)
        self.assertEqual(self.run_in("document.querySelectorAll('#events tbody tr').length"), len(answer["programs"][0]["timeline"]["events"]))
        picture("events")
        self.quiet()

    def test_a_contact_of_what_is_carried_is_shown_where_it_is(self):
        page, answer = check("low", ["trajectories/scara_events/carried_too_low.csv"], cell="robots/scara/pick.toml")
        contact = answer["programs"][0]["first_contact"]
        self.assertIn("pin", [contact["a"], contact["b"]])
        self.open(page)
        self.assertAlmostEqual(self.run_in("clearance.time"), contact["time"])
        self.assertEqual(self.run_in("clearance.chosen"), f"{contact['a']} – {contact['b']}")
        # The contact's point lies on the pin, as the page has it.
        pin = self.run_in("clearance.pose('pin')")[9:]
        self.assertLess(math.dist(pin, contact["point_a" if contact["a"] == "pin" else "point_b"]), 0.05)
        picture("carried")
        self.quiet()

    def test_what_allowances_hid_is_a_table(self):
        page, answer = check("audit", ["trajectories/scara_events/take_and_insert.csv", "--audit-allowed"], cell="robots/scara/pick.toml")
        allowances = answer["programs"][0]["audit"]["allowances"]
        contacts = [c for x in allowances for pair in x.get("pairs", []) for c in pair.get("contacts", [])]
        here = [c for x in allowances for pair in x.get("pairs", []) if pair["touches"] == "here" for c in pair["contacts"]]
        self.assertTrue(contacts and here)
        self.open(page)
        self.assertEqual(self.run_in("document.querySelectorAll('#allowed tbody tr').length"), len(contacts))
        self.assertEqual(self.run_in("document.querySelectorAll('#allowances tbody tr').length"), len(allowances))
        self.run_in("document.querySelector('#allowed tbody tr').click()")
        self.assertAlmostEqual(self.run_in("clearance.time"), min(here, key=lambda c: c["entered"])["time"])
        self.run_in("document.querySelector('#allowed').scrollIntoView({block: 'center'})")
        picture("audit")
        self.quiet()

    def test_a_program_of_one_waypoint_stands_still(self):
        page, _ = check("one", ["trajectories/arm6/one_waypoint.csv"]) if (ROOT / "trajectories/arm6/one_waypoint.csv").exists() else self.one_waypoint()
        self.open(page)
        self.assertEqual(self.run_in("document.getElementById('time').disabled"), True)
        self.assertGreater(self.run_in("clearance.least.distance"), 0)
        self.run_in("document.getElementById('play').click()")
        self.quiet()

    def one_waypoint(self):
        path = folder() / "still.csv"
        path.write_text("joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n0,-0.3,0.3,0,1.2,0\n")
        return check("one", [str(path)])


class WithoutPicture(unittest.TestCase):
    def test_without_webgl_the_rest_is_there(self):
        page, answer = check("without", ["trajectories/arm6/place_too_low.csv"], "--minimum")
        with chromium.Browser(chromium.find(), "--disable-3d-apis") as browser:
            browser.window(1440, 900)
            browser.open(page)
            self.assertEqual(browser.complaints(), [])
            self.assertIn("no 3D", browser.run("document.getElementById('no-webgl').textContent"))
            self.assertGreater(browser.run("document.querySelectorAll('.plot polyline').length"), 5)
            self.assertEqual(browser.run("document.querySelectorAll('#pairs tbody tr').length"), answer["pairs"])
            browser.run("clearance.time = 1")
            if PICTURES:
                browser.picture(os.path.join(PICTURES, "without.png"))


