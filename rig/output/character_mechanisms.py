"""Reads a mechanism for a character file, frame by frame."""

import bpy
import numpy as np

from ...character.chain.settings import BASES
from ...character.file.mechanisms import GoalEntry, MechanismEntry, MotorEntry, Mounted
from ...character.file.postures import StoredPosture
from ...character.file.tracks import track
from ...motion import Limits
from ...solvers.mechanism.solution import AssemblyState
from ..blender.errors import RigError
from ..blender.presence import find
from ..chains import kept_posture
from ..live.mechanism_session import MechanismSession
from ..live.mover import Mover
from ..mechanisms import inputs as mechanism_inputs
from ..properties.motion_style import motion_style
from ..scene.placement import Hanging, Placement
from .character_chains import Anchors

# two lists over the frames: the joint that carries an object, or None; and the object's world matrix (4, 4)
CarriedMotion = tuple[list[Hanging | None], list[np.ndarray]]


class ExportedMechanism:
    """Reads one mechanism over the frames of an export.

    Args:
        mover: The mechanism.
        session: Its session, prepared.
    """

    def __init__(self, mover: Mover, session: MechanismSession) -> None:
        self.mover, self.session, self.reading = mover, session, session.reading
        parts = [part for part in self.reading.parts if part.role == "DRIVEN"]
        base = self.reading.base_part
        # body's name ("": the base) -> (object, bone, offset (4, 4) from it) of the coordinate frame whose
        # motion is exported
        self._frames = {"": (mover.owner, "", np.eye(4))}
        if base is not None:
            self._frames[""] = (find(base.object_name, base.uid), base.bone, base.offset)
        self._frames |= {part.name: (find(part.object_name, part.uid), "", part.offset) for part in parts}
        self._motions: dict[str, CarriedMotion] = {name: ([], []) for name in self._frames}
        self._rows: list[tuple] = []
        self._specs: list = []
        self.commanded: list[tuple[float, ...]] = []
        self.desired: list[tuple[float, ...]] = []

    @property
    def targets(self) -> dict[str, tuple]:
        """Object and bone ("": the object) of each target, by its name in the file; empty while motors drive
        the mechanism.
        """
        goals = self.mover.settings.goals if self.mover.settings.drive != "MOTORS" else ()
        return {_name(goal): (goal.target, goal.target_bone) for goal in goals if goal.target is not None}

    @property
    def joint_names(self) -> dict[tuple[str, str], str]:
        """Names in the file of its motors, by the motors' keys (joint, axis)."""
        names = (f"{self.mover.owner.name}/{motor.name}" for motor in self.mover.settings.motors)
        return dict(zip(self.session.joint_keys, names, strict=True))

    def read(self, frame: int, placement: Placement) -> None:
        """Reads the mechanism in a frame, after its tick.

        Raises:
            RigError: the mechanism cannot be solved in the first frame.
        """
        session, settings = self.session, self.mover.settings
        if session.outputs is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        for name, (obj, bone, _) in self._frames.items():
            hanging, world = self._motions[name]
            hanging.append(placement.hanging(obj, bone))
            matrix = placement.object(obj)
            world.append(np.array(matrix @ placement.bone(obj, bone) if bone else matrix, float))
        evaluated = mechanism_inputs.keyed(self.mover.owner, settings, placement.depsgraph)
        index = kept_posture.kept_index(settings, evaluated)
        weights = [mechanism_inputs.goal_weights(goal) for goal in evaluated.goals]
        # goals are not followed while motors drive the mechanism, and may then be incomplete
        if not self._specs and settings.drive != "MOTORS":
            self._specs = [mechanism_inputs.goal_spec(goal, self.reading) for goal in settings.goals]
        self._rows.append(
            (
                BASES.index(settings.base),
                -1 if index is None else index,
                [posture.weight for posture in evaluated.postures],
                [motor.value for motor in evaluated.motors],
                [evaluated.steady, evaluated.velocity_weight, evaluated.velocity_threshold],
                [[*weight.position, *weight.rotation, weight.direction] for weight in weights],
            )
        )
        self.commanded.append(session.outputs.values)
        self.desired.append(session.outputs.desired)

    def entry(self, anchors: Anchors) -> MechanismEntry:
        """The mechanism as an entry of the character file; `anchors` computes motions of objects over the
        frames.
        """
        settings, session = self.mover.settings, self.session
        model = session.model
        bases, chosen, weights, authored, regulariser, goal_weights = zip(*self._rows, strict=True)
        postures = self._postures()
        posture_indices = list(postures)
        mounted = {
            name: Mounted(anchors(*self._motions[name]), np.array(offset))
            for name, (_, _, offset) in self._frames.items()
        }
        motors = tuple(
            MotorEntry(
                setting.name,
                motor.joint,
                motor.index,
                settings.filter,
                Limits(setting.lower, setting.upper, setting.velocity, setting.acceleration, setting.jerk),
                motion_style(settings, setting),
                setting.keeps_value,
            )
            for setting, motor in zip(settings.motors, model.motors, strict=True)
        )
        return MechanismEntry(
            name=self.mover.owner.name,
            mechanism=self.reading.mechanism,
            rest=AssemblyState(model.rest.values, model.rest.balls, model.rest.damping),
            motors=motors,
            undetermined=model.undetermined,
            is_over_actuated=model.is_over_actuated,
            is_driven_by_motors=settings.drive == "MOTORS",
            base_frame=mounted.pop(""),
            driven=tuple(mounted.items()),
            goals=tuple(
                GoalEntry(
                    spec,
                    _name(goal),
                    np.eye(4) if spec.does == "CENTRE" else np.array(goal.offset),
                    track(np.array([row[k] for row in goal_weights])),
                )
                for k, (spec, goal) in enumerate(zip(self._specs, settings.goals, strict=False))
            ),
            postures=tuple(postures.values()),
            base=track(np.array(bases, float)),
            posture=track(
                np.array([posture_indices.index(k) if k in posture_indices else -1 for k in chosen], float)
            ),
            weights=track(np.array([[row[k] for k in posture_indices] for row in weights])),
            authored=track(np.array(authored)),
            regulariser=track(np.array(regulariser)),
        )

    def remarks(self, first_frame: int) -> list[str]:
        """Sentences on parts of the mechanism that cannot be exported: empty, since all of them can."""
        return []

    def _postures(self) -> dict[int, StoredPosture]:
        """The stored postures that have values of the motors, by their indices in the mechanism's list."""
        postures, names = {}, kept_posture.names(self.mover.settings)
        for index, posture in enumerate(self.mover.settings.postures):
            if posture.action is not None and self.mover.in_posture(posture.action):
                values = self.session.in_posture(self.mover, self.session.joint_keys, posture.action)
                postures[index] = StoredPosture(names[index], values)
        return postures


def _name(goal: bpy.types.PropertyGroup) -> str:
    """Name of a goal's target in the file."""
    return f"{goal.target.name}/{goal.target_bone}" if goal.target_bone else goal.target.name
