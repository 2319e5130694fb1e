"""Pololu's Maestro servo controllers. Knows no Blender."""

from .codec import MODELS, Maestro, MaestroDecoder
from .commands import (
    Command,
    GetErrors,
    GetMoving,
    GetPosition,
    GoHome,
    MiniSsc,
    SetAcceleration,
    SetMultipleTargets,
    SetSpeed,
    SetTarget,
    Wire,
    crc7,
)

__all__ = [
    "MODELS",
    "Command",
    "GetErrors",
    "GetMoving",
    "GetPosition",
    "GoHome",
    "Maestro",
    "MaestroDecoder",
    "MiniSsc",
    "SetAcceleration",
    "SetMultipleTargets",
    "SetSpeed",
    "SetTarget",
    "Wire",
    "crc7",
]
