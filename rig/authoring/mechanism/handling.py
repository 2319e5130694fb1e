"""Verb with which messages tell the user to move a mechanism's targets: drag, rotate, or both."""

from collections.abc import Sequence

import bpy

from ...mechanisms.inputs import WEIGHTS


def handling(settings: bpy.types.PropertyGroup) -> str:
    """Verb for the mechanism's targets, by the weights of its goals: "drag" for position, "rotate" for
    orientation, or "drag or rotate"; "drag" if all weights are 0.
    """
    counting = {
        name for goal in settings.goals for name in WEIGHTS[goal.does] if _is_any(getattr(goal, name))
    }
    verbs = ["drag"] if "position_weight" in counting else []
    verbs += ["rotate"] if counting - {"position_weight"} else []
    return " or ".join(verbs) or "drag"


def _is_any(weights: float | Sequence[float]) -> bool:
    return any(weights) if hasattr(weights, "__iter__") else bool(weights)
