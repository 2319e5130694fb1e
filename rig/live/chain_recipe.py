"""Inputs from which the model of a chain in Blender is made."""

from typing import NamedTuple

from bpy.types import PropertyGroup
from mathutils import Matrix

from ...character.chain.settings import POSTURE
from ...character.chain.tick import ChainModel, make_model
from ...motion import MotionStyle
from ...solvers.kinematics.skeleton import Skeleton
from ..chains import chain as build
from ..chains.joint_tree import joint_tree
from ..chains.skeleton import ChainReader
from ..properties.motion_style import motion_style


class ChainRecipe(NamedTuple):
    """Inputs from which a chain's model is made; if an input changes, a new model is needed."""

    fixed: tuple  # the part of each bone's pose that no joint moves
    limits: list  # limits of the joints
    tools: list  # coordinate frame of each end on its bone
    solver: str  # key of the solver
    options: object  # the solver's options
    filter_name: str  # key of the motion filter
    styles: tuple[MotionStyle, ...]  # motion style of each joint
    base: str  # key of the chain's setting Base: which posture it keeps
    transition: float  # [s] duration of a change of posture; 0: as fast as the limits allow

    @staticmethod
    def of(
        chain: PropertyGroup,
        reader: ChainReader,
        fixed: tuple,
        solver: str,
        filter_name: str,
        base: str,
        rig_in_world: Matrix,
    ) -> "ChainRecipe":
        """The recipe of a chain, from its stored settings and the given values.

        Raises:
            RigError, GazeError: A setting cannot be used.
        """
        styles = {joint.key: motion_style(chain, joint) for joint in chain.joints}
        return ChainRecipe(
            fixed,
            build.motions(chain, solver),
            build.tools(chain, reader),
            solver,
            build.solver_options(chain, solver, reader, rig_in_world),
            filter_name,
            tuple(styles[key] for key in reader.joint_keys),
            base,
            chain.transition,
        )

    def skeleton(self, reader: ChainReader) -> Skeleton:
        """The skeleton of the chain that `reader` reads.

        Raises:
            RigError, SkeletonError: No joint moves an end, or an input cannot be used.
        """
        return joint_tree(reader, self.fixed, self.limits, self.tools)

    def model(self, skeleton: Skeleton) -> ChainModel:
        """The model of a chain with this skeleton.

        Raises:
            SkeletonError, GazeError, MotionError: An input cannot be used.
        """
        return make_model(
            skeleton,
            self.solver,
            self.filter_name,
            self.styles,
            posture_jumps=self.base == POSTURE,
            transition=self.transition,
            options=self.options,
        )
