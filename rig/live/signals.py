"""Signals: what moves objects while live motion goes on, such as numbers that other programs send."""

from typing import Protocol

import bpy


class Signals(Protocol):
    """Signals from one kind of sender."""

    def is_active(self, scene: bpy.types.Scene) -> bool:
        """Whether one may move something in the scene, so that live motion must go on."""

    def advance(self, scene: bpy.types.Scene, dt: float) -> bool:
        """Goes on by `dt` [s] before a tick; returns whether something has changed."""


by_sender: dict[str, Signals] = {}


def are_active(scene: bpy.types.Scene) -> bool:
    """Whether a signal may move something in the scene."""
    return any(signals.is_active(scene) for signals in by_sender.values())


def advance(scene: bpy.types.Scene, dt: float) -> bool:
    """Lets all signals go on by `dt` [s]; returns whether something has changed, which is to be evaluated
    then.
    """
    changes = [signals.advance(scene, dt) for signals in by_sender.values()]
    return any(changes)
