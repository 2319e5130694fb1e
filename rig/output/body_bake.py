"""Baking a body that follows another armature, with the live chains on top of it: the same tick as live, to keys on a new action."""

from ..blender.errors import RigError
from ..properties.frame_range import bake_range
from ..reading.body.columns import Column, columns_of, values_of
from ..reading.body.pairing import is_streamed
from .chain_bake import Bake


class RetargetBake(Bake):
    """A bake of a rig's retarget and of its live chains over the retarget's range; otherwise as `Bake`.

    Raises:
        RigError: the range is empty, or something would play over the keys.
    """

    def __init__(self, scene, rig) -> None:
        retarget = rig.limber.retarget
        if is_streamed(retarget):
            raise RigError("What is sent live has no frames to bake: press Record Live and let the scene play while it comes")
        pairs = [(rig, retarget), *((rig, chain) for chain in rig.limber.chains if chain.live)]
        self.columns: list[Column] = []
        super().__init__(scene, pairs, *bake_range(retarget, scene))

    def _note(self, rig, chain, session) -> None:
        if chain != rig.limber.retarget:
            super()._note(rig, chain, session)
            return
        rows = self.angles[rig.session_uid, chain.uid]
        if not rows:
            self.columns = columns_of(rig, session.reader)
        found = values_of(rig, session, self.columns, dict(zip(self.columns, rows[-1], strict=True)) if rows else {})
        lost = next((column.bone for column in self.columns if column not in found), None)
        if lost is not None:
            raise RigError(f"Frame {self.frame}: bone '{lost}' does not follow any more: switch its pair on again, then bake again")
        rows.append(list(found.values()))

    def channels(self, rig) -> list[tuple[str, int, str, str, list[float]]]:
        """What is baked: chains' joints as they warp what the body does."""
        found = {}
        rows = self.angles[rig.session_uid, rig.limber.retarget.uid]
        for k, column in enumerate(self.columns):
            values = [float(row[k]) for row in rows]
            found[column.path, column.index] = (column.path, column.index, column.bone, column.part, values)
        found |= {(path, index): (path, index, *more) for path, index, *more in super().channels(rig)}
        return list(found.values())
