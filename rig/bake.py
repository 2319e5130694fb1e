"""Baking: the same tick as live, frame by frame, to keys on a new action. The action that was there is kept."""

import bpy
from bpy.utils import escape_identifier

from . import actions, live
from .errors import RigError
from .stage import Stage


class Bake:
    """A bake of some chains over a range of frames, one frame a call, so that it can show progress and be cancelled.

    Nothing is written before `finish`.

    Raises:
        RigError: the range is empty, or the rig's NLA is being tweaked.
    """

    def __init__(self, scene, pairs: list[tuple], start: int, end: int) -> None:
        if end < start:
            raise RigError(f"The range to bake ends at frame {end}, before it starts at {start}: exchange the two")
        for rig, _ in pairs:
            if rig.animation_data and rig.animation_data.use_tweak_mode:
                raise RigError(f"An NLA strip of '{rig.name}' is being tweaked: leave tweak mode (Tab in the NLA editor), then bake")
        self.scene, self.pairs = scene, pairs
        self.start, self.end = start, end
        self.frame_before = scene.frame_current_final
        self.stage = Stage()
        self.frames: list[int] = []
        self.angles: dict[tuple[int, str], list] = {(rig.session_uid, chain.uid): [] for rig, chain in pairs}
        self.held: set[int] = set()  # frames in which a chain could not be solved and kept its angles
        live.suspend(True)

    @property
    def total(self) -> int:
        return self.end - self.start + 1

    def step(self) -> bool:
        """Bakes one frame; returns whether there are more.

        Raises:
            RigError: the set-up cannot be solved from the first frame on.
        """
        frame = self.start + len(self.frames)
        self.scene.frame_set(frame)
        dt = self.scene.render.fps_base / self.scene.render.fps if self.frames else 0.0
        self.stage.advance(self.pairs, bpy.context.evaluated_depsgraph_get(), dt)
        for rig, chain in self.pairs:
            session = self.stage.session(rig, chain)
            if session.outputs is None:
                raise RigError(f"Frame {frame}: {session.problem}")
            if session.problem:
                self.held.add(frame)
            self.angles[rig.session_uid, chain.uid].append(session.outputs.angles)
        self.frames.append(frame)
        return len(self.frames) < self.total

    def finish(self) -> list[bpy.types.Action]:
        """Writes the keys; live ends for the chains, which now play what was baked. Returns the new actions."""
        for rig, chain in self.pairs:
            if chain.live:
                live.stop(rig, chain)
        made = []
        for rig in {rig.name: rig for rig, _ in self.pairs}.values():
            action = self._new_action(rig)
            curves = actions.writable_fcurves(action, rig)
            for owner, chain in self.pairs:
                if owner != rig:
                    continue
                rows = self.angles[rig.session_uid, chain.uid]
                for k, (bone, axis) in enumerate(self.stage.session(rig, chain).reader.places):
                    path = f'pose.bones["{escape_identifier(bone)}"].rotation_euler'
                    actions.put_keys(curves, path, "XYZ".index(axis), bone, self.frames, [float(row[k]) for row in rows])
            actions.assign(rig, action)
            made.append(action)
        self._end()
        return made

    def cancel(self) -> None:
        """Leaves everything as it was."""
        self._end()

    def muted_drivers(self) -> list[str]:
        """Mutes the drivers of baked channels, which would win over the keys; returns their bones and axes."""
        muted = []
        for rig, chain in self.pairs:
            paths = {
                (f'pose.bones["{escape_identifier(joint.bone)}"].rotation_euler', "XYZ".index(joint.axis)): joint for joint in chain.joints
            }
            for driver in rig.animation_data.drivers if rig.animation_data else ():
                joint = paths.get((driver.data_path, driver.array_index))
                if joint and not driver.mute:
                    driver.mute = True
                    muted.append(f"{joint.bone} {joint.axis}")
        return muted

    def _new_action(self, rig) -> bpy.types.Action:
        old = rig.animation_data.action if rig.animation_data else None
        if old is None:
            return bpy.data.actions.new(f"{rig.name} Baked")
        old.use_fake_user = True  # kept, also when nothing uses it any more
        action = old.copy()
        action.name = f"{old.name} Baked"
        return action

    def _end(self) -> None:
        live.suspend(False)
        self.scene.frame_set(int(self.frame_before), subframe=self.frame_before % 1.0)
