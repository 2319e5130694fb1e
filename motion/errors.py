"""Errors of motion filters."""


class MotionError(ValueError):
    """Invalid input to a motion filter."""


class LimitsError(MotionError):
    """Invalid limits; the message names the field and the remedy."""


class MotionStyleError(MotionError):
    """A style parameter is out of its range."""


class TargetError(MotionError):
    """A target is not a finite number; the message names it and the remedy."""


class TimeStepError(MotionError):
    """A time step is negative or not a finite number."""


class UnknownFilterError(MotionError):
    """No filter has that name; the message lists the known ones."""
