#!/usr/bin/env bash
# Runs the hook of .pre-commit-hooks.yaml as pre-commit does, on a repository of its own: what collides is not committed.
# pre-commit would build the program with `cargo install`; here it finds one that is built (`language: system`), so that neither the
# network nor minutes are needed. Everything else of the hook is what the file says.
# Usage: tests/precommit/run.sh CLEARANCE [PRE_COMMIT]
set -euo pipefail
clearance="$(realpath "$1")"
precommit="${2:-pre-commit}"
top="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work" PRE_COMMIT_HOME="$work/cache" GIT_CONFIG_GLOBAL="$work/gitconfig"
git config --global user.name nobody
git config --global user.email nobody@localhost
git config --global init.defaultBranch main
mkdir "$work/bin" && ln -s "$clearance" "$work/bin/clearance"
export PATH="$work/bin:$PATH"

# The repository of the hook.
git init -q "$work/hooks"
sed 's/language: rust/language: system/' "$top/.pre-commit-hooks.yaml" > "$work/hooks/.pre-commit-hooks.yaml"
git -C "$work/hooks" add . && git -C "$work/hooks" commit -qm hooks
revision="$(git -C "$work/hooks" rev-parse HEAD)"

# The user's repository.
git init -q "$work/user" && cd "$work/user"
mkdir -p robots trajectories/arm6
cp -r "$top/robots/arm6" robots/
cat > .pre-commit-config.yaml <<CONFIG
repos:
  - repo: $work/hooks
    rev: $revision
    hooks:
      - id: clearance
        args: [--cell, robots/arm6/cell.toml]
        files: ^trajectories/arm6/.*\.csv\$
CONFIG
git add . && git commit -qm cell
"$precommit" install > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }

cp "$top/trajectories/arm6/pick_place.csv" trajectories/arm6/
git add . && git commit -qm clear > "$work/said" 2>&1 || { echo "a clear program was refused"; cat "$work/said"; exit 1; }
cp "$top/trajectories/arm6/place_too_low.csv" trajectories/arm6/
git add .
if git commit -qm collides > "$work/said" 2>&1; then echo "a program that collides was committed"; exit 1; fi
grep -q "COLLISION .*place_too_low.csv" "$work/said" || { echo "the finding is not shown"; cat "$work/said"; exit 1; }
echo "pre-commit: a clear program is committed, one that collides is not"
