#!/usr/bin/env bash
# Builds the programs for a target and puts them into dist/clearance-TARGET.tar.gz (.zip for Windows):
# .github/release/archive.sh x86_64-unknown-linux-musl
set -euo pipefail
cd "$(dirname "$0")/../.."
target="$1"
# Without the tables for debuggers they are half as large.
export CARGO_PROFILE_RELEASE_DEBUG=none CARGO_PROFILE_RELEASE_STRIP=symbols
cargo build --release --locked --target "$target" -p clearance -p clearance-recheck
built="${CARGO_TARGET_DIR:-target}/$target/release"
name="clearance-$target"
rm -rf "dist/$name"
mkdir -p "dist/$name"
cp README.md LICENSE CHANGELOG.md "dist/$name/"
cd dist
case "$target" in
*windows*)
    cp "../$built/clearance.exe" "../$built/clearance-recheck.exe" "$name/"
    7z a -tzip "$name.zip" "$name" >/dev/null
    ;;
*)
    case "$built" in /*) ;; *) built="../$built" ;; esac
    install -m 755 "$built/clearance" "$built/clearance-recheck" "$name/"
    # The same files are the same archive, whoever makes it.
    if tar --version | grep -q GNU; then
        tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$name" | gzip -n9 > "$name.tar.gz"
    else
        tar -czf "$name.tar.gz" "$name"
    fi
    ;;
esac
rm -rf "$name"
