"""The expressive solver: exact aim, then the posture's shape. Knows no Blender."""

from .solver import Expressive

__all__ = ["Expressive"]
