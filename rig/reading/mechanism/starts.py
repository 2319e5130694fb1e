"""Where a mechanism begins: bodies with keys have them where all joints hold, motors' keys count whole turns, and motors without keys say
where they are in the sketch."""

from dataclasses import replace
from math import pi

import numpy as np

from ....solvers.mechanism.frames import frame_array
from ....solvers.mechanism.goals import Goals
from ....solvers.mechanism.model import Mechanism
from ....solvers.mechanism.solver import MechanismSolver, State
from ...blender import actions
from .shapes import freedoms

NEAR = 1e-3  # [rad, or of the mechanism's size] what keys between two frames may be apart


def starts_closed(mechanism: Mechanism) -> bool:
    """Whether the bodies' starts are a pose of the mechanism, but for rounding and what keys between two frames differ from it."""
    starts = np.array([frame_array(body.start) for body in mechanism.bodies])
    solver = MechanismSolver(mechanism)
    found = solver.solve(Goals(), solver.rest())
    size = max(float(np.ptp(starts[:, :3, 3], axis=0).max()), *(float(np.abs(joint.in_child.place).max()) for joint in mechanism.joints))
    apart = np.abs(found.poses - starts)
    return bool(found.report.assembled and apart[:, :3, :3].max() <= NEAR and apart[:, :3, 3].max() <= NEAR * max(size, NEAR))


def _keyed(owner) -> set[str]:
    """Paths of the owner's channels that have keys or drivers."""
    curves = [curve for action, slot in actions.playing(owner) for curve in actions.fcurves(action, slot)]
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    return {curve.data_path for curve in [*curves, *drivers] if not curve.mute}


def note_values(owner, solver: MechanismSolver, state: State) -> None:
    """Motors that follow targets and have no keys say where they are in a pose: it is what a robot gets while nothing is live.

    Call within an operator that has UNDO.
    """
    kept, keyed = owner.limber.mechanism, _keyed(owner)
    for k, motor in enumerate(kept.motors):
        joint = solver.mechanism.joint.get(motor.joint.name if motor.joint else motor.bone)
        if kept.drive == "TARGETS" and joint is not None and joint.actuated and f"limber.mechanism.motors[{k}].value" not in keyed:
            motor.value = solver.values(state, joint.name)[list(freedoms(joint.kind)).index(motor.axis)]


def with_turns(owner, solver: MechanismSolver, state: State) -> State:
    """The same pose with motors as many whole turns from the sketch as the keys of their values say at this frame."""
    kept, keyed = owner.limber.mechanism, _keyed(owner)
    for k, motor in enumerate(kept.motors):
        joint = solver.mechanism.joint.get(motor.joint.name if motor.joint else motor.bone)
        if joint is not None and joint.actuated and f"limber.mechanism.motors[{k}].value" in keyed:
            state = _turned(solver, state, joint.name, list(freedoms(joint.kind)).index(motor.axis), motor.value)
    return state


def _turned(solver: MechanismSolver, state: State, joint: str, index: int, told: float) -> State:
    """The state with whole turns more or less, that has a joint within half a turn of what is told, where limits allow it."""
    turns = round((told - solver.values(state, joint)[index]) / (2.0 * pi))
    if turns == 0:
        return state
    for node in solver.tree.walked[joint][0]:
        c = int(solver.coordinates.first[node])
        for way in (turns, -turns) if solver.coordinates.is_turn[c] else ():
            values = state.values.copy()
            values[c] += 2.0 * pi * way
            other = replace(state, values=values, branch=None, shape=None)
            if abs(told - solver.values(other, joint)[index]) <= pi and solver.lower[c] <= values[c] <= solver.upper[c]:
                return other
    return state
