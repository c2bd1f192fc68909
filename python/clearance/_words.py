"""Messages of the command in words of Python: it names its options, and who calls the module has arguments."""

from __future__ import annotations

import contextlib
import re
from typing import Iterator

from ._clearance import ClearanceError

# What stands for each option; options of the command alone stay as they are.
_ARGUMENTS = {
    "all": "`all`",
    "clearance": "`clearance`",
    "interpolation": "`interpolation`",
    "interpolation linear": '`interpolation="linear"`',
    "minimum": "`minimum`",
    "minimum-pairs": "`minimum_pairs`",
    "no-limits": "`limits=False`",
    "resolution": "`resolution`",
    "time-limit": "`time_limit`",
    "visual-as-collision": "`visual_as_collision=True`",
    "warn": "`warn`",
}
# The longest first: `--minimum` begins `--minimum-pairs`.
_OPTION = re.compile(
    r"(?<!\S)(`?)--(" + "|".join(sorted(_ARGUMENTS, key=len, reverse=True)) + r")\1(?![\w-])"
)


def in_python(message: str) -> str:
    """The message with arguments in place of options."""
    return _OPTION.sub(lambda found: _ARGUMENTS[found[2]], message)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Errors in words of Python."""
    try:
        yield
    except ClearanceError as error:
        raise ClearanceError(in_python(str(error))) from None
