"""Bodies of a character file as a performance plays them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..character.body.inputs import BodyInputs
from ..character.body.tick import BodyModel
from ..character.chain.hanging import ChainPose
from ..character.file.contents import Anchor, BodyEntry
from ..character.host import Frame, NoPose, Session
from .scene import Moment, PlayedMover, PlayedView


@dataclass
class PlayedBodySession(Session[PlayedView, ChainPose]):
    """Session of a body from a character file."""

    entry: BodyEntry = field(kw_only=True)
    model: BodyModel | None = None

    def read(self, frame: Frame[PlayedView, ChainPose], dt: float) -> tuple[BodyModel, BodyInputs]:
        if self.model is None:
            self.model = self.entry.model()
        return self.model, self.entry.at(frame.view.moment.frame)

    def show(self, frame: Frame[PlayedView, ChainPose]) -> tuple[NoPose, NoPose]:
        return {}, {}


class PlayedBody(PlayedMover[BodyEntry]):
    """A body of a character file."""

    @property
    def anchors(self) -> list[Anchor]:
        """Empty: the motion that it follows is in its armature's space."""
        return []

    def followed(self, moment: Moment) -> Iterator[str]:
        """Empty: it follows the clip's motion and no target."""
        return iter(())

    def new_session(self) -> PlayedBodySession:
        return PlayedBodySession(entry=self.entry)
