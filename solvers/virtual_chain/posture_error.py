"""The paper's posture error (section 3.6, Algorithm 6)."""

from collections.abc import Sequence

from ..kinematics.rotations import Quaternion, dot, rotate
from .chain import VirtualChain

POSTURE_WEIGHT = 0.2  # of the posture error against the orientation error (section 4.0.1)
AGGRAVATION = 1.0  # factor by which a deviation counts more one bend nearer to the end (eq. 21, 22: alpha)


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
