"""Dynamixel's X series: registers and capabilities.

Addresses and numbers are those of ROBOTIS' control tables, which all servos of the X series share as far as
they are used here.
"""

from __future__ import annotations

from dataclasses import replace

from ..bus.codec import BusCodec
from ..bus.registers import Register
from ..bus.requirements import Bounds, Requirement, Requirements
from ..bus.table import RegisterTable
from ..interface import Capabilities, Check, Quantity, Silence, Units
from .packets import HIGHEST_ID, DynamixelPackets

STEPS = 4096  # number of steps per revolution
FARTHEST = 256 * STEPS - 1  # [steps] largest goal in either direction in extended mode: 256 revolutions
RPM = STEPS / 60.0  # steps/s of one revolution per minute
SPEED_UNIT = 0.229 * RPM  # [steps/s] speed for a raw value of 1
WATCHDOG_UNIT = 0.02  # [s] time for a raw value of 1
LONGEST_WATCHDOG = 127 * WATCHDOG_UNIT  # [s] longest timeout that can be set
POSITION_MODE = 3
MODES = {
    0: "current",
    1: "velocity",
    3: "position",
    4: "extended position",
    5: "current-based position",
    16: "PWM",
}
# operating modes in which goals are positions, and those of them in which goals may exceed a revolution
ONE_TURN, MORE_TURNS = ((3, 4, 5), (4, 5))
TIME_BASED, TORQUE_BY_GOAL = 0x04, 0x08  # bits of the drive mode

# baud rate [bit/s] -> number in the register; the factory setting first
BAUDRATES = {57_600: 1, 9_600: 0, 115_200: 2, 1_000_000: 3, 2_000_000: 4, 3_000_000: 5, 4_000_000: 6}

MODELS = {
    1000: "XH430-W350", 1001: "XD430-T350", 1010: "XH430-W210", 1011: "XD430-T210", 1020: "XM430-W350", 1030: "XM430-W210",
    1040: "XH430-V350", 1050: "XH430-V210", 1060: "XL430-W250", 1070: "XC430-W150", 1080: "XC430-W240", 1090: "2XL430-W250",
    1100: "XH540-W270", 1101: "XD540-T270", 1110: "XH540-W150", 1111: "XD540-T150", 1120: "XM540-W270", 1130: "XM540-W150",
    1140: "XH540-V270", 1150: "XH540-V150", 1160: "2XC430-W250", 1170: "XW540-T260", 1180: "XW540-T140", 1190: "XL330-M077",
    1200: "XL330-M288", 1210: "XC330-T181", 1220: "XC330-T288", 1230: "XC330-M181", 1240: "XC330-M288", 1270: "XW430-T333",
    1310: "XW540-H260",
}  # fmt: skip

# models whose register 126 contains the load in thousandths; for all others it is the current
TELLS_LOAD = frozenset((1060, 1070, 1080, 1090, 1160))

ALERT = {0x80: "its hardware reports an error"}
REFUSALS = {
    1: "it could not execute the command",
    2: "it does not know the instruction",
    3: "the instruction arrived damaged",
    4: "the value is out of its register's range, or its watchdog has tripped",
    5: "the value has the wrong length",
    6: "the value is beyond its limits",
    7: "the register may not be written while torque is on",
}
HARDWARE_ERRORS = {
    0x01: "its voltage is too low or too high",
    0x04: "it is too hot",
    0x08: "its motor's position sensor is faulty",
    0x10: "its electronics had a shock, or the motor gets too little power",
    0x20: "it is overloaded",
}

DRIVE_MODE = Register(10, 1)
MODE = Register(11, 1)
HOMING_OFFSET = Register(20, 4, signed=True)  # reported position = actual position + offset


def requirements(multi_turn: bool) -> Requirements:
    """Register values that a servo must have: a mode in which goals are positions (with `multi_turn` beyond
    one revolution), profiles given as velocity, and no torque switched on by a goal.

    Position limits apply in the mode "position" only.
    """
    modes = MORE_TURNS if multi_turn else ONE_TURN
    names = [f"{mode} ({MODES[mode]})" for mode in modes]
    drive_mode = Requirement(
        DRIVE_MODE,
        "drive mode (address 10)",
        (0,),
        f"without {TIME_BASED} (time-based profile) and {TORQUE_BY_GOAL} (torque on by goal update)",
        mask=TIME_BASED | TORQUE_BY_GOAL,
    )
    mode = Requirement(
        MODE, "operating mode (address 11)", modes, " or ".join((", ".join(names[:-1]), names[-1])), MODES
    )
    bounds = Bounds(Register(52, 4), Register(48, 4), (MODE, (POSITION_MODE,)))
    return Requirements((mode, drive_mode), bounds, HOMING_OFFSET)


TABLE = RegisterTable(
    torque=Register(64, 1),
    goal=Register(116, 4, signed=True),
    speed=Register(112, 4, signed=True),
    speed_unit=SPEED_UNIT,
    servo_id=Register(7, 1),
    baudrate=Register(8, 1),
    quantities={
        Quantity.LOAD: Register(126, 2, signed=True),
        Quantity.VELOCITY: Register(128, 4, signed=True),
        Quantity.POSITION: Register(132, 4, signed=True),
        Quantity.VOLTAGE: Register(144, 2),
        Quantity.TEMPERATURE: Register(146, 1),
    },
    requirements=requirements(multi_turn=False),
    models=MODELS,
    baudrates=BAUDRATES,
    model=Register(0, 2),
    firmware=Register(6, 1),
    flags=ALERT,
    codes=REFUSALS,
    hardware_flags=HARDWARE_ERRORS,
    hardware_errors=Register(70, 1),
    ping_tells=True,
    watchdog=Register(98, 1),
    watchdog_unit=WATCHDOG_UNIT,
)


def capabilities(multi_turn: bool = False) -> Capabilities:
    """Capabilities of the X series; `multi_turn`: whether goals may exceed one revolution."""
    return Capabilities(
        title="Dynamixel X servos",
        units=Units(
            "steps",
            -FARTHEST if multi_turn else 0,
            FARTHEST if multi_turn else STEPS - 1,
            per_revolution=STEPS,
        ),
        servos=range(HIGHEST_ID + 1),
        baudrates=tuple(BAUDRATES),
        reads=frozenset(TABLE.quantities),
        measures=True,
        unit_size={Quantity.VOLTAGE: 0.1, Quantity.TEMPERATURE: 1.0, Quantity.VELOCITY: SPEED_UNIT},
        commands_checked=Check.CRC16,
        watchdog=(WATCHDOG_UNIT, LONGEST_WATCHDOG),
        on_silence=Silence.WATCHDOG,
        limits_speed=True,
        changes_id=True,
        remark=(
            "A watchdog that has tripped stops the servo where it is, with torque, and must be cleared before"
            " it takes new goals"
        ),
    )


def dynamixel(multi_turn: bool = False) -> BusCodec:
    """The codec of the X series; `multi_turn`: whether goals may exceed one revolution (in extended or
    current-based position mode).
    """
    return BusCodec(
        capabilities(multi_turn), DynamixelPackets(), replace(TABLE, requirements=requirements(multi_turn))
    )


def load_unit(model: int) -> tuple[float, str]:
    """Size of one unit of LOAD on a servo model, and the quantity: "share" of the maximum load, or
    "ampere".
    """
    if model in TELLS_LOAD:
        return 0.001, "share"
    return (0.001 if 1190 <= model <= 1240 else 0.00269), "ampere"
