"""Reads a body that follows a motion for a character file, frame by frame."""

import numpy as np

from ...character.body.inputs import BodyInputs
from ...character.file.bodies import INPUTS, BodyEntry, body_values
from ...character.file.tracks import track
from ...motion import NO_FILTER
from ..blender.errors import RigError
from ..live.body_session import BodySession
from ..live.mover import Mover
from ..properties.motion_style import motion_style
from ..scene.placement import Placement


class ExportedBody:
    """Reads one body over the frames of an export.

    Args:
        mover: The body.
        session: Its session, prepared.
    """

    targets: dict[str, tuple] = {}  # empty, since a body follows a motion and no target

    def __init__(self, mover: Mover, session: BodySession) -> None:
        self.mover, self.session = mover, session
        self._inputs: list[BodyInputs] = []
        self._model = None  # the body's model in the first frame
        self._has_changed = False  # whether the model was built differently in a later frame
        self.commanded: list[np.ndarray] = []
        self.desired: list[np.ndarray] = []

    @property
    def joint_names(self) -> dict[tuple[str, str], str]:
        """Names in the file of its joints, by (bone, axis)."""
        names = (f"{self.mover.owner.name}/{name}" for name in self._model.body.names)
        return dict(zip(self.session.reader.joint_keys, names, strict=True))

    def read(self, frame: int, placement: Placement) -> None:
        """Reads the body in a frame, after its tick.

        Raises:
            RigError: the body cannot be solved in the first frame.
        """
        session = self.session
        if session.outputs is None or session.record.ticked is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        model, inputs = session.record.ticked
        self._model = self._model or model
        self._has_changed |= model is not self._model
        self._inputs.append(inputs)
        outputs = session.outputs
        self.commanded.append(body_values(outputs.state))
        self.desired.append(body_values(outputs.desired))

    def entry(self) -> BodyEntry:
        """The body as an entry of the character file."""
        settings, session, model = self.mover.settings, self.session, self._model
        return BodyEntry(
            name=self.mover.owner.name,
            body=model.body,
            targets=model.links,
            base=model.base,
            velocities=np.array(session.velocities),
            acceleration=session.acceleration,
            gain=settings.gain,
            posture_gain=settings.posture_gain,
            feet=model.feet,
            filter_name=settings.filter if model.filters else NO_FILTER,
            limits=tuple(joint.limits for joint in model.filters),
            style=motion_style(settings),
            inputs={
                name: track(np.array([np.asarray(getattr(inputs, name), float) for inputs in self._inputs]))
                for name in INPUTS
            },
        )

    def remarks(self, first_frame: int) -> list[str]:
        """Sentences on parts of the body that cannot be exported, and on their replacement."""
        if not self._has_changed:
            return []
        return [
            f"{self.mover.label} has bones whose locked axes or settings are animated: in the file they stay"
            f" as in frame {first_frame}"
        ]
