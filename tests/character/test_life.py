"""Tests idle motion: which joints breathe, how far, and that it respects limits."""

import numpy as np
import pytest
from limber.character.life import Life
from limber.solvers.kinematics.rotations import unit
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton

LONG_BREATH, SECONDS = 0.05, 1.3  # [rad] change of the long breath, and [s] time
LOWER, UPPER = -1.0, 1.0


def branched() -> Skeleton:
    """A torso that looks, with a rail below it and an arm beside it."""
    x, z, still = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)
    return Skeleton(
        (
            Joint("yaw", -1, still, (0.0, 0.0, 0.0), z, LOWER, UPPER),
            Joint("rail", 0, still, (0.0, 0.0, 0.1), z, 0.0, 0.2, "prismatic"),
            Joint("pitch", 1, still, (0.0, 0.0, 0.3), x, LOWER, UPPER),
            Joint("arm", 1, still, (0.2, 0.0, 0.0), x, LOWER, UPPER),
            Joint("nod", 2, still, (0.0, 0.2, 0.0), x, LOWER, UPPER),
        ),
        tool_offset=(0.0, 0.1, 0.05),
        more_ends=(End(3, still, (0.0, 0.1, 0.0), "hand"),),
    )


def test_joints_breathe_as_they_lift_the_end():
    skeleton, up = branched(), unit((0.2, -0.3, 1.0))
    posture = np.array([0.3, 0.1, 0.4, -0.2, 0.25])
    rise = up @ skeleton.jacobian(posture)[1]
    offsets = Life(breathing=LONG_BREATH).offsets(skeleton, posture, up, SECONDS)
    turning = [
        0,
        2,
        4,
    ]  # joints between the root and the end; the rail does not breathe, and the arm lifts nothing
    assert offsets[[1, 3]].tolist() == [0.0, 0.0]
    assert offsets[turning] / offsets[2] == pytest.approx(rise[turning] / rise[2], rel=1e-12)
    assert 0.0 < np.abs(offsets).max() <= LONG_BREATH


def test_no_joint_leaves_its_limits():
    skeleton = branched()
    posture = np.array([UPPER, 0.2, LOWER - 0.5, UPPER, UPPER])
    life = Life(breathing=0.3, sway=0.3, glances=0.3)
    for k in range(60):
        joints = posture + life.offsets(skeleton, posture, (0.0, 0.0, 1.0), 0.37 * k)
        assert (joints >= np.minimum(skeleton.lower, posture)).all()
        assert (joints <= np.maximum(skeleton.upper, posture)).all()
