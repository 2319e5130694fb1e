"""Inputs from which the model of a chain in Blender is made."""

from typing import NamedTuple

from ...motion import MotionStyle


class ChainRecipe(NamedTuple):
    """Inputs from which a chain's model is made; a new model is needed if one of them changes."""

    fixed: tuple  # the part of each bone's pose that no joint moves
    limits: list
    tools: list
    solver: str
    options: object
    filter_name: str
    styles: tuple[MotionStyle, ...]
    base: str
    transition: float
