"""Anchors of objects in a character file: the world, or a part that a joint of a chain moves."""

from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ..chain.hanging import BASE
from .models import MOST_JOINTS
from .tracks import ArrayReader, ArrayWriter, ClipTrack


class ChainLink(NamedTuple):
    """A part of a chain: the chain's name, and the index of the joint that moves it; -1 for its base."""

    chain: str
    joint: int


class Anchor(NamedTuple):
    """A moving coordinate frame: its matrix (4, 4) in each frame of the clip, relative to a link; relative to
    the world if `link` is None.
    """

    link: ChainLink | None
    frame: ClipTrack


def anchor_json(anchor: Anchor, arrays: ArrayWriter) -> dict[str, Any]:
    """An anchor as JSON; its track goes to `arrays`."""
    link = None if anchor.link is None else anchor.link._asdict()
    return {"link": link, "frame": arrays.put(anchor.frame.rows)}


def anchor_of(plain: JsonFields, name: str, arrays: ArrayReader, frames: int) -> Anchor:
    """Reads an anchor that `anchor_json` has written, from a field `name`; `frames`: number of the clip's
    frames.
    """
    stored, link = plain.child(name), None
    if stored.is_given("link"):
        stored_link = stored.child("link")
        link = ChainLink(stored_link.get("chain", str), stored_link.whole("joint", BASE, MOST_JOINTS))
    return Anchor(link, arrays.track(stored, "frame", (4, 4), frames))
