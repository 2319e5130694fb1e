"""Session of a mechanism: reads its goals as Blender has evaluated them, and shows the solved poses of its
bodies.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property, partial

import bpy
import numpy as np
from mathutils import Matrix

from ...character.mechanism.inputs import motor_goals, target_goals
from ...character.mechanism.tick import (
    NO_MORE,
    MechanismModel,
    MechanismMotor,
    MechanismOutputs,
    MechanismState,
)
from ...character.mover import GoalResidual
from ...motion import Kinematic, Limits, MotionError, MotionStyle, make_filter
from ...solvers.amounts import rounded
from ...solvers.kinematics.se3 import Array, inverse
from ...solvers.mechanism.goals import Goals, RegulariserWeights
from ...solvers.mechanism.model import MechanismError
from ...solvers.mechanism.solution import SolveReport
from ...solvers.mechanism.solver import MechanismSolver
from ...solvers.tolerances import MET
from ..blender.errors import RigError
from ..bones import channels, rotation_modes
from ..bones.channels import Channel
from ..chains.kept_posture import kept
from ..mechanisms import assembled, pose_channels
from ..mechanisms import inputs as mechanism_inputs
from ..mechanisms.assembled import Assembled
from ..mechanisms.authored_mechanism import Reading
from ..mechanisms.conflicts import refuse_taken
from ..mechanisms.errors import error_text, errors_of, unbalanced
from ..mechanisms.joint_kinds import dof_axes
from ..mechanisms.parents import refuse_unknown
from ..mechanisms.poses import matrix_of
from ..properties.motion_style import motion_style
from ..scene.placement import Placement
from ..showing import mechanism_proxy
from .mover import JointKey, Mover
from .session import NO_VALUE, Cached, JointLimits, SceneSession, SessionInputs

REPORTED_ERROR = 100 * MET  # [m or rad] a larger error of a goal is reported


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """Poses of a mechanism's bodies in a frame."""

    assembled: Assembled
    base: Array  # (4, 4) world matrix of the mechanism's base
    poses: Array  # (b, 4, 4) poses of the bodies in the base frame

    @cached_property
    def bodies(self) -> dict[int, dict[str, "PlacedBodies"]]:
        """The poses in the form of `Placement.carry`: by object's session_uid and bone name."""
        return {uid: dict.fromkeys(bones, self) for uid, bones in self.assembled.bodies.items()}

    def world(self, uid: int, bone: str) -> Matrix:
        """World matrix of the object with this session_uid, or of its bone, that shows a body."""
        k = self.assembled.bodies[uid][bone]
        part = self.assembled.reading.parts[k]
        return matrix_of(part.world(self.base, self.poses[k]), part.scale)


@dataclass
class MechanismSession(SceneSession):
    """Session of a mechanism. Its poses are of the form of `PlacedBodies.bodies`."""

    assembled: Assembled | None = None
    model: MechanismModel | None = None
    motors: Cached[tuple[MechanismMotor, ...]] = NO_VALUE
    base: Array | None = None  # (4, 4) world matrix of the mechanism's base at the last tick
    joint_keys: tuple[JointKey, ...] = ()  # joint and axis of each motor

    errors = (RigError, MechanismError, MotionError)

    @property
    def reading(self) -> Reading | None:
        return self.assembled.reading if self.assembled is not None else None

    @property
    def solver(self) -> MechanismSolver | None:
        return self.assembled.model.solver if self.assembled is not None else None

    def show(self, inputs: SessionInputs) -> tuple[dict, dict]:
        if not self.problem:
            scaled = mechanism_inputs.why_scaled(self.reading, inputs.view)
            sentences = (
                scaled,
                _feedback_warning(inputs.mover.owner, inputs.feedback),
                _remark(self.model, self.outputs, self.state),
                self._balance(),
            )
            self.record.remark = ". ".join(filter(None, sentences))
        bodies = PlacedBodies(self.assembled, self.base, self.outputs.poses).bodies
        return bodies, bodies

    def _balance(self) -> str:
        """Sentence on the edge over which the mechanism would tip; "" if the mechanism stands, or if its
        centre of mass has no horizontal goal.
        """
        centre = self.state.goals.centre if self.state is not None else None
        # a goal for the height alone says nothing about the balance
        has_ground_goal = centre is not None and any(centre.weight[:2])
        return unbalanced(self.reading, self.base, self.outputs.poses) if has_ground_goal else ""

    def values(self) -> dict[JointKey, float]:
        return (
            dict(zip(self.joint_keys, self.outputs.values, strict=True)) if self.outputs is not None else {}
        )

    def motion(self) -> dict[JointKey, Kinematic]:
        return dict(zip(self.joint_keys, self.state.motion, strict=True)) if self.state is not None else {}

    def desired(self) -> dict[JointKey, float]:
        return (
            dict(zip(self.joint_keys, self.outputs.desired, strict=True)) if self.outputs is not None else {}
        )

    def solved(self) -> dict[JointKey, float]:
        return self.desired()

    def goal_errors(self, mover: Mover) -> list[GoalResidual]:
        return errors_of(self.solver, self.state.goals, self.state.desired)

    def limits(self) -> dict[JointKey, JointLimits]:
        if self.model is None:
            return {}
        limits = (motor.filter.limits for motor in self.model.motors)
        return {
            key: JointLimits(limit.lower, limit.upper, limit.velocity, limit.acceleration, limit.jerk)
            for key, limit in zip(self.joint_keys, limits, strict=True)
        }

    @property
    def warning(self) -> str:
        return self.reading.difference if self.reading is not None else ""

    def check_keys(self) -> None:
        refuse_unknown([part for _, part in self.reading.moved_parts])

    def keys(
        self, mover: Mover, placement: Placement, before: Mapping[Channel, float]
    ) -> dict[Channel, float]:
        """Values of channels to key in this frame: of bodies, of joint objects mounted on them, and of
        motors; arguments as for `SceneSession.keys`.
        """
        pose_channels.predict_transforms(self.reading, self.base, self.outputs.poses, placement)
        channel_values: dict[Channel, float] = {}
        for _, part in self.reading.moved_parts:
            if (holder := mechanism_proxy.holder_of(part)) is None:
                continue  # the object was deleted while live
            matrix = pose_channels.basis(part, placement)
            obj = holder.id_data
            rotation_channel = rotation_modes.channel(holder.rotation_mode)
            channel_owner = obj.name, obj.session_uid, part.bone
            last_numbers = [
                before.get(Channel(*channel_owner, rotation_channel, index))
                for index in range(len(channels.PARTS[rotation_channel]))
            ]
            numbers = {
                "location": pose_channels.location_numbers(holder, matrix),
                rotation_channel: pose_channels.rotation_numbers(
                    holder, matrix, None if None in last_numbers else last_numbers
                ),
            }
            channel_values |= {
                Channel(*channel_owner, name, k): number
                for name, row in numbers.items()
                for k, number in enumerate(row)
            }
        return channel_values | {
            channels.of_motor(mover.owner, k): value for k, value in enumerate(self.outputs.values)
        }

    def differs(self, inputs: SessionInputs) -> bool:
        before = self.base
        return super().differs(inputs) or before is None or bool((self.base != before).any())

    def prepare(
        self, mover: Mover, as_authored: Callable[[], AbstractContextManager[bpy.types.Depsgraph]]
    ) -> None:
        refuse_taken(mover.owner)
        mechanism = assembled.stored(mover.owner) if mover.is_live else None
        if mechanism is None:
            with as_authored() as depsgraph:
                mechanism = assembled.prepare(mover.owner, depsgraph)
        self.take(mechanism)

    def take_up(self, owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> None:
        """Uses the stored mechanism that was read when live began, if the mechanism is live."""
        mechanism = assembled.stored(owner) if settings.live else None
        if mechanism is not None and mechanism is not self.assembled:
            self.take(mechanism)

    def take(self, mechanism: Assembled) -> None:
        """Uses a newly assembled mechanism; its motion restarts."""
        self.assembled, self.model, self.motors, self.base = mechanism, mechanism.model, NO_VALUE, None
        self.record.clear()

    def read(self, inputs: SessionInputs, dt: float) -> tuple[MechanismModel, Goals]:
        """(model, goals) of the mechanism in a frame, in its base frame.

        Raises:
            RigError, MechanismError, MotionError: the mechanism was not read, or cannot be used.
        """
        (owner, settings), placement = inputs.mover, inputs.view
        self.take_up(owner, settings)
        if self.assembled is None:
            raise RigError(
                self.problem or f"Mechanism '{owner.name}' could not be read: press End Live, then Check"
            )
        reading = self.assembled.reading
        mechanism_inputs.refuse_change(owner, reading)
        self._update_model(owner, settings, reading)
        self.base = mechanism_inputs.base(owner, reading, placement)
        evaluated_settings = mechanism_inputs.keyed(owner, settings, placement.depsgraph)
        weights = RegulariserWeights(
            evaluated_settings.steady,
            evaluated_settings.velocity_weight,
            evaluated_settings.velocity_threshold,
        )
        if evaluated_settings.drive == "MOTORS":
            mechanism_inputs.ordered(settings, reading)
            values = self._kept_values(inputs.mover, evaluated_settings)
            return self.model, motor_goals(
                self.model, mechanism_inputs.driven(reading, placement, inverse(self.base)), values, weights
            )
        base_from_world = inverse(self.base)
        goals = mechanism_inputs.frames(settings, evaluated_settings, reading, placement, base_from_world)
        keeping = [k for k, motor in enumerate(evaluated_settings.motors) if motor.keeps_value]
        values = self._kept_values(inputs.mover, evaluated_settings) if keeping else []
        kept_values = {k: values[k] for k in keeping}
        return self.model, target_goals(self.model, goals, kept_values, weights, base_from_world)

    def _kept_values(self, mover: Mover, evaluated_settings: bpy.types.PropertyGroup) -> list[float]:
        """Motor values [rad or m] of the posture that the mechanism keeps; without one, those that are set on
        the motors.
        """
        authored_values = np.array([motor.value for motor in evaluated_settings.motors])
        return kept(
            mover.settings,
            evaluated_settings,
            authored_values,
            partial(self.in_posture, mover, self.joint_keys),
        ).tolist()

    def _update_model(
        self, owner: bpy.types.Object, settings: bpy.types.PropertyGroup, reading: Reading
    ) -> None:
        motors = mechanism_inputs.ordered(settings, reading)
        joint_keys = tuple(motor.key for motor in motors)
        if joint_keys != self.joint_keys:
            self.joint_keys, self.stored = joint_keys, {}
        limits = [
            (motor.lower, motor.upper, motor.velocity, motor.acceleration, motor.jerk) for motor in motors
        ]
        styles = tuple(motion_style(settings, motor) for motor in motors)
        self.motors = self.motors.of(
            (tuple(limits), settings.filter, styles),
            lambda: _solver_motors(motors, limits, styles, settings.filter, reading),
        )
        if self.model.motors is not self.motors.value:
            self.model = replace(self.model, motors=self.motors.value)


def _solver_motors(
    motors: Sequence[bpy.types.PropertyGroup],
    limits: Sequence[tuple],
    styles: Sequence[MotionStyle],
    filter_name: str,
    reading: Reading,
) -> tuple[MechanismMotor, ...]:
    """The motors with their motion filters; raises RigError if a filter cannot have a motor's limits."""
    solver_motors = []
    for motor, numbers, style in zip(motors, limits, styles, strict=True):
        joint = reading.mechanism.joint[mechanism_inputs.motor_joint(motor, reading)]
        index = list(dof_axes(joint.kind)).index(motor.axis)
        try:
            solver_motors.append(
                MechanismMotor(joint.name, index, make_filter(filter_name, Limits(*numbers), style))
            )
        except MotionError as error:
            raise RigError(f"Motor '{motor.name}': {error}") from error
    return tuple(solver_motors)


def _feedback_warning(owner: bpy.types.Object, leader: Mover | None) -> str:
    """Warning that a mechanism follows the mover `leader`, which depends on it or is the mechanism itself; ""
    if `leader` is None.
    """
    if leader is None:
        return ""
    effect = "so each frame's pose depends on the frames before"
    if leader.owner == owner and leader.settings == owner.limber.mechanism:
        return (
            f"Mechanism '{owner.name}' follows what it moves itself, {effect}: choose a target that it does not"
            " move"
        )
    named = leader.long_label[0].lower() + leader.long_label[1:]
    return (
        f"Mechanism '{owner.name}' follows {named}, which in turn depends on it, {effect}: choose another target,"
        " or clear a parent, so that only one of them follows the other"
    )


def _remark(model: MechanismModel, outputs: MechanismOutputs, state: MechanismState) -> str:
    """Sentences on open joints, on goals that are not met, and on a loop that has changed its assembly; "" if
    there is nothing to say.
    """
    report = outputs.report
    if not report.assembled or not outputs.is_closed:
        gap = f"Joint '{report.worst}' is open by {rounded(1e3 * report.residual, 3)} mm or mrad"
        return f"{gap}: move the targets back, or begin again from a frame before this one"
    sentences = [_shortfall(model, report, state)] if report.goal_error > REPORTED_ERROR else []
    if state.flipped:
        sentences.append(
            "A loop went over to its other assembly: move the targets on another path, or begin again from a"
            " frame before this one"
        )
    return ". ".join(filter(None, sentences))


def _shortfall(model: MechanismModel, report: SolveReport, state: MechanismState) -> str:
    """Sentence on the goal with the largest error, and whether it can still be met; "" if there is none."""
    goals_text = "motors' values" if state.goals.counts_full_rotations else "targets"
    if not (left := error_text(model.solver, state.goals, state.desired)):
        return ""
    if not report.settled and state.stalled < NO_MORE:
        return f"On its way to the {goals_text}: {left}"
    return f"The {goals_text} cannot be met, {left}" + (
        f": {report.at_limits[0]}" if report.at_limits else ""
    )
