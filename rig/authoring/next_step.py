"""The suggested next step for the rig or mechanism in use and its robot: a sentence, and its operator."""

from typing import NamedTuple

import bpy

from ...hardware.safety import FOLLOWING, State
from ...hardware.status import Status
from ..blender.errors import capitalised
from ..blender.overrides import why_not_editable
from ..blender.presence import is_deleted
from ..chains.kept_posture import why_posing_shows_nothing
from ..live.mover import Mover
from ..live.movers import BodyMover, ChainMover, MechanismMover, live_of, movers_of
from ..live.runtime import session
from ..live.uses import Use, why_not
from ..output import record, take_copies
from ..robot import links
from ..scene.goal import TURNED, followed
from . import chains
from .mechanism.handling import handling


class NextStep(NamedTuple):
    """A suggested next step: its sentence, the operator that performs it, and a menu of alternatives."""

    sentence: str
    operator: str  # identifier of the operator (its bl_idname)
    icon: str = "FORWARD"
    menu: str = ""  # name of a menu of alternative steps
    text: str | None = None  # label of the button; None: the operator's name


BUILD = NextStep(
    "New here? A click builds a lamp that looks at a ball. Or choose a robot that you own. Or click an"
    " armature of your own",
    "limber.add_demo_lamp",
    "LIGHT",
    menu="LIMBER_MT_add_robot",
)
CHAIN = NextStep(
    "In Pose Mode, select the bone that looks, or root and end, and press New Chain. With eyes: Eyes, Head"
    " and Torso",
    "limber.new_chain",
    "ADD",
)
RESTORE = NextStep(
    "A recording was interrupted: press Restore Takes to key its takes, or dismiss it in Bake and Export >"
    " Record",
    "limber.restore_takes",
    "RECOVER_LAST",
)
TARGET = NextStep(
    "Choose a Target under Gaze: any object for the end to look at. Or press Target: it makes one where the"
    " end looks now",
    "limber.make_target",
    "EMPTY_AXIS",
)
LIVE = NextStep(
    "Press Start Live: the chain follows its target, and your own pose is not changed", "limber.live", "PLAY"
)
LIVE_ALL = NextStep(
    "Press Start All Live: the chains follow their targets together, and your own pose is not changed",
    "limber.live_all",
    "PLAY",
)
PLAY = NextStep(
    "Play (Space): the target moves, and the chain follows", "screen.animation_play", "PLAY", text="Play"
)
DRAG = NextStep(
    "Move the target (Move with Mouse, or G in Object Mode): the chain follows. To move a robot too, press"
    " Connect",
    "limber.connect",
    "LINKED",
)
CONNECT = NextStep(
    "To move a robot, press Connect: 'virtual' needs nothing plugged in, and nothing moves yet",
    "limber.connect",
    "LINKED",
)
ARM = NextStep(
    "Press Arm: the robot moves slowly to the armature's pose, then follows it", "limber.arm", "ARMATURE_DATA"
)
LIVE_MECHANISM = NextStep(
    "Press Start Live in the Mechanism panel: its bodies follow targets or motors", "limber.live", "PLAY"
)
# step for an end whose goal is only a rotation
TURN = NextStep(
    "Rotate the target (R in Object Mode): the chain follows. To move a robot too, press Connect",
    "limber.connect",
    "LINKED",
)
LIVE_BODY = NextStep(
    "Press Start Live in the Retarget panel: the body follows its source", "limber.live", "PLAY"
)
CONNECT_BODY = NextStep(
    "The body follows its source. To move a robot too, press Connect", "limber.connect", "LINKED"
)
FOLLOWS = NextStep(
    "The robot follows. Stop (Shift Esc) stops it at once. Bake makes keyframes of the motion",
    "limber.disarm",
    "CANCEL",
)
CONNECTING = NextStep("The robot is being connected: wait until it answers", "limber.wait", "ARMATURE_DATA")


def _move_mechanism(settings: bpy.types.PropertyGroup) -> NextStep:
    sentence = (
        f"{handling(settings).capitalize()} a target, or change a motor's value. To move a robot too, press"
        " Connect"
    )
    return NextStep(sentence, "limber.connect", "LINKED")


# kind of mover -> (operator, icon) of the step for a live mover with a problem
PROBLEM = {
    ChainMover: ("limber.check_chain", "CHECKMARK"),
    BodyMover: ("limber.end_live", "PAUSE"),
    MechanismMover: ("limber.check_mechanism", "CHECKMARK"),
}
# kind of mover -> (step before the mover is live, function of its settings that returns the step while it is
# live)
WITHOUT_CHAIN = {
    BodyMover: (LIVE_BODY, lambda _: CONNECT_BODY),
    MechanismMover: (LIVE_MECHANISM, _move_mechanism),
}


def next_step(rig: bpy.types.Object, is_playing: bool) -> NextStep:
    """The suggested next step for a rig.

    Args:
        rig: The armature object or mechanism in use, or None.
        is_playing: Whether the animation plays.
    """
    if rig is None:
        return _of_other_scene() or BUILD
    if links.is_lost(rig):
        return _of_robot(rig)
    if why := why_not_editable(rig):
        first = "" if bpy.context.active_object == rig else f"Click '{rig.name}' first. "
        return NextStep(first + why, "object.make_override_library", "LIBRARY_DATA_OVERRIDE")
    if take_copies.left(rig) is not None and not record.is_going(rig):
        return RESTORE
    chain = chains.active(rig)
    if chain is None:
        mover = next(movers_of(rig), None)
        return CHAIN if mover is None else _without_chain(mover)
    return _of_chain(rig, chain, is_playing)


def _of_chain(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, is_playing: bool) -> NextStep:
    """The step of a rig's selected chain: to give it a target, start it, command its robot, solve its
    problem, or make posing visible, whichever is first to do; else to move the target, play the animation, or
    connect.
    """
    if (target := followed(chain)) is None or is_deleted(target):
        return TARGET
    if not chain.live:
        several = len(rig.limber.chains) > 1 and all(map(followed, rig.limber.chains))
        return LIVE_ALL if several or rig.limber.mechanism.goals else _start(LIVE, ChainMover(rig, chain))
    if links.link(rig) is not None:
        return _of_robot(rig)
    if step := _of_problem(ChainMover(rig, chain)):
        return step
    if step := _of_posing(chain):
        return step
    if not _is_animated(target):
        return TURN if chain.goal in TURNED else DRAG
    return CONNECT if is_playing else PLAY


def _of_other_scene() -> NextStep | None:
    """The step while the scene has no armature in use, but a robot is connected to an armature of another
    scene; else None.
    """
    rig = next(iter(links.connected_rigs()), None)
    status = links.status(rig) if rig is not None else None
    if status is None:
        return None
    return NextStep(
        f"The robot of '{rig.name}' is in scene '{rig.users_scene[0].name}'. {status.sentence}",
        "limber.go_to_robot",
        "SCENE_DATA",
    )


def _without_chain(mover: Mover) -> NextStep:
    """The step of a body or mechanism on an object that has no chain."""
    start, while_live = WITHOUT_CHAIN[type(mover)]
    if not mover.is_live:
        return _start(start, mover)
    if links.link(mover.owner) is not None:
        return _of_robot(mover.owner)
    if step := _of_problem(mover):
        return step
    return (None if mover.why_no_postures else _of_posing(mover.settings)) or while_live(mover.settings)


def _start(step: NextStep, mover: Mover) -> NextStep:
    """The step that starts a mover; if it cannot start, its sentence is the reason."""
    why = why_not(Use.LIVE, mover, bpy.context)
    return step._replace(sentence=why) if why else step


def _of_problem(mover: Mover) -> NextStep | None:
    """The step of a live mover that cannot follow its targets or its source, with the remedy; None if it
    follows them.
    """
    problem = session(*mover).problem
    return NextStep(capitalised(problem), *PROBLEM[type(mover)]) if problem else None


def _of_posing(settings: bpy.types.PropertyGroup) -> NextStep | None:
    """The step that makes posing by hand visible, if a live mover keeps a stored posture instead; None
    otherwise.
    """
    why = why_posing_shows_nothing(settings)
    return NextStep(why, "limber.use_pose", "POSE_HLT") if why else None


def _of_robot(rig: bpy.types.Object) -> NextStep:
    """The step of a connected robot, by its state; while it follows, its sentence is the first problem, if
    any.
    """
    step = _of_status(links.status(rig))
    if step is not FOLLOWS:
        return step
    problem = next((why for mover in live_of(rig) if (why := session(*mover).problem)), "")
    why = capitalised(problem) or links.beyond_servos(rig) or next(iter(links.off_axis(rig)), "")
    return step._replace(sentence=why) if why else step


def _of_status(status: Status | None) -> NextStep:
    if status is None or status.state is State.CONNECTING:
        return CONNECTING
    if status.state is State.DISARMED and not status.needs_confirmation:
        return ARM
    if status.state in FOLLOWING:
        return FOLLOWS
    return NextStep(status.sentence, *_operator_for(status.state))


def _operator_for(state: State) -> tuple[str, str]:
    """(operator, icon) of the action that the sentence for this state suggests."""
    if state in links.LOST:
        return "limber.clear_fault", "FILE_REFRESH"
    # this step is suggested only if the robot's servos cannot measure their positions
    if state is State.DISARMED:
        return "limber.arm_confirmed", "CHECKMARK"
    if state is State.CONFIRM_POSE:
        return "limber.confirm_pose", "CHECKMARK"
    return ("limber.connect", "LINKED") if state is State.CLOSED else ("limber.disarm", "CANCEL")


def _is_animated(target: bpy.types.Object) -> bool:
    """Whether the target has an action."""
    animation = target.animation_data
    return animation is not None and animation.action is not None
