#!/usr/bin/env bash
# Runs a prebuilt program in a bare Debian, with nothing installed in it: neither Rust nor Python nor certificates. Needs root and
# debootstrap (or ROOT, a folder with a bare system): tests/bare/run.sh dist/clearance-x86_64-unknown-linux-musl.tar.gz
set -euo pipefail
archive="$(realpath "$1")"
cd "$(dirname "$0")/../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
root="${ROOT:-$work/root}"
[ -d "$root" ] || debootstrap --variant=minbase bookworm "$root" > "$work/log"
inside="$(mktemp -d "$root/try.XXXXXX")"
trap 'rm -rf "$work" "$inside"' EXIT
chmod 755 "$inside"
tar -xzf "$archive" -C "$inside"
mv "$inside"/clearance-* "$inside/bin"
cp -r robots trajectories "$inside/"
if file "$inside/bin/clearance" | grep -q 'dynamically linked'; then
    echo "the program needs libraries" >&2
    exit 1
fi
name="/$(basename "$inside")"
chroot "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/bin:/bin sh -ec '
    cd "$1"
    bin/clearance --version
    bin/clearance check --quiet --cell robots/arm6/cell.toml trajectories/arm6/pick_place.csv | tail -n 1
    cd robots/arm6
    code=0
    ../../bin/clearance batch --quiet ../../trajectories/arm6 --results /tmp/r.jsonl > /tmp/report.txt || code=$?
    [ $code -eq 1 ]
    tail -n 1 /tmp/report.txt
    ../../bin/clearance check --quiet --certificate /tmp/proof.cert ../../trajectories/arm6/pick_place.csv > /tmp/report.txt
    ../../bin/clearance-recheck /tmp/proof.cert > /tmp/proof.txt
    head -n 1 /tmp/proof.txt
' sh "$name"
cargo_free="$(chroot "$root" sh -c 'command -v cargo python3 || true')"
[ -z "$cargo_free" ] || { echo "this system is not bare: it has $cargo_free" >&2; exit 1; }
