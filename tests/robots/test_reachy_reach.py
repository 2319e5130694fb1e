"""Tests Reachy Mini's head for poses out of reach: it takes the nearest pose, and only the actual obstacles
are named.
"""

import math

import numpy as np
import pytest
from limber.robots.gallery.folders import OWN
from limber.robots.reading import read

from benchmarks.reachy_kinematics import Platform

# pose (4, 4) in the base's frame, with 0 in neutral [m]; drawn at random from those that the maker's
# kinematics does not reach
HEAD = np.array(
    [
        [0.15635731513126797, 0.9528586773513726, 0.2600244815419, 0.029958869766674792],
        [-0.9823809679736645, 0.1773155932782979, -0.05904925184531289, -0.02084691001392447],
        [-0.10237198722339678, -0.2462103193949388, 0.9637948198944497, 0.02380902793361462],
        [0.0, 0.0, 0.0, 1.0],
    ]
)
YAW = -1.633011580675981  # [rad] rotation of the body
# distance of the nearest pose [root of squared sizes and rad], from python -m benchmarks.reachy --away
LEAST = 0.3059575545815895


def test_of_two_motors_that_reach_their_limits_on_the_way_one_goes_back_and_the_pose_is_the_nearest():
    platform = Platform(read(OWN / "reachy_mini" / "robot.urdf", for_mechanism=True))
    platform.approach(HEAD, YAW)
    motors = platform.motors(HEAD, YAW)
    assert platform.report.goal_error == pytest.approx(LEAST, abs=1e-9)
    assert [text.split("'")[1] for text in platform.report.at_limits] == ["stewart_5"]
    assert math.degrees(motors[3]) == pytest.approx(-78.09, abs=0.01)
