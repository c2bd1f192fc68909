#!/usr/bin/env python3
"""Makes cases for the test `files_of_many_makers_are_expanded_as_by_python`: what the `xacro` of Python makes of files of xacro.

    pip install xacro PyYAML
    python3 tests/xacro/cases.py FOLDER OUT [NAME=VALUE ...]
    CLEARANCE_XACRO=OUT cargo test -p clearance-formats files_of_many_makers -- --ignored --nocapture

Every file that ends in .xacro below FOLDER, links left out, is expanded on its own, with those of the arguments that it
declares. What comes out, or that nothing does, is written to OUT, beside the folders of the packages below FOLDER.
"""

import contextlib
import io
import pathlib
import re
import signal
import sys
import types
import xml.etree.ElementTree as ET

PACKAGES = {}


def share(name):
    if name not in PACKAGES:
        raise KeyError(f"package {name} not found")
    return PACKAGES[name]


sys.modules["ament_index_python"] = types.ModuleType("ament_index_python")
module = types.ModuleType("ament_index_python.packages")
module.get_package_share_directory = share
sys.modules["ament_index_python.packages"] = module

import xacro  # noqa: E402


def expand(file, arguments):
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            return xacro.process_file(str(file), mappings=dict(arguments), verbosity=0).toxml()
    except BaseException as error:  # also what xacro ends the process with
        return error
    finally:
        signal.alarm(0)


def main():
    folder, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    given = dict(argument.split("=", 1) for argument in sys.argv[3:])
    out.mkdir(parents=True, exist_ok=True)
    for manifest in sorted(folder.rglob("package.xml")):
        try:
            name = ET.parse(manifest).getroot().findtext("name", "").strip()
        except ET.ParseError:
            continue
        PACKAGES.setdefault(name, str(manifest.parent))
    files = [f for f in sorted(folder.rglob("*.xacro")) if f.is_file() and not f.is_symlink()]
    done = 0
    with open(out / "cases.txt", "w") as cases:
        for name, place in PACKAGES.items():
            print(f"package\t{name}\t{place}", file=cases)
        for number, file in enumerate(files):
            text = file.read_text(errors="replace")
            declared = re.findall(r"<xacro:arg\s+name=['\"]([^'\"]+)", text)
            arguments = [(n, given[n]) for n in dict.fromkeys(declared) if n in given]
            result = expand(file, arguments)
            fields = [str(file), ";".join(f"{n}={v}" for n, v in arguments)]
            if isinstance(result, str):
                done += 1
                (out / f"{number}.xml").write_text(result)
                fields += [f"{number}.xml", ""]
            else:
                fields += ["", " ".join(str(result).split())]
            print("case\t" + "\t".join(fields), file=cases)
    print(f"{len(files)} files, {done} expanded")


main()
