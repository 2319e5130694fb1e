"""Simulated servos that move a body: a MuJoCo model instead of horns without mass.

A servo's own controller is the model's position actuator: its gain follows the servo's P register, its force
the servo's torque limit, and commands arrive with a delay. So the robot has mass, sags, lags, can be stopped
by an obstacle, and reports its load.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from .bus import TOP_SPEED, TURN, Bus, Servo
from .dynamixel import GAIN as DYNAMIXEL_GAIN
from .dynamixel import USUAL_GAIN, DynamixelBus
from .feetech import GAIN, OVERLOAD, OVERLOAD_TIME, TORQUE_LIMIT, WEAKENED, StsBus

STEPS = TURN / math.tau  # steps per radian
MIDDLE = 2048  # position [steps] at which a joint is usually at 0
DELAY = 0.002  # [s] delay from a command to the motor
SETTLES = 1.5  # [s] time with torque before the power is switched off
OVERLOADED = 0x20  # bit in a Feetech servo's error
HEATS = (
    # [s] interval over which the load is averaged for the protection, so that a motor with alternating load
    # does not count as overloaded
    0.2
)


@dataclass
class Horn:
    """A servo's horn in the model.

    Attributes:
        actuator: Name of the position actuator.
        sense: -1 if the joint's value decreases while the servo's position increases.
        zero: The servo's position [steps] at which the joint is at 0.
    """

    actuator: str
    sense: int = 1
    zero: int = MIDDLE


@dataclass
class _Motor:
    """A servo with its joint in the model: indices, the model's gains and forces, and the horn's current
    goal.
    """

    servo: Servo
    horn: Horn
    actuator: int
    place: int  # index in qpos
    speed: int  # index in qvel
    gain: float
    bias: np.ndarray
    force: np.ndarray
    setpoint: float  # [steps] current goal of the motor
    shown: float  # [steps] last position set by this class: if it has changed, a hand has moved the servo
    coming: deque = field(default_factory=deque)  # delayed setpoints [rad]
    mean_load: float = 0.0  # [thousandths] load, averaged over some tenths of a second
    overloaded_for: float = 0.0  # [s] time since the overload began


def model_of(source: str | Path, weld: str = "") -> mujoco.MjModel:
    """A model from a file, or from a text; `weld`: body that is held in its pose, for a robot that cannot
    stand by itself.
    """
    spec = (
        mujoco.MjSpec.from_string(source) if isinstance(source, str) else mujoco.MjSpec.from_file(str(source))
    )
    if weld:
        held = spec.add_equality()
        held.type, held.objtype, held.name1, held.solref = (
            mujoco.mjtEq.mjEQ_WELD,
            mujoco.mjtObj.mjOBJ_BODY,
            weld,
            [0.002, 1],
        )
        held.data[10] = 1.0
    return spec.compile()


class OnBody(Bus):
    """Servos that move a MuJoCo model.

    Args:
        model: The model.
        horns: Each servo's horn in the model, by id.
        start: Initial positions of joints [rad], by id; by default 0, or those of the model's first keyframe.
    """

    GAIN: tuple[int, int]  # address and size of the P register
    USUAL_GAIN: int  # value of the P register for which the model's own gains hold

    def __init__(
        self, model: mujoco.MjModel, horns: Mapping[int, Horn], start: Mapping[int, float] | None = None
    ) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self._late, self._motors = 0.0, []
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, self.data, 0)
        indices = {number: model.actuator(horn.actuator).id for number, horn in horns.items()}
        joints = {number: model.actuator_trnid[k, 0] for number, k in indices.items()}
        for number, joint in joints.items():
            place = model.jnt_qposadr[joint]
            self.data.ctrl[indices[number]] = value = (start or {}).get(number, self.data.qpos[place])
            if not model.neq:  # with closed loops, the actuators move the joints to the start
                self.data.qpos[place] = value
        mujoco.mj_step(model, self.data, round(SETTLES / model.opt.timestep))
        super().__init__(
            {number: self._steps(model.jnt_qposadr[joint], horns[number]) for number, joint in joints.items()}
        )
        for number, joint in joints.items():
            k, servo = indices[number], self.servos[number]
            gain, bias, force = (
                model.actuator_gainprm[k, 0],
                model.actuator_biasprm[k].copy(),
                model.actuator_forcerange[k].copy(),
            )
            places = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            motor = _Motor(
                servo, horns[number], k, *places, gain, bias, force, servo.position, servo.position
            )
            motor.coming.extend([self.data.ctrl[k]] * max(1, round(DELAY / model.opt.timestep)))
            self._motors.append(motor)

    def advance(self, dt: float) -> None:
        for motor in self._motors:
            self._lead(motor, dt)
        self._late += dt
        while self._late > 0.5 * self.model.opt.timestep:
            self._late -= self.model.opt.timestep
            self._step()
        for motor in self._motors:
            servo = motor.servo
            servo.position = motor.shown = self._steps(motor.place, motor.horn)
            servo.velocity = motor.horn.sense * STEPS * float(self.data.qvel[motor.speed])
            servo.behind = motor.setpoint - servo.position if servo.table[self.TORQUE] == 1 else 0.0
            self.protect(servo, motor, dt)

    def load(self, servo: Servo) -> int:
        if servo.pushes is not None:
            return servo.pushes
        motor = next((motor for motor in getattr(self, "_motors", ()) if motor.servo is servo), None)
        if motor is None or not motor.force[1]:
            return 0
        return round(
            1000 * motor.horn.sense * float(self.data.actuator_force[motor.actuator]) / motor.force[1]
        )

    def strength(self, servo: Servo) -> float:
        """Largest share of the motor's force that the servo uses."""
        return 1.0

    def protect(self, servo: Servo, motor: _Motor, dt: float) -> None:
        """Applies the servo's protection against overload."""

    def _lead(self, motor: _Motor, dt: float) -> None:
        """Moves the servo's own setpoint, at its speed, toward its goal."""
        servo, model = motor.servo, self.model
        if servo.position != motor.shown:  # a hand has moved it
            self.data.qpos[motor.place] = self._value(motor.horn, servo.position)
            self.data.qvel[motor.speed] = 0.0
        has_torque = servo.table[self.TORQUE] == 1
        if has_torque:
            measured, servo.position = servo.position, motor.setpoint
            most = TOP_SPEED * dt
            motor.setpoint += min(max(self.way(servo, dt), -most), most)
            servo.position = measured
        else:
            motor.setpoint = servo.position
        share = self.number(servo, *self.GAIN) / self.USUAL_GAIN if has_torque else 0.0
        model.actuator_gainprm[motor.actuator, 0] = share * motor.gain
        model.actuator_biasprm[motor.actuator] = motor.bias * (
            1.0,
            share,
            float(has_torque),
            *[1.0] * (len(motor.bias) - 3),
        )
        model.actuator_forcerange[motor.actuator] = self.strength(servo) * motor.force

    def _step(self) -> None:
        for motor in self._motors:
            motor.coming.append(self._value(motor.horn, motor.setpoint))
            self.data.ctrl[motor.actuator] = motor.coming.popleft()
        held = [(motor, self.data.qpos[motor.place]) for motor in self._motors if motor.servo.stuck]
        mujoco.mj_step(self.model, self.data)
        for motor, place in held:
            self.data.qpos[motor.place], self.data.qvel[motor.speed] = place, 0.0

    def _steps(self, place: int, horn: Horn) -> float:
        return horn.zero + horn.sense * STEPS * float(self.data.qpos[place])

    @staticmethod
    def _value(horn: Horn, steps: float) -> float:
        """The joint's value [rad] at a position of its servo."""
        return horn.sense * (steps - horn.zero) / STEPS


class StsOnBody(OnBody, StsBus):
    """Feetech STS servos that move a body. A servo that is overloaded for too long reports it, and is weak
    until its torque is switched off.
    """

    # as set by LeRobot; public models of the SO-101 have the corresponding gains
    GAIN, USUAL_GAIN = (GAIN, 1), 16

    def strength(self, servo: Servo) -> float:
        weak = servo.table[WEAKENED] / 100 if servo.error & OVERLOADED else 1.0
        return weak * self.number(servo, TORQUE_LIMIT) / 1000

    def protect(self, servo: Servo, motor: _Motor, dt: float) -> None:
        if servo.table[self.TORQUE] != 1:
            servo.error, motor.overloaded_for, motor.mean_load = servo.error & ~OVERLOADED, 0.0, 0.0
            return
        motor.mean_load += (self.load(servo) - motor.mean_load) * min(dt / HEATS, 1.0)
        motor.overloaded_for = (
            motor.overloaded_for + dt if abs(motor.mean_load) >= 10 * servo.table[OVERLOAD] else 0.0
        )
        if motor.overloaded_for > servo.table[OVERLOAD_TIME] / 100:
            servo.error |= OVERLOADED


class DynamixelOnBody(OnBody, DynamixelBus):
    """Dynamixel servos that move a body."""

    GAIN, USUAL_GAIN = (DYNAMIXEL_GAIN, 2), USUAL_GAIN


def horns_of(texts: Sequence[str]) -> dict[int, Horn]:
    """Horns of servos in a model, from texts ID:ACTUATOR, ID:ACTUATOR:SENSE or ID:ACTUATOR:SENSE:ZERO."""
    parts = [text.split(":") for text in texts]
    return {int(number): Horn(name, *map(int, rest)) for number, name, *rest in parts}
