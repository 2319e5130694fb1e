"""ERIK's orientation error, and its weighted sum with the posture error (section 3.6, Algorithms 4, 5)."""

from ..aims.rolls import whole_angle
from ..gaze import papers_error
from ..kinematics.rotations import Quaternion
from .parameters import Hyperparameters


def orientation_error(target: Quaternion, end: Quaternion, symmetric: bool) -> float:
    """Algorithm 5: the least distance between the two quaternions over sqrt(2), which is sqrt(2) sin(phi / 4)
    in 0..1, where phi is the angle between them; of a symmetric end the nearer of its two equivalent rolls
    counts.
    """
    return papers_error(whole_angle(target, end, symmetric))


def combined_error(orientation: float, posture: float, hyper: Hyperparameters) -> float:
    """Algorithm 4: weighted sum of orientation and posture error, which is compared with the threshold."""
    return hyper.orientation_weight * orientation + hyper.posture_weight * posture
