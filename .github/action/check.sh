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

words=(batch --cell "$CELL" --cache-dir "$TREES" --report text --report github)
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || words+=(--report "markdown=$GITHUB_STEP_SUMMARY.clearance")
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

if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$GITHUB_STEP_SUMMARY.clearance" ]; then
    cat "$GITHUB_STEP_SUMMARY.clearance" >>"$GITHUB_STEP_SUMMARY"
    rm "$GITHUB_STEP_SUMMARY.clearance"
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
