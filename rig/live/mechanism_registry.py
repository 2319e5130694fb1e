"""Which mechanisms are live now, each with its proxy, kept in line with what the mechanisms say of themselves.

Owners are known by name and identity, so that undo, redo and loading cannot make them invalid.
"""

from dataclasses import dataclass, field

import bpy

from ..blender.errors import RigError
from ..blender.identity import find
from ..reading.mechanism import assembled
from ..reading.mechanism.owners import TYPES
from ..showing import mechanism_proxy
from .mechanism_session import MechanismSession
from .mover import Mover
from .movers import MechanismMover
from .registry import exists


@dataclass
class MechanismRegistry:
    """The live mechanisms, as of the last `sync`."""

    owners: dict[int, str] = field(default_factory=dict)  # session_uid -> name
    unread: dict[int, str] = field(default_factory=dict)  # session_uid -> why it could not be read
    counted: int = -1  # objects in the file after the last `sync`

    def movers(self, scene=None) -> list[Mover]:
        """Every live mechanism, of one scene where it is given."""
        found = [thing for uid, name in self.owners.items() if (thing := find(name, uid)) is not None]
        return [MechanismMover(thing, thing.limber.mechanism) for thing in found if scene is None or thing.name in scene.objects]

    def sync(self) -> None:
        """Finds the live mechanisms of the file."""
        self.owners = {
            thing.session_uid: thing.name
            for thing in bpy.data.objects
            if thing.type in TYPES and thing.limber.mechanism.live and thing.library is None and thing.users_scene
        }
        assembled.drop_others(self.owners)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was live at the last `sync`, and no object came since: then there is nothing to look for."""
        return not self.owners and len(bpy.data.objects) == self.counted

    @property
    def has_news(self) -> bool:
        """Whether a mechanism is to be read, as one that was live when its file was opened."""
        return any(assembled.stored(owner) is None for owner, _ in self.movers())

    def read(self) -> None:
        """Reads what is not known yet. All must show what is authored meanwhile."""
        self.unread = {}
        for owner, _ in self.movers():
            if assembled.stored(owner) is None:
                try:
                    assembled.store(owner, assembled.prepare(owner, bpy.context.evaluated_depsgraph_get()))
                except RigError as error:
                    self.unread[owner.session_uid] = str(error)

    def attach(self) -> None:
        """Gives each its proxy, and takes away others'."""
        mechanism_proxy.discard_others(list(self.owners))
        for owner, _ in self.movers():
            if (made := assembled.stored(owner)) is not None:
                mechanism_proxy.attach(owner, made.reading)

    def is_in_line(self) -> bool:
        """Whether owners and constraints are as they were at the last `sync`."""
        for uid, name in self.owners.items():
            owner = find(name, uid)
            if owner is None:
                return False
            made = assembled.stored(owner)
            if made is not None and not mechanism_proxy.is_attached(owner, made.reading):
                return False
        return True

    def clear(self) -> None:
        """Everything is where it is authored, and no proxy is left."""
        mechanism_proxy.discard_others([])


def show(owner, session: MechanismSession) -> None:
    """Writes where bodies are to the mechanism's proxy: where they are authored, until it was solved."""
    made, shown = assembled.stored(owner), mechanism_proxy.find(owner)
    if made is None or shown is None or not exists(shown):
        return
    if session.outputs is not None and session.made is made:
        mechanism_proxy.write(shown, made.reading, session.base, session.outputs.poses)
    else:
        mechanism_proxy.write(shown, made.reading, made.base, made.model.solver.poses(made.model.rest))
