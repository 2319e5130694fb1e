"""Inputs from which the model of a chain in Blender is made."""

from typing import NamedTuple

from ...character.chain.settings import POSTURE
from ...character.chain.tick import ChainModel, make_model
from ...motion import MotionStyle
from ..chains.joint_tree import joint_tree
from ..chains.skeleton import ChainReader


class ChainRecipe(NamedTuple):
    """Inputs from which a chain's model is made; if an input changes, a new model is needed."""

    fixed: tuple  # the part of each bone's pose that no joint moves
    limits: list  # limits of the joints
    tools: list  # frames of the ends on their bones
    solver: str  # key of the solver
    options: object  # the solver's options
    filter_name: str  # key of the motion filter
    styles: tuple[MotionStyle, ...]  # motion style of each joint
    base: str  # kind of the posture that the chain keeps
    transition: float  # [s] duration of a change of posture; 0: as fast as the limits allow

    def model(self, reader: ChainReader) -> ChainModel:
        """The model of the chain that `reader` reads.

        Raises:
            SkeletonError, GazeError, MotionError: An input cannot be used.
        """
        return make_model(
            joint_tree(reader, self.fixed, self.limits, self.tools),
            self.solver,
            self.filter_name,
            self.styles,
            posture_jumps=self.base == POSTURE,
            transition=self.transition,
            options=self.options,
        )
