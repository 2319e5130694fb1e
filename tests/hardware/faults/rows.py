"""The fault table: possible faults, the robot's reaction, Blender's message, and the recovery.

The tests (test_line_faults.py and others) and docs/faults.md (`python -m tests.hardware.faults.table`) are
generated from these rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from limber.hardware.safety import Fault, State

from tests.hardware.faults import causes
from tests.hardware.faults.worlds import ANY_PORT, Pose, World
from tests.hardware.simulation import waving

UNO, STS, DYNAMIXEL = "Uno", "STS", "Dynamixel"
BUSES = (STS, DYNAMIXEL)
EVERYWHERE = (UNO, *BUSES)
BACK = ("Clear Fault", "Arm")


class Robot(Enum):
    """The robot's reaction, in the words of the table."""

    RESTS = "comes to rest: holds, or goes limp where its servo is set to"
    STANDS = "stands, with torque, also where it is set to go limp"
    DARK = "no pulses"
    FOLLOWS = "follows on"
    ASIDE = "slows down, stands, then goes on by a ramp"
    NEVER = "never moved"
    LEFT = "stays as it was left: nothing is written to it"
    LET_GO = "comes to rest; the servo that it is about is made limp, the others as set"


@dataclass(frozen=True)
class Row:
    """A fault during motion, or before it if `armed` is False.

    Attributes:
        key: Part of the test's name.
        what: Description of the fault in the table.
        cause: Causes the fault.
        robot: The robot's reaction.
        state: State that Blender shows at the end.
        fault: Fault that Blender shows.
        words: Words in the fault's sentence.
        worlds: Names of the worlds in which it is played.
        seconds: Time [s] until the end of the observation.
        mend: The user's action at the robot.
        back: The user's action in Blender.
        armed: Whether the robot is armed when it happens.
        pose: Pose that Blender shows during the fault; None: Blender sends nothing.
        within: Age [s] of the oldest command that the robot may still follow: larger if commands are lost.
        later: Further event, and its time [s] after the fault.
        astray: Joint whose servo moves by itself; None: all joints must follow commands.
        promise: Time [s] within which the robot is at rest and Blender shows it; None: it continues.
    """

    key: str
    what: str
    cause: Callable[[World], None]
    robot: Robot
    state: State = State.FAULT
    fault: Fault = Fault.NONE
    words: tuple[str, ...] = ()
    worlds: tuple[str, ...] = EVERYWHERE
    seconds: float = 1.2
    mend: Callable[[World], None] = lambda world: world.line.mend()
    back: tuple[str, ...] = BACK
    armed: bool = True
    pose: Pose | None = waving
    within: float = 0.15
    later: tuple[float, Callable[[World], None]] | None = None
    astray: int | None = None
    promise: float | None = None


# fmt: off
LINE = (
    Row("unplugged", "The cable is pulled; it was also the servos' supply", causes.unplug, Robot.DARK,
        fault=Fault.UNPLUGGED, words=("unplugged", "plug it in"), worlds=(UNO,), mend=causes.plug, promise=0.1),
    Row("unplugged", "The cable is pulled; the servos have another supply", causes.unplug, Robot.STANDS,
        fault=Fault.UNPLUGGED, words=("unplugged", "plug it in"), worlds=BUSES, mend=causes.plug, promise=0.4),
    Row("replugged", "The cable is pulled and plugged in again at once", causes.unplug, Robot.DARK,
        fault=Fault.UNPLUGGED, words=("unplugged",), worlds=(UNO,), later=(0.3, causes.plug), promise=0.1),
    Row("replugged", "The cable is pulled and plugged in again at once", causes.unplug, Robot.STANDS,
        fault=Fault.UNPLUGGED, words=("unplugged",), worlds=BUSES, later=(0.3, causes.plug), promise=0.4),
    Row("cut_line", "Nothing arrives any more, either way", causes.cut_line, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), worlds=(UNO,), promise=0.7),
    Row("cut_line", "Nothing arrives any more, either way", causes.cut_line, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, promise=0.7),
    Row("deaf", "The robot hears nothing, and still speaks", causes.deafen, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), promise=0.4),
    Row("deaf", "The robot hears nothing", causes.deafen, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, promise=0.7),
    Row("mute", "The robot's answers are lost", causes.mute, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), promise=0.7),
    Row("full_buffer", "The port takes no more bytes (full output buffer)", causes.full, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), within=1.0, promise=0.4),
    Row("full_buffer", "The port takes no more bytes (full output buffer)", causes.full, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, within=1.0, promise=0.7),
    Row("burst", "The port takes nothing for a second, then lets go of all it kept", causes.full, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), later=(1.0, causes.free), within=1.0, seconds=2.0),
    Row("burst", "The port takes nothing for a second, then lets go of all it kept", causes.full, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, later=(1.0, causes.free), within=1.0, seconds=2.0),
)
NOISE = (
    Row("garbage_out", "Garbage between the bytes to the robot", causes.garbage_out, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("garbage_in", "Garbage between the robot's answers", causes.garbage_in, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("truncated", "Every tenth message to the robot loses its end", causes.truncated, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("flipped", "A bit of every twentieth message is flipped, either way", causes.flipped, Robot.FOLLOWS, State.ARMED,
        back=(), within=0.6),
    Row("late_little", "Answers come 40 ms too late", causes.late(0.04), Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("late", "Answers come a second too late", causes.late(1.0), Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), promise=0.8),
    Row("baud", "The baud rate is wrong", causes.wrong_baud, Robot.NEVER,
        fault=Fault.OTHER_PROTOCOL, words=("does not speak",), worlds=(UNO,), armed=False, seconds=7.0),
    Row("baud", "The baud rate is wrong", causes.wrong_baud, Robot.NEVER,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, armed=False, seconds=7.0),
)
DEVICE = (
    Row("freeze", "The device freezes", causes.freeze, Robot.DARK,
        fault=Fault.SILENT, words=("does not answer",), worlds=(UNO,), mend=causes.thaw, promise=0.7),
    Row("reset", "The device restarts in motion", causes.reset, Robot.DARK,
        fault=Fault.DEVICE_RESET, words=("restarted",), worlds=(UNO,), promise=0.3),
    Row("newer", "The device speaks a newer version", causes.newer, Robot.NEVER,
        fault=Fault.OTHER_VERSION, words=("version 2",), worlds=(UNO,), armed=False),
    Row("silent_servo", "One servo of the bus falls silent: hears nothing, says nothing", causes.silent_servo, Robot.STANDS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1", "does not answer"), worlds=BUSES, mend=causes.heard_servo, within=1.0, promise=0.8),
    Row("impostor", "Another id answers than was asked", causes.impostor, Robot.RESTS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1",), worlds=BUSES, mend=causes.no_impostor, promise=0.8),
    Row("dip", "A servo restarts without torque in motion (its supply dips)", causes.dip, Robot.RESTS,
        fault=Fault.SERVO_FORGOT, words=("joint 1", "its torque is 0", "check its supply"), worlds=BUSES, within=5.0, promise=0.5),
    Row("dip_at_rest", "The servos' supply dips while the robot is disarmed; it is armed, and loses moves for 0.1 s", causes.dip_at_rest,
        Robot.FOLLOWS, State.ARMED, worlds=BUSES, back=(), within=0.6, later=(0.1, lambda world: world.line.mend())),
    Row("mode", "A servo is left in wheel or velocity mode", causes.wheel_mode, Robot.LEFT,
        fault=Fault.WRONG_MODE, words=("joint 0", "operating mode", "must be"), worlds=BUSES, armed=False, mend=causes.position_mode),
    Row("step_mode", "A servo is left in step mode, with steps to go", causes.step_mode, Robot.LEFT,
        fault=Fault.WRONG_MODE, words=("joint 0", "3 (step)", "must be 0"), worlds=(STS,), armed=False, mend=causes.position_mode),
    Row("turns_on", "A servo that is to hold is set to wheel or velocity mode; Stop is pressed", causes.turns_on, Robot.LET_GO,
        fault=Fault.STOPPED, words=("Stopped",), worlds=BUSES, mend=causes.position_mode, astray=0, within=5.0,
        promise=0.6),
    Row("another_mode", "Another program sets a servo to wheel or velocity mode in motion", causes.another_mode, Robot.LET_GO,
        fault=Fault.WRONG_MODE, words=("joint 0", "operating mode", "must be"), worlds=BUSES, mend=causes.position_mode, astray=0,
        within=5.0, promise=0.5),
    Row("another_turn", "A servo reports a position beyond its revolution when Arm is pressed", causes.another_turn, Robot.NEVER,
        fault=Fault.POSE_UNFIT, words=("joint 0", "so it was not armed"), worlds=BUSES, armed=False, mend=causes.as_before),
    Row("own_limits", "A servo stands beyond the limits that it keeps when Arm is pressed", causes.own_limits, Robot.NEVER,
        fault=Fault.POSITION_DOUBTFUL, words=("joint 0", "its own limits are 2000"), worlds=BUSES, armed=False, mend=causes.as_before),
    Row("recounts", "A servo's reading changes by a turn when it gets torque", causes.recounts, Robot.LET_GO,
        fault=Fault.POSITION_DOUBTFUL, words=("joint 0", "3100 without torque"), worlds=(DYNAMIXEL,), armed=False, mend=causes.as_before,
        astray=0),
    Row("blocked", "Something holds a joint", causes.block, Robot.RESTS,
        fault=Fault.BLOCKED, words=("joint 1", "degrees"), worlds=BUSES, seconds=5.0, within=5.0, mend=causes.unblock),
    Row("hot_servo", "A servo reports that it is too hot", causes.hot_servo, Robot.RESTS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1",), worlds=BUSES, mend=causes.cool_servo, promise=0.5),
)
PORT = (
    Row("missing", "The port is not there yet, and appears later", causes.missing, Robot.NEVER,
        fault=Fault.PORT_MISSING, words=(ANY_PORT, "does not exist"), armed=False, mend=causes.appears),
    Row("busy", "Another program has the port", causes.busy, Robot.NEVER,
        fault=Fault.PORT_BUSY, words=(ANY_PORT, "busy"), armed=False, mend=causes.appears),
)
BLENDER = (
    Row("silence", "Blender hands over no angles (a dialog, a save)", causes.nothing, Robot.STANDS, State.HOLDING,
        words=("Holding still",), back=(), pose=None, promise=0.6),
    Row("long_silence", "Blender is silent for more than 5 s", causes.nothing, Robot.RESTS,
        fault=Fault.BLENDER_SILENT, words=("silent",), seconds=5.5, pose=None),
    Row("nan", "An angle is not a number", causes.nothing, Robot.STANDS, State.HOLDING,
        words=("joint 1", "not a number"), back=(), pose=causes.not_a_number, promise=0.6),
    Row("infinite", "An angle is infinite", causes.nothing, Robot.STANDS, State.HOLDING,
        words=("joint 1", "not a number"), back=(), pose=causes.infinite, promise=0.6),
    Row("out_of_range", "Angles are far out of range", causes.nothing, Robot.ASIDE, State.ARMED,
        back=(), pose=causes.out_of_range, seconds=6.5),
    Row("leap", "The pose jumps (undo, a scrub)", causes.nothing, Robot.ASIDE, State.ARMED,
        back=(), pose=causes.leaping, seconds=5.5),
    Row("stop", "Stop is pressed", causes.stop, Robot.RESTS, fault=Fault.STOPPED, words=("Stopped",), promise=0.1),
    Row("stop_full", "Stop is pressed while the port takes no bytes", causes.stop_while_full, Robot.RESTS,
        fault=Fault.STOPPED, words=("Stopped",), worlds=(UNO,), promise=0.4),
    Row("stop_full", "Stop is pressed while the port takes no bytes", causes.stop_while_full, Robot.STANDS,
        fault=Fault.STOPPED, words=("Stopped",), worlds=BUSES, promise=0.4),
    Row("stop_noise", "Stop is pressed behind noise that looks like the head of a long message", causes.stop_behind_noise, Robot.RESTS,
        fault=Fault.STOPPED, words=("Stopped",), worlds=(UNO,), promise=0.1),
    Row("hang", "The worker is stopped for a second", causes.hang, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO, DYNAMIXEL), seconds=2.0),
    Row("hang", "The worker is stopped for a second; the servos have no watchdog", causes.hang, Robot.ASIDE, State.ARMED,
        back=(), worlds=(STS,), seconds=8.0),
    Row("held_up", "The worker is held up for 3 s", causes.held_up, Robot.RESTS,
        fault=Fault.HELD_UP, words=("was held up", "3 s", "so the robot is disarmed"), seconds=4.0, within=5.0),
    Row("sleep", "The computer sleeps for a minute", causes.sleep, Robot.RESTS,
        fault=Fault.HELD_UP, words=("The computer slept", "60 s", "so the robot is disarmed"), worlds=BUSES, seconds=61.0, within=100.0),
    Row("two_orders", "A script disarms the robot and arms it in the same turn", causes.disarm_and_arm, Robot.RESTS, State.DISARMED,
        words=("Disarmed",), back=("Arm",), promise=0.5),
)
# fmt: on

TABLE = {"line": LINE, "noise": NOISE, "robot": DEVICE, "port": PORT, "user": BLENDER}
