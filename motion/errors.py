"""What motion filters raise on bad input. Knows no Blender."""


class MotionError(ValueError):
    """Any bad input to a motion filter."""


class LimitsError(MotionError):
    """Limits that no motion can keep: the message names the field and the remedy."""


class CharacterError(MotionError):
    """A character parameter out of its range."""


class TargetError(MotionError):
    """A target that is not a finite number: the message names it and the remedy."""


class TimeStepError(MotionError):
    """A time step that is negative or not a number."""


class UnknownFilterError(MotionError):
    """No filter of that name: the message lists those there are."""
