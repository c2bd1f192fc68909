"""The HTML report says of which motion, which delays and which errors its answer holds, and what of it is only about right."""

import functools
import json
import math
import re

import reports
from reports import ROOT, changed, check, folder

setUpModule, tearDownModule = reports.start, reports.stop

HEADLINE = "document.querySelector('.headline').textContent"
CLAIM = "document.getElementById('claim').textContent"
ASIDE = "document.querySelector('aside').textContent"
ROWS = "[...document.querySelectorAll('#{} tbody tr')].map(r => [...r.children].map(c => c.textContent))".format
VISIT = "trajectories/two_arms/visit.csv"


def table(name, rows, joints):
    """A program with these rows: time and joint values."""
    path = folder() / name
    lines = [["time", *joints], *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    return str(path)


@functools.cache
def near(*options):
    return check("near" + "".join(options), ["trajectories/arm6/near_miss.csv", *options])


@functools.cache
def two_arms(*options):
    """Two arms that meet, one of them half a second later than it could be."""
    programs = ["--program", f"left={VISIT}", "--program", f"right={VISIT}@3.2s"]
    return check("two" + "".join(options).replace(" ", ""), [*programs, *options], cell="robots/two_arms/cell.toml")


class LongMotions(reports.Case):
    def test_every_finding_of_a_long_motion_is_shown_in_its_place(self):
        # To and fro along a motion that comes near the bin.
        lines = (ROOT / "trajectories/arm6/near_miss.csv").read_text().split()[1:]
        way = [[float(x) for x in line.split(",")] for line in lines]

        def on_the_way(time):
            k = next(k for k in range(len(way) - 1) if time <= way[k + 1][0])
            share = (time - way[k][0]) / (way[k + 1][0] - way[k][0])
            return [p + share * (q - p) for p, q in zip(way[k][1:], way[k + 1][1:])]

        count, middle = 8001, way[-1][0] / 2
        rows = [[0.05 * k, *on_the_way(middle - middle * math.cos(0.021 * k))] for k in range(count)]
        program = table("long.csv", rows, [f"joint_{k}" for k in range(1, 7)])
        page, answer = check("long", [program, "--warn", "10mm", "--no-limits", "--all"])
        told = answer["programs"][0]
        times = [n["time"] for n in told["near_misses"]] + [c["time"] for c in told["contacts"]] + [c["depth_time"] for c in told["contacts"] if "depth_time" in c]
        self.assertGreater(len(times), 3)
        self.open(page)
        note = "document.getElementById('thinned').textContent"
        times += [t for curve in self.run_in("clearance.curves") for t in curve["times"]][::37]
        for time in times:
            self.run_in(f"clearance.time = {time!r}")
            joints = self.run_in("clearance.joints")
            k = min(int(time / 0.05), count - 2)
            s = (time - rows[k][0]) / (rows[k + 1][0] - rows[k][0])
            for j in range(6):
                right = rows[k][j + 1] + s * (rows[k + 1][j + 1] - rows[k][j + 1])
                self.assertAlmostEqual(joints[f"joint_{j + 1}"], right, delta=1e-6, msg=f"{time}")
            self.assertIn("exact at this time", self.run_in(note))
        # Elsewhere no joint is farther off than the page says.
        said = float(re.search(r"drawn up to ([\d.]+)°", self.run_in(note)).group(1)) * math.pi / 180
        for k in range(1, count, 173):
            self.run_in(f"clearance.time = {rows[k][0]!r}")
            joints = self.run_in("clearance.joints")
            for j in range(6):
                self.assertLessEqual(abs(joints[f"joint_{j + 1}"] - rows[k][j + 1]), said + 1e-9)
        self.run_in("clearance.time = 100.0123")
        self.assertIn("approximate at this time", self.run_in(note))
        self.quiet()

    def test_a_short_motion_is_exact(self):
        page, _ = near()
        self.open(page)
        self.assertFalse(self.run_in("Boolean(document.getElementById('thinned'))"))


class Together(reports.Case):
    def test_near_misses_are_said_to_be_those_without_delay(self):
        page, answer = two_arms("--any-delay", "0.1s", "--warn", "500mm", "--clearance", "1mm")
        self.assertTrue(answer["programs"][0]["near_misses"])
        self.open(page)
        said = "without delay only: other delays are not searched for near misses"
        self.assertIn(said, self.run_in(HEADLINE))
        self.assertIn(said, self.run_in("document.getElementById('near').closest('.card').textContent"))
        self.assertIn(said, self.run_in("document.getElementById('delays').textContent"))

    def test_all_programs_are_named_with_their_places(self):
        page, answer = two_arms("--any-delay", "0.5s")
        program = answer["programs"][0]
        contact, parts = program["first_contact"], program["timeline"]["programs"]
        late = f"right started {max(contact['delays']):.3f} s late" if contact["delays"][1] > 0 else f"left started {max(contact['delays']):.3f} s late"
        self.open(page)
        self.assertEqual(self.run_in("document.querySelector('h1').textContent"), "left: visit.csv + right: visit.csv")
        headline = self.run_in(HEADLINE)
        self.assertIn(late, headline)
        self.assertNotIn("between waypoints", headline)
        self.assertIn(late, self.run_in(ASIDE))
        rows = self.run_in(ROWS("together"))
        self.assertEqual([row[:3] for row in rows], [["left", VISIT, "0.000 s"], ["right", VISIT, "3.200 s"]])
        for row, part in zip(rows, parts):
            at = part["at"]
            self.assertIn(f"waypoint {at['segment'] + 1} → {at['segment'] + 2}, ", row[-1])
            self.assertIn(f"visit.csv:{at['lines'][0]} → {at['lines'][1]}", row[-1])
            self.assertIn(row[-1], self.run_in(ASIDE))
        self.assertIn("every delay of up to 0.5 s", self.run_in("document.getElementById('delays').textContent"))

        def other(data):
            data["report"]["programs"][0]["timeline"]["programs"][0]["program"] = "folder/left_prog.csv"

        self.open(changed(page, "two_names", other))
        self.assertEqual(self.run_in("document.querySelector('h1').textContent"), "left_prog.csv + visit.csv")

    def test_any_delay_at_all_is_not_told_as_a_number(self):
        page, _ = two_arms("--any-delay", "any")
        self.open(page)
        told = self.run_in("document.getElementById('delays').textContent")
        self.assertIn("every instant of each program beside every instant of the others, whatever their delays and speeds", told)
        self.assertNotIn("up to", told)

    def test_a_small_delay_is_not_shown_as_none(self):
        page, _ = two_arms("--any-delay", "0.5s")

        def small(data):
            program = data["report"]["programs"][0]
            program["first_contact"]["delays"] = data["programs"][0]["delays"] = [0, 0.00012]

        self.open(changed(page, "small_delay", small))
        self.assertIn("right started 0.00012 s late", self.run_in(HEADLINE))


class Bounds(reports.Case):
    def test_errors_that_the_answer_allows_for_are_named(self):
        robot = ROOT / "robots/arm6"
        text = (robot / "cell.toml").read_text()
        text = text.replace('"robot.urdf"', f'"{robot}/robot.urdf"').replace('"meshes/', f'"{robot}/meshes/')
        cell = folder() / "errors.toml"
        cell.write_text(text + '\n[uncertainty]\nbase = { xyz = "1mm", angle = "0.1deg" }\n')
        page, _ = check("errors", ["trajectories/arm6/pick_place.csv", "--minimum"], cell=str(cell))
        self.open(page)
        self.assertIn("A clear answer holds for every error within base of arm 1 mm and 0.1°; contacts, near misses and least distances are those of the ideal motion.",
                      self.run_in(CLAIM))
        self.assertIn("least clearance of the ideal motion", self.run_in(HEADLINE))
        self.assertRegex(self.run_in(ASIDE), "never below [0-9.]+ mm of the ideal motion")
        page, _ = near()
        self.open(page)
        self.assertNotIn("ideal", self.run_in("document.querySelector('main').textContent"))

    def test_what_is_only_sampled_proves_no_bound(self):
        page, _ = near("--method", "sampling")
        self.open(page)
        words = self.run_in("document.querySelector('main').textContent").replace("sampled, not proved", "")
        for said in ["never below", "is proved to", "Proved", "reaches down", "proved ≥"]:
            self.assertNotIn(said, words)
        self.assertEqual(self.run_in("document.querySelectorAll('.plot polygon.band').length"), 0)
        self.hover(0.4)
        self.assertNotIn("proved", self.run_in("document.querySelector('.graph .tip').textContent"))

    def test_bounds_of_a_clear_program_are_at_least_its_thresholds(self):
        page, answer = near("--minimum")
        self.assertEqual(answer["verdict"], "clear")

        def loose(data):
            # As a check that stopped as soon as everything was proved.
            program = data["report"]["programs"][0]
            for least in [program["minimum_clearance"], *program["minimum_by_class"]]:
                least["lower_bound"] = 0
            for curve in data["programs"][0]["curves"]:
                curve["bounds"] = "A" * len(curve["bounds"].rstrip("=")) + "=" * curve["bounds"].count("=")

        page = changed(page, "loose", loose)
        self.open(page)
        for row in self.run_in(ROWS("pairs")):
            proved, threshold = (float(row[k].removesuffix(" mm")) for k in (4, 6))
            self.assertGreaterEqual(proved, threshold)
        for row in self.run_in(ROWS("classes")):
            self.assertGreaterEqual(float(row[2].removesuffix(" mm")), 1)
        for where in [HEADLINE, ASIDE]:
            self.assertNotIn("never below 0 mm", self.run_in(where))

        def not_clear(data):
            for told in [data["report"], data["rows"][0], data["report"]["programs"][0]]:
                told["verdict"] = "undecided"

        self.open(changed(page, "loose_undecided", not_clear))
        self.assertIn("never below 0 mm", self.run_in(HEADLINE))

    def test_what_is_undecided_is_told_as_in_the_text_report(self):
        page, _ = near()

        def undecided(data):
            program = data["report"]["programs"][0]
            for told in [data["report"], data["rows"][0], program]:
                told["verdict"] = "undecided"
            program["first_contact"] = {
                "time": 2, "free_until": 2, "segment": 2, "fraction": 0.5, "a": "gripper", "b": "bin", "kind": "unresolved", "distance": 0.0279,
                "point_a": [0, 0, 0], "point_b": [0, 0, 0], "normal": [0, 0, 0], "joints": {}}
            program["unchecked"] = [{"code": "tool-orientation", "severity": "note", "subject": "p", "message": "m"}]

        self.open(changed(page, "undecided", undecided))
        for where in [HEADLINE, ASIDE]:
            told = self.run_in(where)
            self.assertIn("27.9 mm apart", told)
            self.assertIn("not separable from the threshold at 0.1 mm, or not for every way in which the tool may turn on straight moves (see --orientation-tube)", told)
        self.assertNotIn("so close", self.run_in("document.querySelector('main').textContent"))

    def hover(self, share):
        """Rests the pointer on the plot; gives the time there."""
        return self.run_in(f"""(() => {{
            const graph = document.querySelector('.graph'), box = graph.getBoundingClientRect();
            const x = 58 + {share} * (box.width - 74);
            graph.dispatchEvent(new PointerEvent('pointermove', {{ clientX: box.left + x, clientY: box.top + 50 }}));
            return {share};
        }})()""")

    def test_the_plot_names_the_distance_of_its_line(self):
        page, answer = near()
        self.open(page)
        curve = min(self.run_in("clearance.curves"), key=lambda c: min(c["distances"]))
        duration = answer["programs"][0]["duration"]
        k = max(range(len(curve["times"]) - 1), key=lambda k: abs(curve["distances"][k + 1] - curve["distances"][k]))
        time = 0.6 * curve["times"][k] + 0.4 * curve["times"][k + 1]
        self.hover(time / duration)
        told = self.run_in("[...document.querySelectorAll('.graph .tip > div')].map(e => e.textContent)")
        mine = next(t for t in told if t.startswith(curve["pair"] + ":"))
        distance = float(re.search(r": about ([\d.]+) mm", mine).group(1))
        right = 1e3 * (0.6 * curve["distances"][k] + 0.4 * curve["distances"][k + 1])
        step = 1e3 * abs(curve["distances"][k + 1] - curve["distances"][k])
        self.assertAlmostEqual(distance, right, delta=0.05 * step + 0.01)


class Access(reports.Case):
    def test_names_from_right_to_left_stand_by_themselves(self):
        page, _ = near()
        name = "حاجز 2"

        def rename(data):
            text = json.dumps(data).replace('"bin"', json.dumps(name))
            data.clear()
            data.update(json.loads(text))

        page = changed(page, "arabic", rename)
        self.open(page)
        # Every name is in an element that keeps its direction, or between isolating characters.
        loose = self.run_in(f"""(() => {{
            const found = [], walk = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {{
                const text = walk.currentNode.data, at = walk.currentNode.parentElement;
                if (text.includes({json.dumps(name)}) && at.tagName !== 'BDI' && !text.includes('\\u2068' + {json.dumps(name)} + '\\u2069')) found.push(at.outerHTML);
            }}
            return found;
        }})()""")
        self.assertEqual(loose, [])
        self.assertGreater(self.run_in("document.querySelectorAll('bdi').length"), 5)
        # The words themselves are as they were.
        self.assertIn(f"gripper – {name}", self.run_in(ASIDE))
        self.quiet()

    def test_paper_is_light_and_shows_what_is_folded(self):
        page, _ = near("--minimum")
        reports.BROWSER.window(1440, 900, dark=True)
        self.open(page)
        background = "getComputedStyle(document.querySelector('.card')).backgroundColor"
        self.run_in("document.getElementById('theme').click(), document.getElementById('theme').click()")
        self.assertNotEqual(self.run_in(background), "rgb(255, 255, 255)")
        reports.BROWSER.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        try:
            self.run_in("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(self.run_in(background), "rgb(255, 255, 255)")
            self.assertEqual(self.run_in("document.querySelectorAll('details:not([open])').length"), 0)
            shown = "[...document.querySelectorAll('{}')].filter(e => e.getClientRects().length > 0).length".format
            for control in ["#go", "#closer", "#jog", "#time", "#level", "#height", "#theme", "input[type=search]", ".views button"]:
                self.assertEqual(self.run_in(shown(control)), 0, control)
            self.assertEqual(self.run_in("getComputedStyle(document.querySelector('.chip i')).printColorAdjust"), "exact")
            self.run_in("dispatchEvent(new Event('afterprint'))")
            self.assertGreater(self.run_in("document.querySelectorAll('details:not([open])').length"), 0)
        finally:
            reports.BROWSER.call("Emulation.setEmulatedMedia", media="")

    def test_text_stands_out_and_what_is_worked_has_a_name(self):
        contact, _ = check("names_and_colours", ["trajectories/arm6/swing_through_guard.csv", "--all", "--minimum"])
        for page in [contact, near("--minimum")[0]]:
            for dark in [False, True]:
                reports.BROWSER.window(1440, 900, dark=dark)
                self.open(page)
                self.run_in("clearance.time = 0.5")
                reports.BROWSER.settle()
                self.assertEqual(self.run_in(PALE), [], f"dark: {dark}")
        nameless = "[...document.querySelectorAll('table, select, input')].filter(e => !e.getAttribute('aria-label') && !e.closest('label')).map(e => e.outerHTML.slice(0, 80))"
        self.assertEqual(self.run_in(nameless), [])

    def test_no_two_curves_look_the_same(self):
        page, _ = near()

        def more(data):
            curves = data["programs"][0]["curves"]
            curves.extend({**curve, "pair": 40 + k} for k, curve in enumerate(list(curves)[:6]))

        self.open(changed(page, "many_curves", more))
        looks = self.run_in("[...document.querySelectorAll('.plot polyline')].map(p => p.getAttribute('stroke') + p.getAttribute('stroke-dasharray'))")
        self.assertEqual((len(looks), len(set(looks))), (18, 18))
        swatches = self.run_in("[...document.querySelectorAll('.chip i')].map(i => i.style.background)")
        self.assertEqual(len(set(swatches)), 18)


# Text with less contrast than 4.5 to what is behind it. The picture's darkest or lightest end counts there.
PALE = r"""(() => {
    const numbers = (color) => { const n = color.match(/[\d.]+/g).map(Number); return color.startsWith('color(') ? [...n.slice(0, 3).map((x) => 255 * x), n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
    const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
    const light = (color) => { const [r, g, b] = color.slice(0, 3).map((x) => x / 255).map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const hex = (color) => [1, 3, 5].map((i) => parseInt(color.trim().slice(i, i + 2), 16)).concat(1);
    const found = [], walk = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const at = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !at.getClientRects().length || at.closest('title')) continue;
        const chain = [];
        for (let e = at; e; e = e.parentElement) chain.unshift(e);
        let back = [255, 255, 255, 1], opacity = 1;
        for (const e of chain) {
            const style = getComputedStyle(e);
            back = e.matches('.picture') ? hex(getComputedStyle(document.documentElement).getPropertyValue('--sky-top')) : over(numbers(style.backgroundColor), back);
            opacity *= Number(style.opacity);
        }
        const style = getComputedStyle(at);
        const front = numbers(at.namespaceURI.endsWith('svg') ? style.fill : style.color);
        front[3] *= opacity;
        const [high, low] = [light(over(front, back)), light(back)].sort((p, q) => q - p);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${at.tagName}.${at.getAttribute('class')} ${walk.currentNode.data.slice(0, 40)}`);
    }
    return found;
})()"""
