"""Mechanisms of a character file as a performance plays them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..character.chain.settings import BASES, BLEND, POSTURE, kept_values
from ..character.file.contents import Anchor, MechanismEntry
from ..character.file.mechanisms import Mounted
from ..character.mechanism.inputs import (
    GoalWeights,
    driven_goal,
    goal,
    motor_goals,
    rigid_frame,
    target_goals,
)
from ..character.mechanism.tick import MechanismModel
from ..solvers.kinematics.se3 import Array, inverse
from ..solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from .scene import Moment, PlayedMover, PlayedView


@dataclass
class PlayedMechanism(PlayedMover[MechanismEntry]):
    """A mechanism of a character file; its model is made at the first tick."""

    model: MechanismModel | None = None

    @property
    def anchors(self) -> list[Anchor]:
        """Anchors of the mechanism's base and of its driven bodies."""
        return [self.entry.base_frame.anchor, *(mounted.anchor for _, mounted in self.entry.driven)]

    def followed(self, moment: Moment) -> Iterator[str]:
        """Names of the targets that the mechanism's goals follow."""
        return (each.target for each in self.entry.goals)

    def read(self, view: PlayedView, targets: PlayedView) -> tuple[MechanismModel, Goals]:
        entry, moment = self.entry, view.moment
        if self.model is None:
            self.model = entry.model()

        def world(mounted: Mounted) -> Array:
            matrix: Array = rigid_frame(view.world(mounted.anchor)) @ mounted.offset
            return matrix

        base_from_world = inverse(world(entry.base_frame))
        weight, speed_weight, speed = entry.regulariser.at(moment.frame).tolist()
        weights = RegulariserWeights(weight, speed_weight, speed)
        driven = [driven_goal(body, base_from_world @ world(mounted)) for body, mounted in entry.driven]
        values = _posture_values(entry, moment.frame)
        if entry.is_driven_by_motors:
            return self.model, motor_goals(self.model, driven, values, weights)
        goals: list[FrameGoal | CentreGoal] = [*driven]
        for each in entry.goals:
            target = rigid_frame(np.array(view.target(each.target)))
            numbers = each.weights.at(moment.frame).tolist()
            goal_weights = GoalWeights(tuple(numbers[:3]), tuple(numbers[3:6]), numbers[6])
            goals.append(goal(each.spec, goal_weights, base_from_world @ target @ each.offset))
        held_values = {k: values[k] for k, motor in enumerate(entry.motors) if motor.keeps_value}
        return self.model, target_goals(self.model, goals, held_values, weights, base_from_world)


def _posture_values(entry: MechanismEntry, frame: float) -> list[float]:
    """Values (m,) [rad or m] of the motors in the posture, or the blend of postures, that the mechanism keeps
    at a frame; else their authored values.
    """
    base = BASES[int(entry.base.step(frame))]
    posture = int(entry.posture.step(frame))
    weighted = []
    if base == POSTURE:
        weighted = [(1.0, entry.postures[posture].values)]
    elif base == BLEND:
        weights = entry.weights.at(frame).tolist()
        pairs = zip(weights, entry.postures, strict=True)
        weighted = [(weight, each.values) for weight, each in pairs if weight > 0.0]
    values: list[float] = kept_values(base, weighted, entry.authored.at(frame)).tolist()
    return values
