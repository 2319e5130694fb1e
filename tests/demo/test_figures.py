import figures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

FPS = 24.0


def feasible(velocity: float, acceleration: float, jerk: float, seconds: float = 4.0) -> np.ndarray:
    """Motion (t, 1), finely sampled, of a joint that is accelerated back and forth with maximal jerk, within
    its velocity and acceleration limits.
    """
    dt, place, speed, push, rows = 1e-4, 0.0, 0.0, 0.0, []
    for k in range(int(seconds / dt)):
        want = acceleration if (k * dt) % 1.0 < 0.5 else -acceleration
        push += np.clip(want - push, -jerk * dt, jerk * dt)
        if abs(speed + push * dt) > velocity:
            push = 0.0
        speed += push * dt
        place += speed * dt
        rows.append(place)
    return np.array(rows)[:, None]


@given(st.floats(0.1, 5.0), st.floats(-3.0, 3.0))
def test_a_steady_speed_uses_its_share_of_the_velocity_and_nothing_else(limit, speed):
    angles = np.arange(48)[:, None] / FPS * speed
    found = figures.shares(angles, FPS, np.array([[limit], [1.0], [1.0]]))
    assert found["velocity"] == pytest.approx(abs(speed) / limit)
    assert found["acceleration"] == pytest.approx(0.0, abs=1e-9)
    assert found["jerk"] == pytest.approx(0.0, abs=1e-7)


def test_a_parabola_uses_its_share_of_the_acceleration():
    time = np.arange(48)[:, None] / FPS
    found = figures.shares(0.5 * 3.0 * time**2, FPS, np.array([[100.0], [6.0], [100.0]]))
    assert found["acceleration"] == pytest.approx(0.5)


def test_the_joint_nearest_its_limit_counts():
    time = np.arange(48) / FPS
    angles = np.stack([0.1 * time, 0.9 * time], 1)
    assert figures.shares(angles, FPS, np.ones((3, 2)))["velocity"] == pytest.approx(0.9)


def test_feasible_motion_never_counts_as_more_than_its_limit_however_coarsely_it_is_sampled():
    motion = feasible(2.0, 10.0, 200.0)
    for step in (100, 417, 833):
        found = figures.shares(motion[::step], 1e4 / step, np.array([[2.0], [10.0], [200.0]]))
        assert found["velocity"] <= 1.0 + 1e-6
        assert found["acceleration"] <= 1.0 + 1e-6


@given(st.floats(0.0, 0.45))
def test_the_lag_of_a_delayed_copy_is_found(delay):
    due = np.arange(240) / FPS
    times = np.arange(1000) / 100.0
    wanted = np.stack([np.sin(1.3 * due), np.cos(2.1 * due)], 1)
    seen = np.stack([np.interp(times - delay, due, column) for column in wanted.T], 1)
    assert figures.lag(times, seen, due, wanted) == pytest.approx(
        delay, abs=2 * (figures.LAGS[1] - figures.LAGS[0])
    )


def test_frames_after_a_change_of_posture_are_told_from_the_others():
    near = figures.near_changes(["a"] * 5 + ["b"] * 5, 2)
    assert near.tolist() == [False] * 5 + [True, True] + [False] * 3
