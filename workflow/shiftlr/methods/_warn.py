"""Warnings that point at the user's own line."""

import sys
import warnings
from types import FrameType


def warn_caller(message, category):
    """A warning that points at the line outside shiftlr which called it."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("shiftlr"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
