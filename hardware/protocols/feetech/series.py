"""Feetech's STS and SCS servos: registers and capabilities.

Addresses, sign bits and numbers are those of Feetech's memory tables and of LeRobot's. STS servos put the low
byte first and have a sign bit (bit 15 of positions, bit 10 of the load), not two's complement. SCS servos put
the high byte first; they have 1024 steps.
"""

from __future__ import annotations

from typing import Literal

from ..bus.codec import BusCodec
from ..bus.registers import Order, Register
from ..bus.requirements import Bounds, Requirement, Requirements
from ..bus.table import RegisterTable
from ..interface import Capabilities, Check, ProtocolError, Quantity, Silence, Units
from .packets import HIGHEST_ID, FeetechPackets

Series = Literal["sts", "scs"]

# steps per revolution of an STS servo, and over the 300 degrees of an SCS servo
STEPS = {"sts": 4096, "scs": 1024}
SCS_RANGE = 300.0 / 360.0  # share of a revolution covered by an SCS servo's 1024 steps
FARTHEST = 30719  # [steps] largest goal in either direction with multi-turn: 7.5 revolutions

# baud rate [bit/s] -> number in the register; the factory setting first
BAUDRATES = {1_000_000: 0, 500_000: 1, 250_000: 2, 128_000: 3, 115_200: 4, 57_600: 5, 38_400: 6, 19_200: 7}
MODELS = {777: "STS3215", 2825: "STS3250", 11272: "SM8512BL", 1284: "SCS0009"}

HOMING_OFFSET = Register(31, 2, sign_bit=11)  # STS: reported position = actual position - offset

# meaning of the bits of a status' error byte
ERRORS = {
    0x01: "its voltage is too low or too high",
    0x02: "its position sensor is faulty",
    0x04: "it is too hot",
    0x08: "it draws too much current",
    0x20: "it is overloaded",
}

MODES = {0: "position", 1: "wheel", 2: "PWM", 3: "step"}

WORTH = {  # quantity -> size of one raw unit
    Quantity.LOAD: 0.001,  # share of the largest load
    Quantity.VOLTAGE: 0.1,  # V
    Quantity.TEMPERATURE: 1.0,  # degrees Celsius
    Quantity.VELOCITY: 1.0,  # steps/s
    Quantity.CURRENT: 0.0065,  # A
}


def table_of(series: Series) -> RegisterTable:
    """Register table of a series ("sts" or "scs")."""
    order: Order = "little" if series == "sts" else "big"
    sts = series == "sts"
    sign = 15 if sts else None
    quantities = {
        Quantity.POSITION: Register(56, 2, sign_bit=sign, order=order),
        Quantity.VELOCITY: Register(58, 2, sign_bit=15, order=order),
        Quantity.LOAD: Register(60, 2, sign_bit=10, order=order),
        Quantity.VOLTAGE: Register(62, 1),
        Quantity.TEMPERATURE: Register(63, 1),
    }
    if sts:
        quantities[Quantity.CURRENT] = Register(69, 2, sign_bit=15)
    return RegisterTable(
        torque=Register(40, 1),
        goal=Register(42, 2, sign_bit=sign, order=order),
        speed=Register(46, 2, sign_bit=15, order=order),
        speed_unit=1.0,
        servo_id=Register(5, 1),
        baudrate=Register(6, 1),
        quantities=quantities,
        requirements=_requirements(series, order),
        models=MODELS,
        baudrates=BAUDRATES,
        model=Register(3, 2, order=order),
        firmware=Register(0, 2),
        flags=ERRORS,
        eeprom_lock=Register(55 if sts else 48, 1),
        firmware_parts=2,
    )


def _requirements(series: Series, order: Order) -> Requirements:
    """Register values that a servo must have: for STS position mode, for SCS a maximum angle limit above 0 (0
    means motor mode).

    An STS servo without angle limits (both are 0) can rotate by more than one revolution.
    """
    lowest, highest = Register(9, 2, order=order), Register(11, 2, order=order)
    if series == "sts":
        mode = Requirement(Register(33, 1), "operating mode (register 33)", (0,), "0 (position)", MODES)
    else:
        mode = Requirement(
            highest,
            "highest angle limit (register 11)",
            range(1, STEPS[series]),
            "above 0",
            {0: "motor mode"},
        )
    return Requirements((mode,), Bounds(lowest, highest), HOMING_OFFSET if series == "sts" else None)


def capabilities_of(series: Series, multi_turn: bool = False) -> Capabilities:
    """Capabilities of the servos of a series ("sts" or "scs"); `multi_turn`: whether goals may exceed one
    revolution.
    """
    steps = STEPS[series]
    table = table_of(series)
    units = Units(
        "steps",
        lowest=-FARTHEST if multi_turn else 0,
        highest=FARTHEST if multi_turn else steps - 1,
        per_revolution=steps if series == "sts" else steps / SCS_RANGE,
    )
    return Capabilities(
        title=f"Feetech {series.upper()} servos",
        units=units,
        servos=range(HIGHEST_ID + 1),
        baudrates=tuple(BAUDRATES),
        reads=frozenset(table.quantities),
        measures=True,
        unit_size={quantity: WORTH[quantity] for quantity in table.quantities if quantity in WORTH},
        commands_checked=Check.SUM8,
        on_silence=Silence.HOLD,
        limits_speed=True,
        changes_id=True,
        remark="After a cable has broken, only a power switch makes servos limp",
    )


def feetech(series: Series, multi_turn: bool = False) -> BusCodec:
    """The codec of a series.

    Args:
        series: "sts" (also SMS) or "scs".
        multi_turn: Whether goals may exceed one revolution; STS only.

    Raises:
        ProtocolError: SCS servos with more than one revolution.
    """
    if multi_turn and series == "scs":
        raise ProtocolError("SCS servos rotate by 300 degrees at most; switch multi-turn off")
    return BusCodec(
        capabilities_of(series, multi_turn), FeetechPackets(), table_of(series), sync_reads=series == "sts"
    )
