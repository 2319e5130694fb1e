"""Goals sent while the robot is driven: Blender's pose, the park pose, or a set-up task."""

from __future__ import annotations

from collections.abc import Sequence

from ...motion import Kinematic
from ..device import Device
from ..messages import Request
from ..mixing import Mixing
from ..safety import SETTING_UP, Command, State
from . import tasks
from .drive import LONGEST_STEP, Drive
from .offset_decay import OffsetDecay
from .servo_speed_limiter import ServoSpeedLimiter, held_to_servos
from .shown_ranges import Reach

Raw = Sequence[float | None]


class MotionController:
    """Drives the robot for one purpose, from its current position until the purpose is achieved.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
        request: The command: to arm, to park, or a set-up task.
        start: Raw servo positions (channels,); those of the driven channels must be known.

    Attributes:
        channels: Indices of the driven channels.
        arrived: Whether the commanded values are at Blender's, so that a slow approach may end; False in a
            task.
        done: Whether a task, or parking, has ended.
        raw: Last raw goals sent (channels,); None for no goal.
        rested_for: Time [s] for which the commanded values have been at rest.
    """

    def __init__(self, device: Device, mixing: Mixing, request: Request, start: Raw) -> None:
        self._mixing = mixing
        self._request = request
        self.channels = tasks.channels_needed(device, mixing, request)
        self.arrived = self.done = False
        self.rested_for = 0.0
        self._speed_scale = 1.0  # `speed_scale` of the last step
        self.raw: tuple[float | None, ...] = (None,) * len(device.channels)
        self._task: tasks.SetupTask | None = None
        self._drive: Drive | None = None
        self._parking = False  # whether the robot moves to the park pose, after braking
        driven = held_to_servos(device, mixing)
        if request.command in SETTING_UP:
            self._task = tasks.begin(driven, mixing, request, start)
            return
        values = tuple(0.0 if value is None else value for value in mixing.values(start))
        self._drive = Drive(driven.joints, mixing.ranges, values, ServoSpeedLimiter(device, mixing))
        self._approach = OffsetDecay(device.channels, start, mixing.unbounded(values))

    @property
    def commanded(self) -> tuple[float, ...] | None:
        """Commanded joint values (joints,); None in a task."""
        return None if self._drive is None else self._drive.commanded

    @property
    def at_rest(self) -> bool:
        """Whether the commanded values are at rest."""
        drive = self._current_drive
        return drive is None or drive.at_rest

    def stand(self) -> None:
        """Set the commanded velocities to 0. The robot itself may still move when it reads the last moves, so
        `rested_for` begins anew.
        """
        if (drive := self._current_drive) is not None:
            drive.scale_velocities(0.0)
        self.rested_for = 0.0

    def rest(self, dt: float) -> None:
        """Let `dt` [s] pass at rest, without a move."""
        self.rested_for += min(dt, LONGEST_STEP)

    @property
    def _current_drive(self) -> Drive | None:
        return self._drive if self._task is None else self._task.drive

    def takes_over(self, request: Request) -> bool:
        """Execute another command if this controller can, and return whether it does; otherwise a new
        controller is needed, which starts from the robot's position.
        """
        task = self._task
        if (
            request.command is Command.JOG
            and isinstance(task, tasks.JointTask)
            and (task.joint, task.free) == (request.target, request.free)
        ):
            task.jog(request.amount)
            return True
        if self._drive is None or request.command in SETTING_UP:
            return False
        self._request = request
        self.done = self._parking = False
        return True

    def begin_approach(self) -> None:
        """Begin a slow approach, for which faster joints brake first; no effect in a task."""
        if self._drive is not None:
            self._drive.begin_approach()

    def step(
        self,
        state: State,
        goal: Sequence[Kinematic] | None,
        dt: float,
        reaches: Sequence[Reach] | None = None,
        speed_scale: float = 1.0,
    ) -> tuple[float | None, ...]:
        """Raw goals `dt` [s] later, in a driven state.

        Args:
            state: Safety state, one of DRIVEN.
            goal: Current motion (joints,) in Blender; None without one.
            dt: Time since the last step.
            reaches: As for `Drive.follow`.
            speed_scale: Factor, 0 to 1, of the motion's speed. A robot that begins to brake does so from that
                speed, and then as fast as the joints' limits allow.
        """
        dt = min(dt, LONGEST_STEP)
        drive = self._current_drive
        is_braking = state in (State.HOLDING, State.BRAKING) or (state is State.PARKING and not self._parking)
        if is_braking and drive is not None:
            drive.scale_velocities(self._speed_scale)
            speed_scale = 1.0
        self._speed_scale = speed_scale
        self.raw = self._goals(state, goal, speed_scale * dt, reaches)
        self.rested_for = self.rested_for + dt if self.at_rest else 0.0
        return self.raw

    def _goals(
        self,
        state: State,
        goal: Sequence[Kinematic] | None,
        dt: float,
        reaches: Sequence[Reach] | None,
    ) -> tuple[float | None, ...]:
        """Raw goals (channels,) after `dt` [s] of motion; arguments as for `step`."""
        if self._task is not None:
            goals = self._task.step(dt, brakes=state is State.BRAKING)
            self.done = self._task.done
            return goals
        assert self._drive is not None
        if state is State.PARKING:
            self._park(dt)
        elif state in (State.HOLDING, State.BRAKING) or goal is None:
            self._drive.brake(dt)
        elif state is State.ARMING:
            self._drive.approach(goal, dt, reaches)
        else:
            self._drive.follow(goal, dt, reaches)
        self.arrived = goal is not None and self._drive.may_follow and self._drive.has_arrived(goal)
        return self._approach.take(self._mixing.unbounded(self._drive.commanded), dt)

    def _park(self, dt: float) -> None:
        """Advance by `dt` [s]: brake, then move slowly to the park pose; `done` is set at rest there."""
        assert self._drive is not None
        if not self._parking:
            self._drive.brake(dt)
            if self._drive.at_rest:
                self._parking = True
                self._drive.begin_approach()
            return
        rest = [Kinematic(value) for value in self._mixing.clamp(self._request.values)]
        self._drive.approach(rest, dt)
        self.done = self._drive.has_arrived(rest) and self._drive.at_rest
