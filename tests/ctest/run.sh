#!/usr/bin/env bash
# Runs tests/ctest/CMakeLists.txt as a user of CMake would: clear programs pass, one that collides fails, and each has its JUnit file.
# Usage: tests/ctest/run.sh CLEARANCE
set -euo pipefail
clearance="$(realpath "$1")"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cmake -S "$here" -B "$work" -DCLEARANCE="$clearance" > "$work/configured"
fail() { echo "$1"; cat "$work/said"; exit 1; }
ctest --test-dir "$work" --output-on-failure > "$work/said" 2>&1 && fail "a program that collides passed"
grep -q "1/3 Test #1: clearance.pick_place .*Passed" "$work/said" || fail "a clear program did not pass"
grep -q "3/3 Test #3: clearance.place_too_low .*\*\*\*Failed" "$work/said" || fail "nothing failed"
grep -q "COLLISION .*place_too_low.csv" "$work/said" || fail "the finding is not shown"
grep -q "<failure" "$work/place_too_low.xunit.xml" || fail "no JUnit file"
ctest --test-dir "$work" -E place_too_low > "$work/said" 2>&1 || fail "clear programs do not pass"
echo "CTest: clear programs pass, a collision fails and is shown"
