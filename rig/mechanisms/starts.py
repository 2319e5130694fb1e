"""Motor values at the start of live motion: values with keyframes include whole revolutions, other values are
computed from the pose.
"""

from dataclasses import replace
from math import pi

import bpy

from ...solvers.mechanism.model import Mechanism
from ...solvers.mechanism.solution import AssemblyState
from ...solvers.mechanism.solver import MechanismSolver
from ..blender import actions
from .joint_kinds import dof_axes


def _keyed(owner: bpy.types.Object) -> set[str]:
    """Data paths of the owner's channels that have keyframes or drivers which are not muted."""
    curves = [curve for action, slot in actions.playing(owner) for curve in actions.fcurves(action, slot)]
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    return {curve.data_path for curve in [*curves, *drivers] if not curve.mute}


def note_values(owner: bpy.types.Object, solver: MechanismSolver, state: AssemblyState) -> None:
    """Stores the motor values of a pose in the motors that follow targets and have no keyframes, since the
    stored values are sent to the robot while nothing is live.

    Call within an operator that has UNDO.
    """
    settings, keyed = owner.limber.mechanism, _keyed(owner)
    for k, motor in enumerate(settings.motors):
        joint = solver.mechanism.joint.get(motor.joint.name if motor.joint else motor.bone)
        follows = settings.drive == "TARGETS" and not motor.keeps_value
        if (
            follows
            and joint is not None
            and joint.actuated
            and f"limber.mechanism.motors[{k}].value" not in keyed
        ):
            motor.value = solver.values(state, joint.name)[list(dof_axes(joint.kind)).index(motor.axis)]


def note_rest(owner: bpy.types.Object, mechanism: Mechanism) -> None:
    """Stores the motor values of the bodies' rest poses; see `note_values`."""
    solver = MechanismSolver(mechanism)
    note_values(owner, solver, solver.rest())


def with_revolutions(owner: bpy.types.Object, solver: MechanismSolver, state: AssemblyState) -> AssemblyState:
    """The same pose of the mechanism, with whole revolutions added to the motors' values as in their
    keyframes at this frame.
    """
    settings, keyed = owner.limber.mechanism, _keyed(owner)
    for k, motor in enumerate(settings.motors):
        joint = solver.mechanism.joint.get(motor.joint.name if motor.joint else motor.bone)
        if joint is not None and joint.actuated and f"limber.mechanism.motors[{k}].value" in keyed:
            state = _with_revolutions(
                solver, state, joint.name, list(dof_axes(joint.kind)).index(motor.axis), motor.value
            )
    return state


def _with_revolutions(
    solver: MechanismSolver, state: AssemblyState, joint: str, index: int, commanded: float
) -> AssemblyState:
    """The state with a joint moved by whole revolutions, to at most pi from its commanded value [rad]; the
    same state if that needs none, or if its limits do not allow it.
    """
    revolutions = round((commanded - solver.values(state, joint)[index]) / (2.0 * pi))
    if revolutions == 0:
        return state
    for c in solver.tree.passages[joint].coordinates.tolist():
        for count in () if solver.tree.slides[c] else (revolutions, -revolutions):
            values = state.values.copy()
            values[c] += 2.0 * pi * count
            other = replace(state, values=values, branch=None)
            if (
                abs(commanded - solver.values(other, joint)[index]) <= pi
                and solver.lower[c] <= values[c] <= solver.upper[c]
            ):
                return other
    return state
