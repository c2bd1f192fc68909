"""What a reader of the HTML report must not be misled by, and how it is worked: claims, order, names, colours, fingers, keys."""

import functools
import json
import random
import re
import subprocess
import xml.etree.ElementTree as xml

import reports
from reports import ROOT, TOOL, changed, check, folder, frame, link_poses, picture

setUpModule, tearDownModule = reports.start, reports.stop

# Nothing may be wider than the window but what lies in a box of its own that can be scrolled.
SPILLS = """[...document.querySelectorAll('main *')]
    .filter((e) => !e.closest('.scroll, svg, [hidden]') && e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > innerWidth + 0.5)
    .map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 60)}`)"""
WORDS = "document.querySelector('main').textContent"
SHOWN = "document.querySelector('main').innerText"


@functools.cache
def short(cell="robots/arm6/cell.toml", joints=tuple(f"joint_{k}" for k in range(1, 7)), values=(0, -0.3, 0.3, 0, 1.2, 0)):
    """A clear program of 8 s that turns its first joint a little: a page and its answer, made once."""
    name = "short_" + cell.split("/")[1]
    program = folder() / f"{name}.csv"
    rows = [[t, values[0] + turn, *values[1:]] for t, turn in [(0, 0), (8, 0.05)]]
    program.write_text("\n".join(",".join(map(str, row)) for row in [["time", *joints], *rows]) + "\n")
    return check(name, [str(program)], cell=cell)


def contact(a, b, time, **more):
    """A contact as the report has it, 0.1 s long."""
    return {"time": time, "free_until": time - 0.001, "until": time + 0.1, "segment": 0, "fraction": 0.5, "a": a, "b": b, "kind": "contact",
            "distance": 0.0, "point_a": [0.4, 0, 0.9], "point_b": [0.4, 0, 0.9], "normal": [0, 0, 0], "joints": {}, **more}


class Claims(reports.Case):
    """Nothing is called proved or complete that is not."""

    def assert_claims_nothing(self, text):
        for said in [r"clear is proved", r"\b0 pairs[^.]{0,80}proved", r"is a proof", r"nothing was left out", r"every instant", r"stays? more than its threshold"]:
            self.assertIsNone(re.search(said, text, re.IGNORECASE), f"{said}: {text[:2000]}")

    def test_an_unverified_page_calls_nothing_proved(self):
        gone, _ = check("gone", ["trajectories/arm6/gone.csv"])
        broken = folder() / "broken.toml"
        broken.write_text('[[robot]]\nurdf = "nowhere.urdf"\n')
        no_cell, _ = check("no_cell", ["trajectories/arm6/pick_place.csv"], cell=str(broken))
        for page in [gone, no_cell]:
            self.open(page)
            self.assertEqual(self.run_in("document.querySelector('.headline .badge').textContent"), "unverified")
            self.assert_claims_nothing(self.run_in(WORDS))
            self.assertIn("nothing is shown to be free", self.run_in("document.getElementById('claim').textContent"))
            self.assertRegex(self.run_in(WORDS), "nowhere.urdf|gone.csv")

    def test_what_was_checked_for_an_unverified_program_is_not_called_clear(self):
        """A link that moves was not checked: its pairs have distances, and none of them is a verdict."""
        page, _ = short()

        def unverified(data):
            data["rows"][0]["verdict"] = data["report"]["verdict"] = data["report"]["programs"][0]["verdict"] = "unverified"
            data["report"]["unchecked"] = [{"code": "surface-only", "severity": "unchecked", "subject": "arm/tool0", "message": "no collision geometry"}]
            data["report"]["notices"] = [{"code": "unchecked-link", "severity": "notice", "subject": "arm/tool0", "message": "it moves and has no collision geometry"}]

        self.open(changed(page, "open_link", unverified))
        self.assertIsNone(re.search("clear is proved|is a proof", self.run_in(WORDS)))
        self.assertEqual(self.run_in("document.querySelectorAll('#pairs .badge.clear').length"), 0)
        headline = self.run_in("document.querySelector('.headline').textContent")
        self.assertIn("unchecked-link: arm/tool0: it moves and has no collision geometry", headline)
        self.assertIn("1 thing not checked", headline)
        self.assertIn("arm/tool0", self.run_in("document.getElementById('unchecked').textContent"))

    def test_what_a_contact_or_a_corner_leaves_open_is_not_called_clear(self):
        """Regression: beside a contact, what was not settled was called clear; so was what else meets in an open corner."""
        page, _ = short()
        clear = "document.querySelectorAll('#pairs .badge.clear').length"

        def changes(verdict, **more):
            def change(data):
                data["rows"][0]["verdict"] = data["report"]["verdict"] = data["report"]["programs"][0]["verdict"] = verdict
                data["rows"][0].update(more)
                data["report"]["programs"][0].update(more)
            return change

        corners = {"unchecked": [{"code": "rounded-corners", "severity": "note", "subject": "2 corners", "message": "hull"}]}
        for name, change, some in [
            ("only_possible", changes("possible"), True),
            ("in_a_corner", changes("possible", **corners), False),
            ("only_collision", changes("collision"), True),
            ("not_settled", changes("collision", unsettled=True), False),
        ]:
            self.open(changed(page, name, change))
            self.assertEqual(self.run_in(clear) > 0, some, name)
            proof = self.run_in("document.getElementById('claim').textContent")
            self.assertEqual("A clear answer is a proof." in proof, name != "not_settled", proof)

    def test_no_pair_is_no_proof(self):
        page, _ = short()

        def nothing(data):
            data["report"]["pairs"], data["model"]["pairs"], data["programs"][0]["curves"] = 0, [], []
            data["report"]["verdict"] = data["rows"][0]["verdict"] = data["report"]["programs"][0]["verdict"] = "unverified"

        self.open(changed(page, "no_pairs", nothing))
        self.assert_claims_nothing(self.run_in(WORDS))
        self.assertIn("there is no pair of bodies to check", self.run_in("document.getElementById('claim').textContent"))

    def test_a_list_says_what_it_proves(self):
        claim = "document.getElementById('claim').textContent"
        page, _ = short()
        self.open(page)
        self.assertIn("A clear answer is a proof.", self.run_in(claim))

        def one_open(data):
            data["rows"].append({**data["rows"][0], "verdict": "unverified"})

        self.open(changed(page, "one_open", one_open))
        self.assertIn("for 1 program that is not settled nothing is shown to be free", self.run_in(claim))
        # A sampler proves nothing, and a list of a batch has it in its rows only.
        listed, program = folder() / "sampled.html", folder() / "still.csv"
        program.write_text("time,joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n0,0,-0.3,0.3,0,1.2,0\n1,0.01,-0.3,0.3,0,1.2,0\n")
        subprocess.run([TOOL, "batch", "--quiet", "--no-cache", "--cell", "robots/arm6/cell.toml", program,
                        "--method", "sampling", "--html-pages", "none", "--report", f"html={listed}"], cwd=ROOT, capture_output=True)
        self.open(listed)
        self.assertIn("Nothing is proved between the instants.", self.run_in(claim))
        self.assertNotIn("is a proof", self.run_in(claim))


class Findings(reports.Case):
    """Contacts of several pairs, told by their depths."""

    def several(self, name):
        page, _ = short()

        def more(data):
            program = data["report"]["programs"][0]
            first = contact("gripper", "fixture", 5.9, depth=0.0271234, depth_time=6.2)
            program.update(verdict="collision", first_contact=first)
            data["rows"][0].update(verdict="collision")
            program["contacts"] = [
                first,
                contact("gripper", "table", 2.0, distance=0.0004, depth=0.0),
                contact("arm/link_6", "table", 6.5, depth=0.05, depth_time=6.55),
                contact("arm/link_6", "fixture", 1.0, kind="unresolved", distance=0.00105),
                contact("gripper", "table", 7.0, depth=0.002, depth_time=7.05),
            ]
            program["near_misses"] = [
                {"a": a, "b": b, "warn": 0.01, "entered": t, "left": t + 0.2, "distance": d, "time": t + 0.1, "segment": 0, "fraction": 0.5}
                for a, b, t, d in [("gripper", "table", 1.8, 0.008), ("gripper", "bin", 5.0, 0.002)]]
            program["limits"] = [{"joint": "joint_1", "what": "position", "time": 1.0, "value": 3.0, "limit": 2.9},
                                 {"joint": "joint_2", "what": "velocity", "time": 2.0, "value": -9.0, "limit": -3.0}]
            program["minimum_by_class"] = [
                {"class": "within-robot", "distance": 0.007, "lower_bound": 0.0069, "time": 0.0, "a": "arm/link_4", "b": "arm/link_6"},
                {"class": "robot-cell", "distance": 0.002, "lower_bound": 0.0019, "time": 3.0, "a": "arm/link_5", "b": "fixture"}]
            data["report"]["notices"] = [{"code": "suspicious-clearance", "severity": "notice", "subject": "--clearance", "message": "5 m is as large as the robot"}]
            program["notices"] = [{"code": "nothing-checked", "severity": "open", "subject": "pick", "message": "only here"}]
            program["unchecked"] = [{"code": "resting-joints", "severity": "note", "subject": "joint_7", "message": "the program does not name it"},
                                    {"code": "late-start", "severity": "unchecked", "subject": "start", "message": "the way there"}]

        self.open(changed(page, name, more))

    def test_bands_are_those_of_the_chosen_pair(self):
        self.several("bands")
        bands = "[...document.querySelectorAll('.plot rect.{}')].map(r => r.textContent)".format
        self.assertEqual(self.run_in("clearance.chosen"), "gripper – fixture")
        self.assertEqual(self.run_in(bands("contact")), ["gripper – fixture"])
        self.assertEqual(self.run_in(bands("near")), [])
        self.assertIn("Other pairs have 6 more", self.run_in("document.querySelector('.bands').textContent"))
        choose = "[...document.querySelectorAll('#pairs tbody tr')].find(r => r.children[0].textContent === {!r} && r.children[1].textContent === {!r}).click()".format
        self.run_in(choose("gripper", "table"))
        self.assertEqual(self.run_in(bands("contact")), ["gripper – table"] * 2)
        self.assertEqual(self.run_in(bands("near")), ["gripper – table: nearer than 10 mm"])
        # The curve of the fixture is within its threshold, but that is not a band of the table.
        self.assertEqual([t for t in self.run_in(bands("touching")) if "gripper – table" not in t], [])
        # A pair without contact has none; without a choice they are all there.
        self.run_in(choose("arm/link_5", "table"))
        self.assertEqual(self.run_in(bands("contact")), [])
        chip = "document.querySelector('.plot').closest('.card').querySelector('.chip{}').click()".format
        self.run_in(chip(""))
        self.assertIsNotNone(self.run_in("clearance.chosen"))
        self.run_in(chip(".chosen"))
        self.assertIsNone(self.run_in("clearance.chosen"))
        self.assertEqual(len(self.run_in(bands("contact"))), 5)
        self.quiet()

    def test_worst_first(self):
        self.several("worst")
        column = "[...document.querySelectorAll('#{} tbody tr')].map(r => r.children[{}].textContent)".format
        self.assertEqual(self.run_in(column("contacts", 6)), ["50 mm", "27.12 mm", "2 mm", "–", "–"])
        self.assertEqual(self.run_in(column("contacts", 4))[-1], "unresolved")
        self.assertEqual(self.run_in(column("near", 3)), ["bin", "table"])
        self.assertEqual(self.run_in(column("limits", 0)), ["joint_2", "joint_1"])
        self.assertEqual(self.run_in(column("classes", 0)), ["robot and cell", "within a robot"])
        pairs = list(zip(self.run_in(column("pairs", 0)), self.run_in(column("pairs", 1))))
        self.assertEqual(pairs[:3], [("arm/link_6", "table"), ("gripper", "fixture"), ("gripper", "table")])
        self.assertEqual(pairs[3], ("arm/link_6", "fixture"))

    def test_depth_is_told_and_led_to(self):
        self.several("deep")
        self.assertIn("at least 27.12 mm deep", self.run_in("document.querySelector('.headline').textContent"))
        self.assertIn("at least 27.12 mm at ", self.run_in("document.getElementById('deep').textContent"))
        label = "[...document.querySelectorAll('.marks .label text')].map(t => t.textContent)"
        time = self.run_in("clearance.time")
        BROWSER = reports.BROWSER
        BROWSER.settle()
        self.assertIn("at least 27.12 mm deep at ", self.run_in(label)[2])
        self.run_in("document.getElementById('go-deep').click()")
        self.assertAlmostEqual(self.run_in("clearance.time"), time + 0.3, delta=1e-9)
        BROWSER.settle()
        # At another time the label says of which instant it speaks.
        self.assertRegex(self.run_in(label)[1], rf"^at {time:.3f} s: ")
        self.assertNotIn("another time", self.run_in(WORDS))
        self.quiet()

    def test_notices_come_first_and_everything_unchecked_is_there(self):
        self.several("notices")
        headline = self.run_in("document.querySelector('.headline').textContent")
        self.assertIn("suspicious-clearance: --clearance: 5 m is as large as the robot", headline)
        self.assertIn("nothing-checked: pick: only here", headline)
        self.assertIn("1 thing not checked", headline)
        remarks = self.run_in("document.getElementById('remarks').textContent")
        self.assertIn("the way there", remarks)
        self.assertNotIn("joint_7", remarks)
        self.assertIn("joint_7", self.run_in("document.getElementById('noted').textContent"))
        picture("findings")


class Names(reports.Case):
    def test_what_acts_in_names_is_shown_escaped(self):
        """The characters of the cell and the program are in the data as they are, and in no text and no title."""
        act = "a\u202eb\x1b[31mc\u2066\x85"
        seen = "a\\u{202e}b\\x1b[31mc\\u{2066}\\u{85}"
        cell = folder() / "acts.toml"
        cell.write_text(f"""[[robot]]\nurdf = "{ROOT}/robots/arm6/robot.urdf"\n[[obstacle]]\nname = {json.dumps(act)}\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [0.4, 0, 0.6] }}\n""")
        program = folder() / "p\u202e\x07.csv"
        program.write_text("time,joint_1\n0,0\n1,0.01\n")
        page, _ = check("acts", [str(program)], cell=str(cell))
        self.open(page)
        text = self.run_in("document.documentElement.outerHTML.replace(/<script[^]*?<[/]script>/g, '')")
        self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", text))
        self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", self.run_in("document.title")))
        self.assertIn("p\\u{202e}\\x07.csv", self.run_in("document.title"))
        self.assertIn("p\\u{202e}\\x07.csv", self.run_in("document.querySelector('h1').textContent"))
        self.assertIn(seen, self.run_in("document.getElementById('pairs').textContent"))
        data = "JSON.parse(document.getElementById('data').textContent)"
        self.assertIn(act, self.run_in(f"{data}.model.bodies.map(b => b.name)"))
        self.assertTrue(self.run_in(f"{data}.rows[0].program").endswith("p\u202e\x07.csv"))
        self.quiet()

    def test_long_names_stay_in_their_places(self):
        page, _ = short()
        long = "the_left_hand_gripper_of_the_second_station_" * 5

        def grow(data):
            text = json.dumps(data)
            for name in ["gripper", "fixture", "arm/link_6", "joint_1"]:
                text = text.replace(f'"{name}"', f'"{name}_{long}"')
            other = json.loads(text)
            other["report"]["programs"][0]["first_contact"] = contact(f"gripper_{long}", f"fixture_{long}", 4)
            other["report"]["programs"][0]["program"] = other["rows"][0]["program"] = f"folder/{long}.csv"
            other["report"]["unchecked"] = [{"code": "surface-only", "severity": "unchecked", "subject": long, "message": long + long}]
            data.clear()
            data.update(other)

        other = changed(page, "longer", grow)
        for width in [1400, 400]:
            reports.BROWSER.window(width, 900)
            self.open(other)
            self.assertEqual(self.run_in(SPILLS), [], width)
            self.assertLessEqual(self.run_in("document.documentElement.scrollWidth"), width)
            # What is shortened is whole in its title.
            cut = "[...document.querySelectorAll('.long')].filter(e => e.scrollWidth > e.clientWidth)"
            self.assertGreater(self.run_in(f"{cut}.length"), 3)
            self.assertTrue(self.run_in(f"{cut}.every(e => e.title === e.textContent)"))
            # The label in the picture ends within it.
            reports.BROWSER.settle()
            self.assertTrue(self.run_in("[...document.querySelectorAll('.marks .label text')].every(t => t.getBoundingClientRect().right <= t.closest('.picture').getBoundingClientRect().right + 1)"))
            picture(f"long_{width}")


class Hands(reports.Case):
    def test_robots_tools_and_cell_have_their_own_colours_and_a_legend(self):
        page, _ = short("robots/two_arms/cell.toml", tuple(f"left/joint_{k}" for k in range(1, 7)))
        self.open(page)
        self.run_in("[...document.querySelectorAll('.chip.chosen')].forEach(c => c.click())")
        shown = self.run_in("[...document.querySelectorAll('.key > .hue')].map(e => [e.textContent, getComputedStyle(e.querySelector('i')).backgroundColor])")
        self.assertEqual([name for name, _ in shown], ["left", "right", "tools and parts", "cell"])
        self.assertEqual(len({hue for _, hue in shown}), 4)
        # The bodies have the colours that the legend says.
        for body, name in [("left/link_2", "left"), ("right/link_2", "right"), ("left_gripper", "tools and parts"), ("table", "cell")]:
            rgb = [round(255 * x) for x in self.run_in(f"clearance.tint({json.dumps(body)})")]
            self.assertEqual(f"rgb({', '.join(map(str, rgb))})", dict(shown)[name], body)
        picture("two_arms")
        self.quiet()

    def touch(self, kind, *points):
        reports.BROWSER.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)])

    def test_fingers_turn_move_and_zoom(self):
        page, _ = short()
        reports.BROWSER.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        try:
            reports.BROWSER.window(400, 800)
            self.open(page)
            x, y = self.run_in("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('canvas').getBoundingClientRect())")
            before = self.run_in("clearance.camera")
            self.touch("touchStart", (x, y))
            for k in range(1, 5):
                self.touch("touchMove", (x + 12 * k, y + 5 * k))
            self.touch("touchEnd")
            turned = self.run_in("clearance.camera")
            self.assertNotAlmostEqual(turned["yaw"], before["yaw"], places=2)
            self.assertNotAlmostEqual(turned["pitch"], before["pitch"], places=2)
            self.assertEqual((turned["distance"], turned["target"]), (before["distance"], before["target"]))
            # Two fingers that open come nearer, without turning.
            self.touch("touchStart", (x - 20, y), (x + 20, y))
            for k in range(1, 5):
                self.touch("touchMove", (x - 20 - 10 * k, y), (x + 20 + 10 * k, y))
            self.touch("touchEnd")
            near = self.run_in("clearance.camera")
            self.assertAlmostEqual(near["distance"], before["distance"] * 40 / 120, delta=0.05 * before["distance"])
            self.assertEqual((near["yaw"], near["pitch"]), (turned["yaw"], turned["pitch"]))
            # Two fingers that go the same way move it.
            self.touch("touchStart", (x - 20, y), (x + 20, y))
            for k in range(1, 5):
                self.touch("touchMove", (x - 20, y + 10 * k), (x + 20, y + 10 * k))
            self.touch("touchEnd")
            moved = self.run_in("clearance.camera")
            self.assertGreater(moved["target"][2], near["target"][2] + 0.01)
            self.assertAlmostEqual(moved["distance"], near["distance"], delta=0.05 * near["distance"])
            # A finger on the plot moves time.
            self.run_in("document.querySelector('.graph').scrollIntoView({block: 'center'})")
            gx, gy, gw = self.run_in("(r => [r.x, r.y + r.height / 2, r.width])(document.querySelector('.graph').getBoundingClientRect())")
            self.touch("touchStart", (gx + 0.7 * gw, gy))
            self.touch("touchEnd")
            self.assertGreater(self.run_in("clearance.time"), 2)
            self.quiet()
        finally:
            reports.BROWSER.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def test_a_narrow_window_holds_everything(self):
        pages = {
            "clear": short()[0],
            "events": check("narrow_events", ["trajectories/scara_events/carried_too_low.csv", "--audit-allowed"], cell="robots/scara/pick.toml")[0],
        }
        for name, page in pages.items():
            for dark in [False, True]:
                reports.BROWSER.window(400, 800, dark=dark)
                self.open(page)
                self.assertEqual(self.run_in(SPILLS), [], name)
                self.assertLessEqual(self.run_in("document.documentElement.scrollWidth"), 400)
                picture(f"narrow_{name}_{'dark' if dark else 'light'}")

    def test_arrow_keys_need_no_focus(self):
        press = reports.BROWSER.press
        page, _ = short()
        self.open(page)
        press("ArrowRight")
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.08, delta=1e-9)
        # After a drag in the picture, too: it takes the keys only by the tab key.
        x, y = self.run_in("(r => [r.x + 200, r.y + 200])(document.querySelector('canvas').getBoundingClientRect())")
        yaw = self.run_in("clearance.camera.yaw")
        mouse = lambda kind, x: reports.BROWSER.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        mouse("mousePressed", x)
        mouse("mouseMoved", x + 50)
        mouse("mouseReleased", x + 50)
        turned = self.run_in("clearance.camera.yaw")
        self.assertNotEqual(turned, yaw)
        press("ArrowRight")
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.16, delta=1e-9)
        press("ArrowLeft")
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.08, delta=1e-9)
        self.assertEqual(self.run_in("clearance.camera.yaw"), turned)
        self.run_in("document.querySelector('canvas').focus()")
        press("ArrowRight")
        self.assertNotEqual(self.run_in("clearance.camera.yaw"), turned)
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.08, delta=1e-9)
        # In a field the arrows are its own.
        self.run_in("document.querySelector('#pairs input').focus()")
        press("ArrowRight")
        self.assertAlmostEqual(self.run_in("clearance.time"), 0.08, delta=1e-9)
        # In a table they choose the next row, whose pair is chosen.
        row = "[...document.querySelectorAll('#pairs tbody tr')][{}]".format
        pair = lambda k: self.run_in(f"{row(k)}.children[0].textContent + ' – ' + {row(k)}.children[1].textContent")
        self.run_in(f"{row(0)}.click()")
        self.assertEqual(self.run_in("clearance.chosen"), pair(0))
        for k in [1, 2]:
            press("ArrowDown")
            self.assertEqual(self.run_in("clearance.chosen"), pair(k))
        press("ArrowUp")
        self.assertEqual(self.run_in("clearance.chosen"), pair(1))
        self.quiet()

    def test_a_list_of_two_thousand_programs(self):
        page, _ = short()

        def multiply(data):
            clear = data["rows"][0]
            bad = {**clear, "verdict": "collision", "contact": {"a": "gripper", "b": "fixture", "time": 4, "distance": 0, "kind": "contact"}}
            chance = random.Random(7)
            data["rows"] = [{**(bad if k % 97 == 5 else clear), "program": f"line_3/station_{k % 12}/program_{k:04}.csv",
                             "least": {"distance": chance.uniform(0.001, 0.2), "lower_bound": 0, "a": "a", "b": "b", "time": 0}} for k in range(2000)]
            data["rows"][1234].update(verdict="unverified", error="line_3/station_10/program_1234.csv:7: 5 columns, but the header has 7\nadd the missing values")

        page = changed(page, "thousands", multiply)
        for width in [1400, 400]:
            reports.BROWSER.window(width, 900)
            self.open(page)
            words = self.run_in("[...document.querySelectorAll('#programs tbody tr')].map(r => r.children[0].textContent)")
            self.assertEqual(words[:23], ["collision"] * 21 + ["unverified", "clear"])
            # Then the clear ones, the nearest first.
            least = self.run_in("[...document.querySelectorAll('#programs tbody tr')].slice(22, 500).map(r => parseFloat(r.children[4].textContent))")
            self.assertEqual(least, sorted(least))
            self.assertEqual(self.run_in(SPILLS), [])
            self.assertLessEqual(self.run_in("document.documentElement.scrollWidth"), width)
            picture(f"thousands_{width}", whole=False)
        # Keys without focus: down to the first row, and on.
        reports.BROWSER.press("ArrowDown")
        reports.BROWSER.press("ArrowDown")
        self.assertEqual(self.run_in("[...document.querySelectorAll('#programs tbody tr')].indexOf(document.activeElement)"), 1)
        self.quiet()


class Jogging(reports.Case):
    SLIDER = "[...document.querySelectorAll('.joints input')].find(i => i.getAttribute('aria-label') === 'Jog {}')"

    def jog(self, joint, value):
        self.run_in(f"(s => {{ s.value = {value!r}; s.dispatchEvent(new Event('input')); }})({self.SLIDER.format(joint)})")

    def test_sliders_move_the_bodies_as_the_urdf_says(self):
        page, _ = short()
        self.open(page)
        self.run_in("clearance.time = 4")
        taught, time = self.run_in("clearance.joints"), self.run_in("clearance.time")
        self.run_in("document.getElementById('jog').click()")
        self.assertTrue(self.run_in("clearance.jogging"))
        self.assertEqual(self.run_in("clearance.joints"), taught)
        self.assertIn("nothing is checked", self.run_in("document.querySelector('.banner').innerText"))
        limits = {j.get("name"): [float(j.find("limit").get(k)) for k in ["lower", "upper"]]
                  for j in xml.parse(ROOT / "robots/arm6/robot.urdf").findall("joint") if j.get("type") == "revolute"}
        chance = random.Random(3)
        for _ in range(5):
            wanted = {name: chance.uniform(*limits[name]) for name in taught}
            for name, value in wanted.items():
                self.assertEqual(self.run_in(f"(s => [s.min, s.max].map(Number))({self.SLIDER.format(name)})"), limits[name])
                self.jog(name, value)
            for name, value in self.run_in("clearance.joints").items():
                self.assertAlmostEqual(value, wanted[name], delta=1e-9)
            poses = link_poses(ROOT / "robots/arm6/robot.urdf", frame([0, 0, 0.8], [0, 0, 0]), self.run_in("clearance.joints"))
            for link, pose in poses.items():
                self.assert_pose(f"arm/{link}", pose)
            self.assert_pose("gripper", poses["tool0"])
        # Beyond a limit it does not go.
        self.jog("joint_1", 99)
        self.assertEqual(self.run_in("clearance.joints.joint_1"), limits["joint_1"][1])
        reports.BROWSER.settle()
        self.assertEqual(self.run_in("document.querySelectorAll('.marks .label').length"), 0)
        picture("jogging")
        self.run_in("document.getElementById('unjog').click()")
        self.assertEqual((self.run_in("clearance.joints"), self.run_in("clearance.time"), self.run_in("clearance.jogging")), (taught, time, False))
        self.assertNotIn("nothing is checked", self.run_in(SHOWN).lower())
        # Who moves time is back at the motion, too.
        self.jog_again_and_move_time(taught)
        self.quiet()

    def jog_again_and_move_time(self, taught):
        self.run_in("document.getElementById('jog').click()")
        self.jog("joint_2", 0.1)
        reports.BROWSER.press("ArrowLeft")
        self.assertFalse(self.run_in("clearance.jogging"))
        self.assertNotEqual(self.run_in("clearance.joints"), taught)

    def test_joints_that_follow_do_so(self):
        page, _ = short("robots/scara/cell.toml", ("shoulder_joint", "elbow_joint"), (0.1, 0.9))
        self.open(page)
        urdf = ROOT / "robots/scara/robot.urdf"
        laws = {j.get("name"): j.find("mimic") for j in xml.parse(urdf).findall("joint") if j.find("mimic") is not None}
        self.assertTrue(laws)
        self.run_in("document.getElementById('jog').click()")
        for name, law in laws.items():
            leader = law.get("joint")
            low, high = self.run_in(f"(s => [s.min, s.max].map(Number))({self.SLIDER.format(leader)})")
            self.jog(leader, low + 0.3 * (high - low))
            joints = self.run_in("clearance.joints")
            self.assertAlmostEqual(joints[leader], low + 0.3 * (high - low), delta=1e-12)
            self.assertAlmostEqual(joints[name], float(law.get("multiplier", 1)) * joints[leader] + float(law.get("offset", 0)), delta=1e-12)
            self.assertFalse(self.run_in(f"Boolean({self.SLIDER.format(name)})"))
        base = self.run_in("clearance.pose('base_link')") if self.run_in("clearance.bodies.includes('base_link')") else None
        poses = link_poses(urdf, frame(base[9:], [0, 0, 0]) if base else frame([0, 0, 0], [0, 0, 0]), joints)
        named = set(self.run_in("clearance.bodies")) & set(poses)
        self.assertGreater(len(named), 3)
        for link in named:
            self.assert_pose(link, poses[link])
        self.quiet()
