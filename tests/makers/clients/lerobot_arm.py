"""Moves an SO-101 on a port with LeRobot's own client, and prints the values read as JSON: run in the makers'
Python with PORT FOLDER; FOLDER has arm.json.
"""

import builtins
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import patience  # noqa: F401  # isort: skip
from lerobot.motors import MotorCalibration, MotorNormMode
from lerobot.robots.so_follower.config_so_follower import SOFollowerRobotConfig
from lerobot.robots.so_follower.so_follower import SOFollower

REST = 60.0  # [s] longest time until the servos are at rest

port, folder = sys.argv[1], Path(sys.argv[2])
builtins.input = lambda *_: ""  # ENTER: use the calibration file


def observed(robot: SOFollower) -> dict[str, float]:
    """Values at which the arm is at rest."""
    before, until = None, time.monotonic() + REST
    while (now := robot.get_observation()) != before and time.monotonic() < until:
        before = now
        time.sleep(0.1)
    return {name.removesuffix(".pos"): value for name, value in now.items()}


def read(robot: SOFollower, register: str) -> dict[str, int]:
    return {name: robot.bus.read(register, name, normalize=False) for name in robot.bus.motors}


def action(robot: SOFollower, value: float) -> dict[str, float]:
    return {f"{name}.pos": value for name in robot.bus.motors}


def conversions(robot: SOFollower) -> list:
    """[mode, motor, position, value, position again], converted by LeRobot's own bus for whole positions."""
    rows = []
    for mode in MotorNormMode:
        for name, motor in robot.bus.motors.items():
            motor.norm_mode = mode
            for position in range(0, 4096, 273):
                value = robot.bus._normalize({motor.id: position})[motor.id]
                rows.append(
                    [mode.value, name, position, value, robot.bus._unnormalize({motor.id: value})[motor.id]]
                )
    return rows


robot = SOFollower(SOFollowerRobotConfig(port=port, id="arm", calibration_dir=folder, use_degrees=True))
told = {"file": {name: asdict(motor) for name, motor in robot.calibration.items()}}
robot.bus.connect()
told["ping"] = robot.bus.broadcast_ping()
told["calibrated at first"] = robot.is_calibrated
robot.bus.disconnect()
robot.connect()
told["calibrated"] = robot.is_calibrated
told["in the servos"] = {name: asdict(motor) for name, motor in robot.bus.read_calibration().items()}
told["at first"] = observed(robot)
robot.send_action(action(robot, 10.0))
told["at 10"] = observed(robot)
robot.send_action(action(robot, 500.0))
told["beyond"] = observed(robot)
told["goal beyond"] = read(robot, "Goal_Position")
told["limit"] = read(robot, "Max_Position_Limit")
told["at the limit"] = read(robot, "Present_Position")
told["power-up"] = {
    name: robot.bus.read(name, "elbow_flex", normalize=False)
    for name in ("P_Coefficient", "Lock", "Torque_Enable")
}
robot.bus.disable_torque()
robot.bus.reset_calibration()
told["homings"] = robot.bus.set_half_turn_homings()
told["at half a turn"] = read(robot, "Present_Position")
robot.bus.write_calibration({name: MotorCalibration(**motor) for name, motor in told["file"].items()})
told["conversions"] = conversions(robot)
robot.bus.disconnect()
print(json.dumps(told))
