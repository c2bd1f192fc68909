#!/usr/bin/env bash
# The HTML report in a real browser. Needs Python 3 and Chromium; CLEARANCE_CHROMIUM names another browser of the family,
# CLEARANCE a program that is built.
# Without a browser it fails. To leave it out on a machine of your own: CLEARANCE_SKIP_BROWSER=1.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${CLEARANCE_SKIP_BROWSER:-}" = 1 ]; then
    echo "left out: CLEARANCE_SKIP_BROWSER is set"
    exit 0
fi
[ -n "${CLEARANCE:-}" ] || cargo build --quiet
exec python3 -B -m unittest discover -v -s tests/browser
