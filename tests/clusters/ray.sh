#!/usr/bin/env bash
# Runs docs/scale.md's Ray example on this machine and holds its answers to those of one process, byte for byte. Needs Python;
# Ray is installed into an environment of its own unless RAY names a Python that has it: tests/clusters/ray.sh [PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/../.."
here="$(pwd)"
count="${1:-200}"
clearance="$(realpath "${CLEARANCE:-target/debug/clearance}")"
[ -x "$clearance" ] || { echo "no program at $clearance: build it, or name it by CLEARANCE" >&2; exit 2; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python="${RAY:-}"
if [ -z "$python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet ray
    python="$work/venv/bin/python"
fi
mkdir "$work/bin"
ln -s "$clearance" "$work/bin/clearance"
export PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/trees" RAY_TMPDIR="$work" RAY_AUTH_MODE=disabled
clearance pack --cell robots/arm6/cell.toml --output "$work/cell.pack"
benches/make_batch.py "$work/programs" "$count"
cd "$work"
find programs -type f | sort > list.txt
# Names of our own files: no blanks in them.
"$python" "$here/tests/clusters/ray_check.py" "$work/cell.pack" $(sed "s|^|$work/|" list.txt) > ray.jsonl
sed "s|.*|{\"id\":\"$work/&\",\"file\":\"$work/&\"}|" list.txt |
    { clearance serve --stdin --cell cell.pack --threads 1 --quiet > one.jsonl || [ $? -eq 1 ]; }
# Lines are counted by each worker for itself.
for file in ray one; do sed 's/^{"line":[0-9]*,/{/' "$file.jsonl" > "$file.txt"; done
cmp ray.txt one.txt
# The same verdicts as of `batch`.
clearance batch --cell cell.pack --list list.txt --results batch.jsonl > /dev/null || [ $? -eq 1 ]
verdicts() { grep -o '"program":"[^"]*","verdict":"[a-z]*"' "$1" | sed "s|$work/||" | sort; }
cmp <(verdicts one.jsonl) <(verdicts batch.jsonl)
echo "$(wc -l < ray.jsonl) answers of Ray are those of one process: $(verdicts ray.jsonl | grep -o '[a-z]*"$' | tr -d '"' | sort | uniq -c | tr -s ' \n' ' ')"
