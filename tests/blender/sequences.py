"""Random sequences of users' actions as a state machine of hypothesis: any available operator, and Blender's
own actions.

After every step the following must hold: no handler and no operator has raised, a twin exists exactly if a
mover is live, each handler is registered once, and no robot may move whose armature was deleted or has just
ended live motion. At the end nothing is left.
"""

import sys
import tempfile
import traceback
from pathlib import Path

import bpy
import limber
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from limber import registration
from limber.character.fixed_steps import STEP
from limber.rig.events import handlers
from limber.rig.live import live
from limber.rig.live.movers import movers_of
from limber.rig.robot import links, sending

from tests.blender.conftest import handlers as registered
from tests.blender.enumerations import offered
from tests.blender.in_file import armatures, choose_bone, is_live, nth, reach, rigs, traces
from tests.blender.rigs import UPRIGHT, build, looking_chain, target
from tests.blender.robots import until

RIGS = 3  # largest number of armatures: more find no further faults, and cost time
LAST_FRAME = 8  # small, since bakes and comparisons evaluate all frames
CLOCK = 5  # number of ticks of the clock in a step
MODES = ("OBJECT", "POSE", "EDIT")
NAMES = ("upper", "middle", "Nose", "Ear")
# These operators wait for a file dialog, open other ports, or run the same code as others at many times the
# cost.
LEFT_OUT = {
    "import_robot",
    "scan",
    "cancel_scan",
    "change_servo",
    "choose_port",
    "choose_protocol_file",
    "read_protocol_file",
}
picks = st.integers(0, 11)
verb_picks = st.integers(0, 1000)  # index modulo the number of available operators


def verbs() -> list[str]:
    """Every operator of Limber, except `LEFT_OUT`."""
    names = {
        cls.bl_idname.removeprefix("limber.")
        for cls in registration.classes()
        if issubclass(cls, bpy.types.Operator)
    }
    return sorted(names - LEFT_OUT)


class Sequences(RuleBasedStateMachine):
    """One user's session, from an empty file."""

    def __init__(self) -> None:
        super().__init__()
        self.raised: list[str] = []
        self.hook, sys.excepthook = (
            sys.excepthook,
            lambda *error: self.raised.append("".join(traceback.format_exception(*error))),
        )
        self.folder = tempfile.TemporaryDirectory(prefix="limber-sequence-")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.before = registered()
        bpy.context.preferences.addons.new().module = limber.__package__
        limber.register()
        self.watched = registered()
        self.now = 1000.0
        self.is_deed = True  # whether the last step was neither undo nor redo
        self.links: list = []  # every link so far
        self.were_live: set[int] = set()

    @initialize()
    def begin(self) -> None:
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, LAST_FRAME
        self._new_rig()
        self._close_step("begin")

    # Actions of users with Limber.

    @rule(verb=verb_picks, pick=picks)
    def press(self, verb: int, pick: int) -> None:
        """Presses an available button of Limber, on some armature in Pose Mode or in the current context."""
        rig = nth(rigs(), pick)
        if reach(rig, "POSE" if pick % 2 else "OBJECT") and pick % 2:
            choose_bone(rig, pick)
        self._press(nth((name for name in verbs() if getattr(bpy.ops.limber, name).poll()), verb))

    @rule(verbs=st.lists(verb_picks, min_size=3, max_size=6), pick=picks)
    def press_some(self, verbs: list[int], pick: int) -> None:
        """Presses several buttons one after the other."""
        for verb in verbs:
            self.press(verb, pick)

    @rule(pick=picks)
    def switch_live(self, pick: int) -> None:
        """Presses Live or End Live, more often than other buttons."""
        rig = nth(rigs(), pick)
        chain = nth(rig.limber.chains, pick // 3) if rig else None
        if chain is None or not reach(rig, "POSE"):
            return
        rig.limber.active_chain = list(rig.limber.chains).index(chain)
        self._press("end_live" if chain.live else "live")

    @rule(pick=picks, with_live=st.booleans())
    def arm(self, pick: int, with_live: bool) -> None:
        """Connects the virtual robot and arms it, if desired during live motion."""
        rig = nth(rigs(), pick)
        if not reach(rig):
            return
        if with_live:
            self._press("live")
        self._press("connect")
        link = links.link(rig)
        if link is not None:
            until(
                lambda: links.status(rig) is None or links.status(rig).state.name != "CONNECTING",
                "the robot is connected",
            )
            self._press("arm")

    @rule(
        pick=picks,
        setting=st.sampled_from(("goal", "base", "solver", "filter", "roll", "forward_axis", "keep", "eye")),
    )
    def choose(self, pick: int, setting: str) -> None:
        """Sets another value of a chain's setting."""
        rig = nth(rigs(), pick)
        chain = nth(rig.limber.chains, pick) if rig else None
        if chain is not None:
            is_choice = chain.bl_rna.properties[setting].type == "ENUM"
            value = nth((key for key, *_ in offered(chain, setting)), pick) if is_choice else (pick % 5) / 4
            setattr(chain, setting, value)

    # Actions of users with Blender.

    @rule()
    def new_rig(self) -> None:
        if len(rigs()) < RIGS:
            self._new_rig()

    @rule(pick=picks)
    def delete_rig(self, pick: int) -> None:
        rig = nth(rigs(), pick)
        if rig:
            bpy.data.objects.remove(rig)

    @rule(pick=picks, linked=st.booleans())
    def duplicate(self, pick: int, linked: bool) -> None:
        rig = nth(rigs(), pick)
        if len(rigs()) < RIGS and reach(rig):
            bpy.ops.object.duplicate(linked=linked)

    @rule(pick=picks, x=st.floats(-1, 1), y=st.floats(-1, 1))
    def drag_target(self, pick: int, x: float, y: float) -> None:
        rig = nth(rigs(), pick)
        for chain in rig.limber.chains if rig else ():
            if chain.target:
                chain.target.location = (x, y, 0.4)

    @rule(pick=picks, to=st.sampled_from(("nothing", "new", "itself", "other")))
    def change_target(self, pick: int, to: str) -> None:
        rig = nth(rigs(), pick)
        for chain in rig.limber.chains if rig else ():
            chain.target = {
                "nothing": lambda: None,
                "new": target,
                "itself": lambda: rig,
                "other": lambda: nth(rigs(), pick + 1),
            }[to]()

    @rule(pick=picks)
    def delete_target(self, pick: int) -> None:
        thing = nth((thing for thing in bpy.data.objects if thing.type == "EMPTY"), pick)
        if thing:
            bpy.data.objects.remove(thing)

    @rule(pick=picks, name=st.sampled_from(NAMES))
    def rename_bone(self, pick: int, name: str) -> None:
        rig = nth(rigs(), pick)
        bone = nth(rig.data.bones, pick) if rig and rig.mode != "EDIT" else None
        if bone:
            bone.name = name

    @rule(pick=picks)
    def delete_bone(self, pick: int) -> None:
        rig = nth(rigs(), pick)
        if rig and len(rig.data.bones) > 1 and reach(rig, "EDIT"):
            rig.data.edit_bones.remove(nth(rig.data.edit_bones, pick))
            bpy.ops.object.mode_set(mode="POSE")

    @rule(pick=picks, mode=st.sampled_from(MODES))
    def enter_mode(self, pick: int, mode: str) -> None:
        reach(nth(rigs(), pick), mode)

    @rule(pick=picks, angle=st.floats(-1, 1))
    def pose(self, pick: int, angle: float) -> None:
        rig = nth(rigs(), pick)
        bone = nth(rig.pose.bones, pick) if rig else None
        if bone:
            bone.rotation_euler.x = angle
            if pick % 2:
                bone.keyframe_insert("rotation_euler")

    @rule(pick=picks)
    def hang(self, pick: int) -> None:
        rig, other = nth(rigs(), pick), nth(rigs(), pick + 1)
        if rig and other and rig != other:
            rig.parent = other

    @rule(pick=picks)
    def hide(self, pick: int) -> None:
        rig = nth(rigs(), pick)
        if rig:
            rig.hide_viewport = not rig.hide_viewport

    @rule(frame=st.integers(1, LAST_FRAME), fraction=st.sampled_from((0.0, 0.0, 0.5)))
    def frame(self, frame: int, fraction: float) -> None:
        bpy.context.scene.frame_set(frame, subframe=fraction)

    @rule()
    def wait(self) -> None:
        """Advances the clock, and calls the heartbeat of the robots, since timers never fire without a
        window.
        """
        for _ in range(CLOCK):
            self.now += STEP
            live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), self.now)
        sending.heartbeat()

    @rule()
    def scene(self) -> None:
        """Activates another scene with the same objects, or the first one; deletes a further scene."""
        if len(bpy.data.scenes) == 1:
            bpy.ops.scene.new(type="LINK_COPY")
        else:
            bpy.data.scenes.remove(bpy.data.scenes[-1])

    @precondition(lambda self: bpy.ops.ed.undo.poll())
    @rule(steps=st.integers(1, 3))
    def undo(self, steps: int) -> None:
        self.is_deed = False
        for _ in range(steps):
            if bpy.ops.ed.undo.poll():
                bpy.ops.ed.undo()

    @precondition(lambda self: bpy.ops.ed.redo.poll())
    @rule()
    def redo(self) -> None:
        self.is_deed = False
        bpy.ops.ed.redo()

    @rule()
    def save_and_reload(self) -> None:
        path = str(Path(self.folder.name) / "any.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        assert not links.is_any_connected(), "a robot is connected after a file was loaded"
        self.were_live = set()
        self._close_step("reload")

    @rule()
    def new_file(self) -> None:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        assert not links.is_any_connected(), "a robot is connected after a file was loaded"
        self.were_live = set()
        self.begin()

    @rule()
    def disable_and_enable(self) -> None:
        """Disables and enables the extension, as an update does."""
        limber.unregister()
        left = traces(())
        assert not left, f"left behind: {left}"
        assert registered() == self.before
        limber.register()
        handlers._after_enable()
        self._close_step("enable")

    @rule()
    def purge(self) -> None:
        bpy.data.orphans_purge()

    # Conditions that must always hold.

    @invariant()
    def all_is_well(self) -> None:
        bpy.context.view_layer.update()  # as a window does after every action
        if self.is_deed:  # data changed outside an undo step would crash Blender at the next undo
            bpy.ops.ed.undo_push(message="deed")
        self.is_deed = True
        assert not self.raised, "\n".join(self.raised)
        assert registered() == self.watched, "a handler is gone, or there twice"
        left = traces([rig for rig in armatures() if is_live(rig)])
        assert not left, f"left behind: {left}"
        self._robots_are_safe()

    def _robots_are_safe(self) -> None:
        """After a heartbeat, an armature that was deleted, or has ended live motion, has no robot that may
        move.
        """
        sending.heartbeat()
        there = {rig.session_uid: rig for rig in armatures()}
        connected = [links.link(rig) for rig in links.connected_rigs()]
        self.links += [link for link in connected if link not in self.links]
        for link in self.links:
            if link not in connected:
                assert link.status().state.name == "CLOSED", (
                    f"a robot without an armature is {link.status().state.name}"
                )
        live_now = {uid for uid, rig in there.items() if is_live(rig)}
        for uid in self.were_live - live_now:
            if uid in there and (link := links.link(there[uid])) is not None:
                until(
                    lambda link=link: link.status().state not in links.MOVING,
                    "a robot whose armature is live no more is disarmed",
                )
        self.were_live = live_now

    def teardown(self) -> None:
        try:
            for rig in armatures():
                for mover in movers_of(rig):
                    live.stop(*mover)
            left = traces(())
            assert not left, f"left behind: {left}"
            limber.unregister()
            assert registered() == self.before, "unregistering left handlers behind"
            assert not any(link.status().state.name != "CLOSED" for link in self.links), (
                "a robot's process was left behind"
            )
            bpy.ops.wm.read_factory_settings(use_empty=True)
            assert not self.raised, "\n".join(self.raised)
        finally:
            if hasattr(bpy.types.Object, "limber"):  # false after an error above
                limber.unregister()
            sys.excepthook = self.hook
            self.folder.cleanup()

    def _new_rig(self) -> None:
        for rig in rigs():
            rig.hide_viewport = False
        _, chain = looking_chain(build(UPRIGHT))
        chain.frame_start, chain.frame_end = 1, LAST_FRAME

    def _press(self, verb: str) -> None:
        """Presses a button if it is available; a reported error is permitted, an exception is a fault."""
        operator = getattr(bpy.ops.limber, verb)
        if not operator.poll():
            return
        try:
            operator("EXEC_DEFAULT")
        except RuntimeError as error:
            if "Traceback" in str(error):
                raise
        self._close_step(verb)

    def _close_step(self, name: str) -> None:
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message=name)
