"""The expressive solver: exact aim, least shape deviation, continuous motion. Knows no Blender."""

from .solver import Expressive

__all__ = ["Expressive"]
