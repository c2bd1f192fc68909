#!/usr/bin/env python3
"""Writes the figures of docs/benchmarks.md and docs/methods.md again: runs the command that stands in each block and puts in what it prints.

    WORKLOADS=… PEER=… benches/figures.py [WORD...]

WORD: only blocks whose command contains one of these words. Blocks whose command uses a variable that is not set stay as
they are. A block:

    <!-- figures -->
        cargo bench --bench growth -- pairs
    … what the command printed …
    <!-- end -->
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs/benchmarks.md", ROOT / "docs/methods.md"]


def block(match):
    command = match[1].strip()
    missing = [name for name in re.findall(r"\$([A-Z_]+)", command) if name not in os.environ]
    wanted = not sys.argv[1:] or any(word in command for word in sys.argv[1:])
    if missing or not wanted:
        if missing and wanted:
            print(f"left as it is, {', '.join(missing)} not set: {command}", file=sys.stderr)
        return match[0]
    print(command, file=sys.stderr)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {command}\n{done.stderr}")
    printed = done.stdout.strip()
    if not printed:
        sys.exit(f"nothing was printed: {command}")
    if not printed.startswith("|"):
        printed = f"```\n{printed}\n```"
    return f"<!-- figures -->\n    {command}\n\n{printed}\n<!-- end -->"


for page in PAGES:
    page.write_text(re.sub(r"<!-- figures -->\n( {4}[^\n]+)\n.*?<!-- end -->", block, page.read_text(), flags=re.S))
