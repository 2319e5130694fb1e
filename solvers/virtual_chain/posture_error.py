"""The paper's posture error (section 3.6, Algorithm 6)."""

from collections.abc import Sequence

from ..kinematics.rotations import Quaternion, dot, rotate
from .chain import VirtualChain

POSTURE_WEIGHT = 0.2  # weight of the posture error relative to the orientation error (section 4.0.1)
# factor by which a deviation counts more for each bend nearer to the end (alpha in eq. 21, 22)
AGGRAVATION = 1.0


def bend_cosines(chain: VirtualChain, bases: Sequence[Quaternion]) -> list[float]:
    """Cosines of the angles between the link of each hinge (a joint that is no twister) and the preceding
    link, from the bases (n + 1,).
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
    """Posture error of Algorithm 6, 0 to 1: how far the bends between neighbouring links differ from those of
    one posture.
    """

    def __init__(self, chain: VirtualChain, posture: Sequence[float], aggravation: float) -> None:
        """`posture` (n,): angles [rad] of the virtual chain; `aggravation`: as `AGGRAVATION`."""
        self._chain = chain
        self._authored = bend_cosines(chain, chain.bases(posture))
        # The exponent counts hinges, as in Algorithm 6, and not joints, as in eq. 21; twisters in between
        # make a difference.
        weights = [aggravation**i for i in range(len(self._authored))]
        # normalised as in eq. 22, but by the number of hinges
        self._weights = [weight / sum(weights) for weight in weights]

    def __call__(self, bases: Sequence[Quaternion]) -> float:
        """The posture error of a pose with these bases (n + 1,), without its weight."""
        solved = bend_cosines(self._chain, bases)
        return 0.5 * sum(
            w * abs(a - b) for w, a, b in zip(self._weights, self._authored, solved, strict=True)
        )
