"""What the model of a chain in Blender is made of."""

from typing import NamedTuple

from ...motion import MotionStyle


class ChainRecipe(NamedTuple):
    """What a chain's model is made of."""

    fixed: tuple  # the part of the pose that no joint moves
    limits: list
    tools: list
    solver: str
    options: object
    filter_name: str
    styles: tuple[MotionStyle, ...]
    base: str
    transition: float
