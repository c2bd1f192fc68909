#!/usr/bin/env bash
# Unpacks an archive and runs the programs in it on the examples: .github/release/try.sh dist/clearance-TARGET.tar.gz
set -euo pipefail
archive="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
cd "$(dirname "$0")/../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
case "$archive" in
*.zip) 7z x "-o$work" "$archive" >/dev/null ;;
*) tar -xzf "$archive" -C "$work" ;;
esac
programs="$(echo "$work"/clearance-*)"
run() { "$programs/clearance" "$@"; }
run --version
run check --no-cache --cell robots/arm6/cell.toml trajectories/arm6/pick_place.csv
code=0
run check --no-cache --cell robots/arm6/cell.toml trajectories/arm6/swing_through_guard.csv || code=$?
[ "$code" -eq 1 ] || { echo "exit code $code in place of 1" >&2; exit 1; }
run check --no-cache --quiet --cell robots/arm6/cell.toml --certificate "$work/proof.cert" trajectories/arm6/pick_place.csv >/dev/null
"$programs/clearance-recheck" "$work/proof.cert" > "$work/proof.txt"
head -n 1 "$work/proof.txt"
