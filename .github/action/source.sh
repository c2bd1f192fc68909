#!/usr/bin/env bash
# A digest of all files of a folder, for the cache of action.yml: a program that was built from other sources is not
# taken from there.
#   .github/action/source.sh FOLDER
set -euo pipefail
cd "$1"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . -type f ! -path './.git/*' ! -path '*/target/*' | LC_ALL=C sort >"$list"
# Names and contents. Every runner has git, which needs no repository for this.
{ cat "$list"; git hash-object --no-filters --stdin-paths <"$list"; } | git hash-object --stdin
