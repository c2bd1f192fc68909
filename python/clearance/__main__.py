"""The command: `clearance …`, or `python -m clearance …`."""

import signal
import sys

from ._clearance import command


def main() -> None:
    # Ctrl-C ends a proof at once, and a closed pipe is not a traceback, as with the program itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["clearance", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
