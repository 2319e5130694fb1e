"""The expressive solver: exact aim, then the posture's shape."""

from .solver import Expressive

__all__ = ["Expressive"]
