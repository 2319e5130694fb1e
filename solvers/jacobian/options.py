"""Options of the Jacobian family that a user may set. Knows no Blender."""

from dataclasses import dataclass
from typing import Literal

from .objectives import KeepPosture, LeaveLimits, Manipulability, Objective
from .priorities import AIM, POSITION, POSTURE, UPRIGHT, Level

ObjectiveName = Literal["posture", "limits", "manipulability"]
Task = Literal["position", "aim", "posture"]
OBJECTIVES: dict[ObjectiveName, Objective] = {"posture": KeepPosture(), "limits": LeaveLimits(), "manipulability": Manipulability()}
LEVELS: dict[Task, tuple[Level, ...]] = {"position": (POSITION,), "aim": (AIM, UPRIGHT), "posture": (POSTURE,)}


@dataclass(frozen=True)
class Options:
    """Settings of any method of the family."""

    beneath: tuple[ObjectiveName, ...] = ("posture",)  # secondary objectives, in the null space of the goals

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(OBJECTIVES[wish] for wish in self.beneath)


@dataclass(frozen=True)
class PriorityOptions(Options):
    """Settings of task priorities."""

    order: tuple[Task, ...] = ("position", "aim", "posture")  # the first counts most; "posture" stands for the secondary objectives

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(level for task in self.order for level in LEVELS[task])
