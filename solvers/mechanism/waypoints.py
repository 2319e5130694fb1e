"""Waypoints of actuators that are commanded far: small movements keep the assembly."""

import math

import numpy as np

from ..kinematics.se3 import Array
from ..least_squares.bounded_step import LONGEST_STEP
from ..tasks import JointValues

MOST_WAYPOINTS = round(math.tau / LONGEST_STEP)  # largest number of waypoints: those of a full rotation


def waypoints(task: JointValues, values: Array) -> list[Array]:
    """Values (m,) of actuators at each waypoint between their current values, among `values` (v,) of all
    coordinates, and the desired ones; none if these are near.
    """
    first = values[task.coordinates]
    count = min(int(np.abs((task.desired - first) / task.unit).max() / LONGEST_STEP), MOST_WAYPOINTS)
    return [first + (task.desired - first) * (k + 1) / (count + 1) for k in range(count)]
