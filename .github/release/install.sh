#!/bin/sh
# Installs clearance for Linux or macOS into ~/.local/bin, or into the folder that CLEARANCE_BIN names.
#   CLEARANCE_RELEASES   address of the releases, as in https://github.com/OWNER/clearance/releases/latest/download,
#                        or a folder in which the archive and SHA256SUMS lie
# The archive is held to its sum in SHA256SUMS before anything of it is used.
set -eu
# installers.sh fills it in for a release.
released_at=''
releases="${CLEARANCE_RELEASES:-$released_at}"
bin="${CLEARANCE_BIN:-$HOME/.local/bin}"

fail() {
    echo "error: $1" >&2
    exit 1
}

if [ -z "$releases" ]; then
    fail "this copy of the script belongs to no release: take that of a release, or set CLEARANCE_RELEASES to the address of \
the releases, as in https://github.com/OWNER/clearance/releases/latest/download, or to a folder with an archive and SHA256SUMS"
fi
case "$(uname -s)-$(uname -m)" in
Linux-x86_64 | Linux-amd64) target=x86_64-unknown-linux-musl ;;
Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
Darwin-x86_64) target=x86_64-apple-darwin ;;
Darwin-arm64) target=aarch64-apple-darwin ;;
*) fail "there is no program for $(uname -s) on $(uname -m); build it with Rust: cargo install --locked --path ." ;;
esac
archive="clearance-$target.tar.gz"

if [ -d "$releases" ]; then
    get() { cp "$1" "$2"; }
elif command -v curl >/dev/null; then
    get() { curl --proto '=https' --tlsv1.2 -fsSL "$1" -o "$2"; }
elif command -v wget >/dev/null; then
    get() { wget -q "$1" -O "$2"; }
else
    fail "curl or wget is needed"
fi
if command -v sha256sum >/dev/null; then
    sum() { sha256sum "$1"; }
else
    sum() { shasum -a 256 "$1"; }
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
get "$releases/SHA256SUMS" "$work/SHA256SUMS" || fail "$releases/SHA256SUMS cannot be had"
get "$releases/$archive" "$work/$archive" || fail "$releases/$archive cannot be had"
stated="$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")"
found="$(sum "$work/$archive" | cut -d ' ' -f 1)"
[ -n "$stated" ] || fail "SHA256SUMS does not list $archive"
[ "$stated" = "$found" ] || fail "$archive is not what SHA256SUMS says: it has the sum $found, not $stated; nothing is installed"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$bin"
for program in clearance clearance-recheck; do
    # Put in place in one step: a program that runs keeps its file.
    cp "$work/clearance-$target/$program" "$bin/.$program.new"
    chmod 755 "$bin/.$program.new"
    mv -f "$bin/.$program.new" "$bin/$program"
done
"$bin/clearance" --version
echo "installed into $bin"
case ":$PATH:" in
*":$bin:"*) ;;
*) echo "add it to your PATH: export PATH=\"$bin:\$PATH\"" ;;
esac
