"""Bodies of a character file as a performance plays them."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..character.body.inputs import BodyInputs
from ..character.body.tick import BodyModel
from ..character.file.contents import Anchor, BodyEntry
from .scene import Moment, PlayedMover, PlayedView


@dataclass
class PlayedBody(PlayedMover[BodyEntry]):
    """A whole body of a character file; its model is made at the first tick."""

    model: BodyModel | None = None

    @property
    def anchors(self) -> list[Anchor]:
        """Empty: a body follows motion in its armature's space, which needs no anchor."""
        return []

    def followed(self, moment: Moment) -> Iterator[str]:
        """Empty: a body follows the clip's motion and no target."""
        return iter(())

    def read(self, view: PlayedView, targets: PlayedView) -> tuple[BodyModel, BodyInputs]:
        if self.model is None:
            self.model = self.entry.model()
        return self.model, self.entry.at(view.moment.frame)
