"""Live: which chains follow their targets now, what moves them and what they show.

Frame changes advance the motion by scene time, a clock by wall time while nothing plays; both through `Stage.advance`. What a chain shows
goes to its rig's twin and, where the rig has a connected robot, to the robot. All state of this module is runtime only: after undo, redo
and file load it is rebuilt from what the chains say of themselves.
"""

from dataclasses import dataclass
from time import perf_counter

import bpy

from . import robot, twin
from .goal import moved_by_chain
from .stage import Session, Stage

CLOCK_STEP = 1 / 60  # [s] a display's frame
CLOCK_BEHIND = 6  # steps made up for after a slow redraw; what is beyond is dropped, so that a stall cannot feed itself
JUMP = 0.5  # [s] of scene time between two frames of a playback that drops frames; more is a scrub


@dataclass
class _Runtime:
    stage: Stage
    rigs: list[str]  # names of armature objects with live chains
    last_frames: dict[str, float]  # scene name -> the frame of the last tick
    moving: bool = False  # something is not at rest: the clock has work
    clock: float | None = None  # [s] wall time up to which the motion has advanced
    busy: bool = False  # this module is writing: updates that it causes are its own
    rendering: bool = False
    suspended: bool = False  # a bake has the scene
    objects: int = 0  # how many there were at the last look: more or fewer means to look again


_now = _Runtime(Stage(), [], {})


def session(rig, chain) -> Session:
    """What is known of a chain: for panels and tests."""
    return _now.stage.session(rig, chain)


def live_chains(scene=None) -> list[tuple]:
    """(rig, chain) of every live chain, of one scene where it is given."""
    pairs = []
    for name in _now.rigs:
        rig = bpy.data.objects.get(name)
        if rig is None or rig.type != "ARMATURE":
            continue
        if scene is None or scene.objects.get(name) is not None:
            pairs += [(rig, chain) for chain in rig.limber.chains if chain.live]
    return pairs


def start(rig, chain) -> None:
    """The chain goes live. Call within an operator that has UNDO, so that an unrelated undo does not take it away."""
    chain.live = True
    refresh()
    _now.stage.session(rig, chain).restart()
    step(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 0.0)


def stop(rig, chain) -> None:
    """The chain shows what is authored again."""
    chain.live = False
    _now.stage.sessions.pop((rig.session_uid, chain.uid), None)
    refresh()


def stop_all() -> None:
    """Every rig shows what is authored and nothing is remembered; the chains stay marked as live."""
    for rig in twin.rigs():
        twin.remove(rig)
    forget()


def forget() -> None:
    """Drop all runtime state: the data it speaks of is gone."""
    global _now
    _now = _Runtime(Stage(), [], {})


def refresh() -> None:
    """Bring rigs and twins in line with the chains that say they are live: after undo, load, and any change of chains."""
    _now.objects = len(bpy.data.objects)
    _now.rigs = []
    for rig in twin.rigs():
        names = [joint.bone for chain in rig.limber.chains if chain.live for joint in chain.joints]
        if names:
            _now.rigs.append(rig.name)
            _ensure_twin(rig, list(dict.fromkeys(name for name in names if name in rig.pose.bones)))
        elif rig.is_editable and twin.find(rig) is not None:
            twin.remove(rig)
    # Two rigs that share a twin are a duplicate and its original: each gets its own.


def _ensure_twin(rig, names: list[str]) -> None:
    current = twin.find(rig)
    fits = current is not None and current.get(twin.MARK) == rig.name and {bone.name for bone in current.pose.bones} == set(names)
    if not fits:
        _heal_renamed(rig)
        names = list(
            dict.fromkeys(joint.bone for chain in rig.limber.chains if chain.live for joint in chain.joints if joint.bone in rig.pose.bones)
        )
        with _writing():
            twin.build(rig, names)
        _show(rig)
    elif not twin.is_last(rig, names):
        with _writing():
            twin.move_last(rig, names)


def _heal_renamed(rig) -> None:
    """A bone renamed while live still has the constraint with its old name: chains learn the new one."""
    for bone in rig.pose.bones:
        constraint = twin.own(bone)
        if constraint and constraint.subtarget and constraint.subtarget not in rig.pose.bones:
            for chain in rig.limber.chains:
                chain.root = bone.name if chain.root == constraint.subtarget else chain.root
                chain.end = bone.name if chain.end == constraint.subtarget else chain.end
                for joint in chain.joints:
                    joint.bone = bone.name if joint.bone == constraint.subtarget else joint.bone


def step(scene, depsgraph, dt: float) -> None:
    """One tick of all live chains of a scene: solve, filter, show, send."""
    pairs = [(rig, chain) for rig, chain in live_chains(scene) if rig.mode != "EDIT"]
    allowed = []
    for rig, chain in pairs:
        why = moved_by_chain(chain, rig, {joint.bone for joint in chain.joints}) if chain.target else ""
        if why:
            session(rig, chain).problem = f"Chain '{chain.name}' moves its own target '{chain.target.name}' ({why}): choose another target"
        else:
            allowed.append((rig, chain))
    _now.stage.advance(allowed, depsgraph, dt)
    _now.moving = any(not _at_rest(rig, chain) for rig, chain in allowed)
    for rig in {rig.name: rig for rig, _ in allowed}.values():
        _show(rig)
        robot.send(rig)


def _at_rest(rig, chain) -> bool:
    now = _now.stage.session(rig, chain)
    return bool(now.problem) or now.outputs is None or now.outputs.at_rest


def _show(rig) -> None:
    """Writes what the sessions say to the rig's twin."""
    own = twin.find(rig)
    if own is None:
        return
    channels = {}
    for chain in rig.limber.chains:
        if chain.live:
            channels.update(_now.stage.session(rig, chain).channels)
    rotations, locations, scales = [], [], []
    for bone in own.pose.bones:
        authored = rig.pose.bones.get(bone.name)
        if bone.name in channels:
            turn, place, size = channels[bone.name]
        elif authored:  # not solved yet: what is authored
            turn, place, size = authored.matrix_basis.to_quaternion(), authored.location, authored.scale
        else:
            turn, place, size = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
        rotations.extend(turn)
        locations.extend(place)
        scales.extend(size)
    with _writing():
        twin.write(own, rotations, locations, scales)


class _writing:
    """Marks the updates that our own writes cause, so that no handler answers them."""

    def __enter__(self) -> None:
        self.before = _now.busy
        _now.busy = True

    def __exit__(self, *_) -> None:
        _now.busy = self.before


def frame_changed(scene, depsgraph) -> None:
    """Playing, stepping, rendering advance by scene time; a scrub starts the motion anew."""
    if _now.busy or _now.suspended or not _now.rigs or scene.frame_subframe:  # motion blur's sub-frames are no new frames
        return
    frame = scene.frame_current
    last = _now.last_frames.get(scene.name)
    _now.last_frames[scene.name] = frame
    dt = (frame - last) * scene.render.fps_base / scene.render.fps if last is not None else -1.0
    one_after_other = last is not None and 0 <= frame - last <= scene.frame_step
    if not (one_after_other or (0 <= dt <= JUMP and (_now.rendering or is_playing()))):
        for rig, chain in live_chains(scene):
            session(rig, chain).restart()
        dt = 0.0
    _now.clock = None
    step(scene, depsgraph, dt)


def is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def scene_updated(scene, depsgraph) -> bool:
    """Something was evaluated anew. Returns whether the clock has work: a chain's goal is no longer the one it was solved for."""
    if _now.busy or _now.suspended:
        return False
    if len(bpy.data.objects) != _now.objects:
        refresh()
    if not _now.rigs:
        return False
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Armature):
            _now.stage.forget_armature(update.id)
    if not _now.moving:
        _now.moving = any(_goal_changed(rig, chain, depsgraph) for rig, chain in live_chains(scene))
    return _now.moving


def _goal_changed(rig, chain, depsgraph) -> bool:
    if rig.mode == "EDIT":
        return False
    return _now.stage.goal_changed(rig, chain, depsgraph)


def advance_clock(scene, depsgraph, now: float | None = None) -> bool:
    """Nothing plays: advance by the whole steps of wall time that have passed. Returns whether there is more to do."""
    now = perf_counter() if now is None else now
    if is_playing() or _now.suspended:
        _now.clock = None
        return _now.moving
    if _now.clock is None:
        _now.clock = now - CLOCK_STEP
    steps = int((now - _now.clock) / CLOCK_STEP + 1e-6)
    if steps > CLOCK_BEHIND:
        _now.clock = now - CLOCK_BEHIND * CLOCK_STEP
        steps = CLOCK_BEHIND
    for _ in range(steps):
        step(scene, depsgraph, CLOCK_STEP)
        _now.clock += CLOCK_STEP
    if not _now.moving:
        _now.clock = None
    return _now.moving


def suspend(suspended: bool) -> None:
    """While a bake steps through the scene, live holds still; afterwards it begins anew."""
    _now.suspended = suspended
    _now.last_frames.clear()


def set_rendering(rendering: bool) -> None:
    _now.rendering = rendering


def before_save() -> None:
    """The file must hold the authored pose alone, without a trace of the twin."""
    for name in _now.rigs:
        rig = bpy.data.objects.get(name)
        if rig is not None:
            with _writing():
                twin.remove(rig)


def after_save() -> None:
    refresh()
