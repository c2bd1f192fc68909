#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment without Rust on its path, and tests it there.
# Usage: python/test.sh [--notebook] [maturin options, such as --release]
# With --notebook it also runs docs/clearance_over_time.ipynb, which needs matplotlib and nbclient.
set -euo pipefail
cd "$(dirname "$0")"
notebook=
if [ "${1:-}" = --notebook ]; then notebook=yes; shift; fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/build"
"$work/build/bin/pip" install -q "maturin>=1.9,<2"
"$work/build/bin/maturin" build --out "$work/wheels" "$@"

python3 -m venv "$work/user"
# The tests ask about tables of these packages.
"$work/user/bin/pip" install -q pytest pandas polars pyarrow xarray "$work"/wheels/clearance-*.whl
cp -r tests "$work/tests"
cd "$work"
env -i HOME="$work" PATH="$work/user/bin" LANG=C.UTF-8 CLEARANCE_SOURCES="$OLDPWD/.." \
    "$work/user/bin/python" -m pytest -q -p no:cacheprovider tests
if [ -n "$notebook" ]; then
    "$work/user/bin/pip" install -q matplotlib nbclient ipykernel
    env -i HOME="$work" PATH="$work/user/bin" LANG=C.UTF-8 CLEARANCE_SOURCES="$OLDPWD/.." \
        "$work/user/bin/jupyter" execute --output="$work/executed.ipynb" "$OLDPWD/../docs/clearance_over_time.ipynb"
    grep -q "image/png" "$work/executed.ipynb" || { echo "the notebook has drawn nothing"; exit 1; }
    echo "the notebook runs"
fi
