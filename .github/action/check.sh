#!/usr/bin/env bash
# The check of action.yml: inputs come as variables, so that nothing in them is run as a command. It can be run anywhere:
#   CLEARANCE=clearance TREES=trees CELL=cell.toml PROGRAMS='programs/*.csv' .github/action/check.sh
set -euo pipefail

# One argument a line, without blanks around it.
lines() {
    while IFS= read -r line; do
        line="${line#"${line%%[![:space:]]*}"}"
        line="${line%"${line##*[![:space:]]}"}"
        [ -z "$line" ] || printf '%s\0' "$line"
    done <<<"$1"
}

summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
words=(batch --cell "$CELL" --cache-dir "$TREES" --report text --report github --report "markdown=$summary")
while IFS= read -r -d '' report; do words+=(--report "$report"); done < <(lines "${REPORTS:-}")
[ -z "${BASELINE:-}" ] || words+=(--baseline "$BASELINE")
[ -z "${RESULTS:-}" ] || words+=(--results "$RESULTS")
# Options are split at blanks and line ends; quotes mean nothing in them, and patterns are not expanded.
set -f
for option in ${OPTIONS:-}; do words+=("$option"); done
set +f
# Nothing behind it is an option, whatever a program is called.
words+=(--)
while IFS= read -r -d '' program; do words+=("$program"); done < <(lines "$PROGRAMS")

code=0
"$CLEARANCE" "${words[@]}" || code=$?

if [ ! -s "$summary" ]; then
    # Such as the help among the options, or a program that does not start on this machine:
    # whatever its code, nobody can say what it has checked.
    echo "error: no summary was written: nothing was checked, or the disk is full" >&2
    code=2
elif [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
