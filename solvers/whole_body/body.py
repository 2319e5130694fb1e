"""Body of the whole-body solver: a tree of joints with named links, limits and couplings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.skeleton import End, Joint, SkeletonError, laid_out
from ..kinematics.tree import Indices, Tree
from ..least_squares.constrained import Constraints
from ..tolerances import MET


@dataclass(frozen=True)
class Coupling:
    """Linear constraint of joints: lower <= sum of factor * value <= upper; for mimic joints both bounds are
    equal.
    """

    name: str
    factors: Mapping[str, float]  # factors by name of the joint
    lower: float = -np.inf
    upper: float = np.inf


class Body(Tree):
    """Model of a body with joints and named links. Unknowns are the base's linear and angular velocity and
    the joints' speeds, 6 + n, in this order.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        links: Sequence[End],
        floating: bool = True,
        lower: Sequence[float] | None = None,
        upper: Sequence[float] | None = None,
        couplings: Sequence[Coupling] = (),
    ) -> None:
        """A tree of joints with links.

        Args:
            joints: Parents before their children.
            links: Links that can have targets; `End.joint` is -1 for a link on the base itself.
            floating: Whether the base is free to move.
            lower: Lower limits (n,) [rad or m] instead of the joints' own; infinite for none.
            upper: Upper limits (n,) [rad or m] instead of the joints' own; infinite for none.
            couplings: Linear constraints of joints.

        Raises:
            SkeletonError: a parent does not come before its child, a link is on a joint that does not exist,
                two links have one name, or a coupling is of a joint that does not exist or has its lower
                bound above its upper one.
        """
        super().__init__(*laid_out(joints, links))
        self.joints, self.link_ends, self.coupled = tuple(joints), tuple(links), tuple(couplings)
        self.names = tuple(joint.name for joint in joints)
        self.links = {link.name: k for k, link in enumerate(links)}
        if len(self.links) < len(links):
            twice = sorted(name for name in self.links if sum(link.name == name for link in links) > 1)
            raise SkeletonError(f"two links are called '{twice[0]}': give each a name of its own")
        self.floating = floating
        self.lower = np.array([joint.lower for joint in joints] if lower is None else lower, float)
        self.upper = np.array([joint.upper for joint in joints] if upper is None else upper, float)
        self.couplings = self._coupled(couplings)
        self.coupling_names = tuple(coupling.name for coupling in couplings)

    def _coupled(self, couplings: Sequence[Coupling]) -> Constraints:
        """The m couplings as constraints on the values of the n joints."""
        matrix = np.zeros((len(couplings), len(self)))
        index = {name: k for k, name in enumerate(self.names)}
        for row, coupling in enumerate(couplings):
            for name, factor in coupling.factors.items():
                if name not in index:
                    raise SkeletonError(
                        f"coupling '{coupling.name}': there is no joint '{name}': the joints are"
                        f" {', '.join(self.names)}"
                    )
                matrix[row, index[name]] = factor
            if not coupling.lower <= coupling.upper:
                raise SkeletonError(
                    f"coupling '{coupling.name}': {coupling.lower:.6g} is above {coupling.upper:.6g}:"
                    " exchange them"
                )
        bounds = np.array([(coupling.lower, coupling.upper) for coupling in couplings]).reshape(-1, 2)
        return Constraints(matrix, bounds[:, 0], bounds[:, 1])

    def violated(self, joints: Array) -> tuple[str, ...]:
        """Names of the couplings that joint values `joints` (n,) [rad or m] violate."""
        beyond = np.abs(self.couplings.beyond(joints)) > MET
        return tuple(
            name for name, is_beyond in zip(self.coupling_names, beyond.tolist(), strict=True) if is_beyond
        )

    def link_indices(self, names: Sequence[str]) -> Indices:
        """Indices of links by name.

        Raises:
            SkeletonError: the body has no link of that name.
        """
        for name in names:
            if name not in self.links:
                raise SkeletonError(f"there is no link '{name}': the links are {', '.join(self.links)}")
        return np.array([self.links[name] for name in names], np.intp)

    def are_at_base(self, links: Indices) -> bool:
        """Whether all links are at the base's own position, so that their positions depend on its linear
        velocity alone.
        """
        return not self.carriers[links].any() and not self.ends[links, :3, 3].any()
