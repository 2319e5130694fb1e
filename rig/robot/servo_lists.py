"""Lists of what has a servo of its own: the joints of the active chain, and the motors of the mechanism."""

from dataclasses import dataclass

from ..authoring import chains
from ..blender.selection import selected, selected_index


@dataclass(frozen=True)
class ServoList:
    """A list, and what is selected in it.

    Attributes:
        owner: The chain, or the mechanism.
        items, active: The owner's names of the list and of its index.
    """

    owner: object
    items: str
    active: str

    @property
    def is_motors(self) -> bool:
        return self.items == "motors"

    @property
    def all(self):
        return getattr(self.owner, self.items)

    @property
    def selected(self):
        """The joint or motor that is selected; None where the list is empty."""
        return selected(self.all, getattr(self.owner, self.active))

    @property
    def selected_index(self) -> int:
        return selected_index(self.all, getattr(self.owner, self.active))


def lists(rig) -> list[ServoList]:
    """The active chain's joints, though it may have none, and the mechanism's motors where it has some; empty where there is neither."""
    chain, mechanism = chains.active(rig), rig.limber.mechanism
    found = [ServoList(chain, "joints", "active_joint")] if chain is not None else []
    return [*found, ServoList(mechanism, "motors", "active_motor")] if mechanism.motors else found


def chosen(rig, motors: bool) -> ServoList | None:
    """The list that is meant: of `motors`, or of joints; where there is but one, that one. None where there is none."""
    found = lists(rig)
    return next((one for one in found if one.is_motors == motors), found[0] if found else None)
