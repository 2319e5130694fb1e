"""ERIK's error functions: orientation, posture and their weighted sum (section 3.6, Algorithms 4 to 6)."""

from collections.abc import Sequence

from ..aims.rolls import whole_angle
from ..gaze import papers_error
from ..kinematics.rotations import Quaternion, dot, rotate
from .chain import VirtualChain
from .parameters import Hyperparameters


def orientation_error(target: Quaternion, end: Quaternion, symmetric: bool) -> float:
    """Algorithm 5: the least distance of the two quaternions over sqrt(2), sqrt(2) sin(phi / 4) in 0..1, phi
    the angle between them.
    """
    return papers_error(whole_angle(target, end, symmetric))


def bend_cosines(chain: VirtualChain, bases: Sequence[Quaternion]) -> list[float]:
    """Cosines of the angles between each hinge's link and the link before, from the bases (n + 1,). Links
    have unit length.
    """
    cosines = []
    before = chain.models[0].parent
    for k, model in enumerate(chain.models):
        link = rotate(bases[k + 1], model.segment)
        if not model.is_twister:
            cosines.append(dot(before, link))
        before = link
    return cosines


class PostureError:
    """Posture error of Algorithm 6, 0 to 1: how far the bends between neighbouring links are from those of
    one posture.
    """

    def __init__(self, chain: VirtualChain, posture: Sequence[float], aggravation: float) -> None:
        self._chain = chain
        self._authored = bend_cosines(chain, chain.bases(posture))
        # The exponent counts hinges as Algorithm 6 does, not joints as eq. 21 (they differ when twisters lie
        # between).
        weights = [aggravation**i for i in range(len(self._authored))]
        self._weights = [weight / sum(weights) for weight in weights]  # the norm of eq. 22, counted alike

    def __call__(self, bases: Sequence[Quaternion]) -> float:
        solved = bend_cosines(self._chain, bases)
        return 0.5 * sum(
            w * abs(a - b) for w, a, b in zip(self._weights, self._authored, solved, strict=True)
        )


def combined_error(orientation: float, posture: float, hyper: Hyperparameters) -> float:
    """Algorithm 4: weighted sum of orientation and posture error, which is compared with the threshold."""
    return hyper.orientation_weight * orientation + hyper.posture_weight * posture
