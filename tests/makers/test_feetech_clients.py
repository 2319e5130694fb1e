"""Tests makers' own drivers of Feetech servos on the simulated bus: it understands their commands, and they
read correct values.

They are LeRobot's SO-101, LeLamp's AnimationService, and the Open Duck's rustypot, its first version and
newer ones; each in the makers' Python.
"""

import json
import math
import subprocess

import pytest
from limber.hardware.lerobot import calibration as lerobot
from limber.hardware.lerobot.calibration import LeRobotMotor

from tests.hardware.served_bus import ServedBus
from tests.makers.python import LELAMP, MAKERS, MISSING, NO_LELAMP, ROOT, has, run

FIRST_RUSTYPOT = MAKERS / "rustypot-0.1.0"
MODEM_LINES = ROOT.parent / "shared" / "robots" / "tools" / "pty_modem_lines.c"
STEP = math.tau / 4096  # [rad] angle of a step

ARM = {
    "shoulder_pan": LeRobotMotor(1, 0, -45, 720, 3400),
    "shoulder_lift": LeRobotMotor(2, 0, 100, 800, 3300),
    "elbow_flex": LeRobotMotor(3, 0, 0, 850, 3050),
    "wrist_flex": LeRobotMotor(4, 1, -300, 900, 3200),
    "wrist_roll": LeRobotMotor(5, 0, 1200, 0, 4095),
    "gripper": LeRobotMotor(6, 1, 12, 2030, 3460),
}
LAMP = {
    name: LeRobotMotor(number, 0, 0, 1000, 3000 + 10 * number)
    for number, name in enumerate(("base_yaw", "base_pitch", "elbow_pitch", "wrist_roll", "wrist_pitch"), 1)
}


def number(registers: bytes, at: int, size: int = 2) -> int:
    return int.from_bytes(registers[at : at + size], "little")


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """Values that LeRobot's client reads from an arm with servos in factory settings, and their registers
    afterwards.
    """
    if not has("lerobot"):
        pytest.skip(MISSING.format("LeRobot"))
    folder = tmp_path_factory.mktemp("arm")
    lerobot.save(folder / "arm.json", ARM)
    with ServedBus({motor.id: 2000.0 + 10 * motor.id for motor in ARM.values()}) as bus:
        told = json.loads(run("lerobot_arm", bus.port, folder).splitlines()[-1])
        return told | {"registers": {motor.id: bus.registers(motor.id) for motor in ARM.values()}}


def test_lerobot_loads_the_file_that_limber_writes(arm):
    assert {name: LeRobotMotor(**motor) for name, motor in arm["file"].items()} == ARM


def test_lerobot_finds_all_servos_and_writes_its_calibration_into_them(arm):
    assert arm["ping"] == {str(motor.id): 777 for motor in ARM.values()}
    assert (arm["calibrated at first"], arm["calibrated"]) == (False, True)
    for name, motor in ARM.items():
        stored, registers = arm["in the servos"][name], arm["registers"][motor.id]
        assert (stored["homing_offset"], stored["range_min"], stored["range_max"]) == (
            motor.homing_offset,
            motor.range_min,
            motor.range_max,
        )
        sign = 1 << 11 if motor.homing_offset < 0 else 0
        assert number(registers, 31) == sign | abs(motor.homing_offset)
        assert (number(registers, 9), number(registers, 11)) == (motor.range_min, motor.range_max)


def mode_of(name: str) -> str:
    """The mode in which LeRobot's arms use a motor."""
    return "range_0_100" if name == lerobot.GRIPPER else "degrees"


def test_lerobots_connect_gives_torque_without_a_goal_so_that_a_changed_offset_moves_the_arm(arm):
    """The goals date from power-up, and the offsets have shifted their meaning. Limber's own arming begins at
    the robot's actual pose.
    """
    for name, motor in ARM.items():
        at_power_up = 2000 + 10 * motor.id
        bounded = min(max(at_power_up, motor.range_min), motor.range_max)
        assert arm["at first"][name] == pytest.approx(motor.value(bounded, mode_of(name)), abs=0.1), name


def test_lerobots_servos_go_where_limber_says_that_its_values_are(arm):
    for name, motor in ARM.items():
        mode = mode_of(name)
        assert arm["at 10"][name] == pytest.approx(
            motor.value(int(motor.position(10.0, mode)), mode), abs=1e-9
        ), name


def test_goals_beyond_the_limits_end_there(arm):
    assert arm["at the limit"] == {
        name: motor.range_min if name == "gripper" else motor.range_max for name, motor in ARM.items()
    }
    assert arm["goal beyond"]["shoulder_pan"] == 7747, (
        "LeRobot does not bound degrees: the servo's limits are the only stop"
    )


def test_settings_are_kept_as_lerobot_writes_them(arm):
    assert arm["power-up"] == {"P_Coefficient": 16, "Lock": 1, "Torque_Enable": 1}


def test_homing_puts_each_servo_to_the_middle(arm):
    assert set(arm["at half a turn"].values()) == {2047}


def test_every_conversion_is_lerobots_own(arm):
    for mode, name, position, value, again in arm["conversions"]:
        motor = ARM[name]
        assert motor.value(position, mode) == pytest.approx(value, abs=1e-9), (mode, name, position)
        assert -1e-9 < motor.position(value, mode) - again < 1.0 + 1e-9, "LeRobot cuts the fraction off"


@pytest.mark.skipif(not has("lerobot"), reason=MISSING.format("LeRobot"))
@pytest.mark.skipif(not LELAMP.is_dir(), reason=NO_LELAMP)
def test_lelamps_own_player_sends_what_limber_reads_in_its_recordings(tmp_path):
    lerobot.save(tmp_path / "lamp.json", LAMP)
    rest = (12.0, -20.0, 33.3, -41.7, 99.9)
    columns = ",".join(f"{name}.pos" for name in LAMP)
    (tmp_path / "idle.csv").write_text(f"timestamp,{columns}\n0,{','.join(map(str, rest))}\n")
    (tmp_path / "move.csv").write_text(f"timestamp,{columns}\n0,0,0,0,0,0\n5,10,20,30,40,50\n")
    with ServedBus({motor.id: 2000.0 for motor in LAMP.values()}) as bus:
        assert "Starting move" in run("lelamp_animation", bus.port, tmp_path, LELAMP)
        for motor, value in zip(LAMP.values(), rest, strict=True):
            registers = bus.registers(motor.id)
            assert number(registers, 42) == int(motor.position(value, "range_m100_100"))
            assert number(registers, 56) == pytest.approx(number(registers, 42), abs=1)
            assert (registers[21], registers[40]) == (16, 1)


@pytest.mark.parametrize("version", ["0.1.0", "newer"])
def test_the_ducks_driver_moves_its_head_and_reads_where_it_is(tmp_path, version):
    variables = {}
    if version == "newer" and not has("rustypot"):
        pytest.skip(MISSING.format("rustypot"))
    if version == "0.1.0":
        if not FIRST_RUSTYPOT.is_dir() or not MODEM_LINES.exists():
            pytest.skip(
                f"no {FIRST_RUSTYPOT.relative_to(ROOT)} or no {MODEM_LINES.name} here: rustypot 0.1.0 needs"
                " modem lines of a port"
            )
        shim = tmp_path / "pty_modem_lines.so"
        made = subprocess.run(
            ["gcc", "-shared", "-fPIC", "-o", shim, MODEM_LINES, "-ldl"], capture_output=True, check=False
        )
        if made.returncode:
            pytest.skip("no gcc here: it makes the modem lines that rustypot 0.1.0 needs of a port")
        variables = {"LD_PRELOAD": str(shim), "PYTHONPATH": str(FIRST_RUSTYPOT)}
    ids = (30, 31, 32, 33)
    with ServedBus({one: 2000.0 + 10 * (one - 30) for one in ids}) as bus:
        told = json.loads(run("duck_head", bus.port, *ids, **variables).splitlines()[-1])
        registers = bus.registers(31)
    assert told["version"] == version
    assert told["at first"] == pytest.approx([(2000 + 10 * k - 2048) * STEP for k in range(4)])
    assert told["at rest"] == pytest.approx([0.2, -0.3, 0.5, -0.1], abs=STEP)
    assert (registers[21], registers[40]) == (8, 0), "its gain, and no torque in the end"
    if version == "newer":
        assert told["pings"] == [True] * 4
        assert told["offset"] == [0.0] * 4
        assert told["highest"] == pytest.approx([2047 * STEP] * 4)
