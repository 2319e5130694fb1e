"""What a user may set of the Jacobian family. Knows no Blender."""

from dataclasses import dataclass
from typing import Literal

from .objectives import KeepPosture, LeaveLimits, Manipulability, Objective
from .priorities import AIM, POSITION, POSTURE, UPRIGHT, Level

Wish = Literal["posture", "limits", "manipulability"]
Task = Literal["position", "aim", "posture"]
OBJECTIVES: dict[Wish, Objective] = {"posture": KeepPosture(), "limits": LeaveLimits(), "manipulability": Manipulability()}
LEVELS: dict[Task, tuple[Level, ...]] = {"position": (POSITION,), "aim": (AIM, UPRIGHT), "posture": (POSTURE,)}


@dataclass(frozen=True)
class Options:
    """Settings of any method of the family."""

    beneath: tuple[Wish, ...] = ("posture",)  # what joints would like beneath the goals, in the null space

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(OBJECTIVES[wish] for wish in self.beneath)


@dataclass(frozen=True)
class PriorityOptions(Options):
    """Settings of task priorities."""

    order: tuple[Task, ...] = ("position", "aim", "posture")  # the first counts most; "posture" stands for what joints would like

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(level for task in self.order for level in LEVELS[task])
