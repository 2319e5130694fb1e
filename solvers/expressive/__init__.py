"""The expressive solver: exact aim, the nearest shape, no popping. Knows no Blender."""

from .solver import Expressive

__all__ = ["Expressive"]
