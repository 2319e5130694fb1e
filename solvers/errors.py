"""Errors of gaze goals; each message says what is wrong and what to do about it."""


class GazeError(ValueError):
    """An invalid goal; the message says what is wrong and what to do about it."""


class PostureShapeError(GazeError):
    """The posture, or the start, does not have one finite angle for each joint."""


class GoalKindError(GazeError):
    """The solver does not support this kind of aim."""


class TargetError(GazeError):
    """The target has no direction (zero length), or is not finite."""
