"""Errors of gaze goals: what is wrong, and the remedy."""


class GazeError(ValueError):
    """An invalid goal; the message names what is wrong and the remedy."""


class PostureShapeError(GazeError):
    """The posture, or the start, does not have one finite angle for each joint."""


class GoalKindError(GazeError):
    """The solver does not support this kind of aim."""


class TargetError(GazeError):
    """The target has no direction, or is not finite."""
