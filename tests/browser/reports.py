"""What the tests of the HTML report share: a browser, pages of runs, and forward kinematics that is worked out here, from the URDF
alone."""

import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import chromium

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("CLEARANCE", ROOT / "target/debug/clearance"))
# Set it to a folder to look at the pictures.
PICTURES = os.environ.get("CLEARANCE_PICTURES")

BROWSER = None
FOLDER = None


def start():
    global BROWSER, FOLDER
    program = chromium.find()
    if not program:
        sys.exit("Chromium is missing: `apt-get install chromium`, or name one in CLEARANCE_CHROMIUM; CLEARANCE_SKIP_BROWSER=1 leaves these tests out")
    FOLDER = tempfile.TemporaryDirectory(prefix="clearance-report-")
    # On a busy machine a browser now and then never comes up; what it shows is tested below.
    for left in (2, 1, 0):
        try:
            BROWSER = chromium.Browser(program)
            return
        except RuntimeError:
            if not left:
                raise


def stop():
    BROWSER.close()
    FOLDER.cleanup()


def folder():
    """Where the tests of this run may write."""
    return pathlib.Path(FOLDER.name)


def changed(page, name, change):
    """The page with other data, as another run might have written them: for states that are hard to bring about."""
    text = page.read_text()
    start = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])
    change(data)
    harmless = json.dumps(data).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    other = page.with_name(f"{name}.html")
    other.write_text(text[:start] + harmless + text[end:])
    return other


def check(name, programs, *options, cell="robots/arm6/cell.toml"):
    """Runs `clearance check`; gives the HTML file and the JSON report."""
    page, answer = (folder() / f"{name}.{kind}" for kind in ["html", "json"])
    done = subprocess.run(
        [TOOL, "check", "--quiet", "--no-cache", "--cell", cell, *programs, *options, "--report", f"html={page}", "--report", f"json={answer}"],
        cwd=ROOT, capture_output=True, text=True,
    )
    assert done.returncode in (0, 1, 2) and page.exists(), done.stderr
    return page, json.loads(answer.read_text())


def picture(name, **options):
    path = name and PICTURES and os.path.join(PICTURES, f"{name}.png")
    return BROWSER.picture(path, **options)


# Forward kinematics by 4 × 4 matrices, from the URDF.

def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def translation(x, y, z):
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


def rotation(axis, angle):
    x, y, z = (a / math.hypot(*axis) for a in axis)
    s, c = math.sin(angle), math.cos(angle)
    k = 1 - c
    return [
        [c + k * x * x, k * x * y - s * z, k * x * z + s * y, 0],
        [k * x * y + s * z, c + k * y * y, k * y * z - s * x, 0],
        [k * x * z - s * y, k * y * z + s * x, c + k * z * z, 0],
        [0, 0, 0, 1],
    ]


def frame(xyz, rpy):
    turned = product(product(rotation((0, 0, 1), rpy[2]), rotation((0, 1, 0), rpy[1])), rotation((1, 0, 0), rpy[0]))
    return product(translation(*xyz), turned)


def numbers(element, key, default="0 0 0"):
    return [float(x) for x in (element.get(key, default) if element is not None else default).split()]


def link_poses(urdf, base, joints):
    """World pose of every link, 4 × 4."""
    tree = xml.parse(urdf).getroot()
    below = {}
    for joint in tree.findall("joint"):
        below.setdefault(joint.find("parent").get("link"), []).append(joint)
    children = {j.find("child").get("link") for j in tree.findall("joint")}
    root = next(l.get("name") for l in tree.findall("link") if l.get("name") not in children)
    poses, open_links = {root: base}, [root]
    while open_links:
        link = open_links.pop()
        for joint in below.get(link, []):
            origin = joint.find("origin")
            pose = product(poses[link], frame(numbers(origin, "xyz"), numbers(origin, "rpy")))
            axis, q = numbers(joint.find("axis"), "xyz", "1 0 0"), joints.get(joint.get("name"), 0.0)
            if joint.get("type") in ("revolute", "continuous"):
                pose = product(pose, rotation(axis, q))
            elif joint.get("type") == "prismatic":
                pose = product(pose, translation(*(a * q for a in axis)))
            child = joint.find("child").get("link")
            poses[child] = pose
            open_links.append(child)
    return poses


class Case(unittest.TestCase):
    def setUp(self):
        BROWSER.window(1440, 900)

    def open(self, page):
        BROWSER.open(page)
        self.assertEqual(BROWSER.complaints(), [])
        self.assertEqual(BROWSER.requests(), [])

    def run_in(self, script):
        return BROWSER.run(script)

    def drawn(self, step):
        """What the picture shows in the first frame after a step: pixels of the canvas and the marks above it, as a digest.

        Nothing else of the page is in it (a screenshot would also see the option itself change), and no time: the pixels are read in
        the frame that draws them. After a step that draws nothing the canvas is blank, which is an error.
        """
        pixels, blank, marks = self.run_in(f"""new Promise(done => {{
            {step};
            requestAnimationFrame(() => {{
                const canvas = document.querySelector('.canvas canvas');
                const blank = Object.assign(document.createElement('canvas'), {{ width: canvas.width, height: canvas.height }});
                done([canvas.toDataURL(), blank.toDataURL(), document.querySelector('.canvas .marks').outerHTML]);
            }});
        }})""")
        self.assertTrue(pixels != blank, f"nothing is drawn after {step}")
        return hashlib.sha256((pixels + marks).encode()).hexdigest()

    def assert_pose(self, name, expected):
        got = self.run_in(f"clearance.pose({json.dumps(name)})")
        expected = [expected[i][k] for i in range(3) for k in range(3)] + [expected[i][3] for i in range(3)]
        for x, y in zip(got, expected, strict=True):
            self.assertAlmostEqual(x, y, delta=1e-9, msg=f"{name}: {got} {expected}")

    def quiet(self):
        """Nothing was complained about and nothing fetched since the page was opened."""
        BROWSER.settle()
        self.assertEqual(BROWSER.complaints(), [])
        self.assertEqual(BROWSER.requests(), [])
