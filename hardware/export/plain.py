"""Export as CSV and JSON. Knows no Blender."""

from __future__ import annotations

import csv
import io
import json
import math

from ..device import Device, Joint
from .motion import Motion

VERSION = 1
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
SCALES = {"rad": ("deg", 180.0 / math.pi), "m": ("mm", 1000.0), "plain": ("", 1.0)}


def table(motion: Motion) -> bytes:
    """CSV with a row per sample: time [s], value of each joint, raw position of each channel."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["seconds", *map(_heading, motion.device.joints), *(f"servo {channel.servo}" for channel in motion.device.channels)])
    scales = [SCALES[joint.unit][1] for joint in motion.device.joints]
    for row, (values, positions) in enumerate(zip(motion.values, motion.positions, strict=True)):
        shown = (f"{scale * value:.6g}" for scale, value in zip(scales, values, strict=True))
        writer.writerow([f"{row / motion.rate:.6g}", *shown, *(f"{position:.3f}" for position in positions)])
    return text.getvalue().encode("utf-8")


def document(motion: Motion) -> bytes:
    """JSON with the rate, the joints and their limits, the channels, and all samples."""
    found = {
        "format": "limber motion",
        "version": VERSION,
        "title": motion.title,
        "rate": motion.rate,
        "seconds": motion.seconds,
        "loops": motion.loops,
        "protocol": motion.device.protocol,
        "joints": [
            {"name": joint.name, "unit": joint.unit, **{name: getattr(joint.limits, name) for name in LIMITS}}
            for joint in motion.device.joints
        ],
        "channels": _channels(motion.device),
        "values": motion.values,
        "positions": motion.positions,
    }
    return json.dumps(found).encode("utf-8")


def _channels(device: Device) -> list[dict[str, object]]:
    return [
        {"servo": channel.servo, "joints": [share.joint for share in channel.shares], "lowest": channel.lowest, "highest": channel.highest}
        for channel in device.channels
    ]


def _heading(joint: Joint) -> str:
    unit = SCALES[joint.unit][0]
    return f"{joint.name} [{unit}]" if unit else joint.name
