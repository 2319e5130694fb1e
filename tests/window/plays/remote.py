"""Another program moves a live chain's target by OSC: Blender's timer receives it while nothing plays."""

import socket
import struct
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

PLACE = (-0.3, -0.6, 0.5)


def padded(text: str) -> bytes:
    return text.encode() + bytes(4 - len(text) % 4)


def listening(stage):
    """A live lamp that listens to other programs; returns its rig and chain."""
    rig, chain = lamp.build(stage)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        rig.limber.remote.port = free.getsockname()[1]
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.remote()
    return rig, chain


def send_place(rig) -> None:
    """Another program sends the target to PLACE."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        message = padded("/limber/target/head") + padded(",fff") + struct.pack(">fff", *PLACE)
        sender.sendto(message, ("127.0.0.1", rig.limber.remote.port))


def play(stage):
    rig, chain = listening(stage)
    target, live = chain.target, stage.part("rig.live.live")
    yield 0.2
    send_place(rig)
    yield from stage.until(
        lambda: (
            (target.matrix_world.translation - stage.part("rig.authoring.targets").Vector(PLACE)).length
            < 1e-5
        )
    )
    yield from stage.until(lambda: live.session(rig, rig.limber.chains[0]).outputs.filtered_aim_error < 1e-3)
    stage.facts["followed"] = True
    with stage.context():
        bpy.ops.limber.end_remote()
    timer = stage.part("rig.events.handlers")._remote
    yield from stage.until(lambda: not bpy.app.timers.is_registered(timer))
    stage.facts["timer_ended"] = True
