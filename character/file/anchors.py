"""Where things of a character file are: in the world, or on what a joint of a chain moves."""

from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ..chain.hanging import BASE
from .models import MOST_JOINTS
from .tracks import ArrayReader, ArrayWriter, ClipTrack


class ChainLink(NamedTuple):
    """What a joint of a chain moves: the chain's name, and the index of the joint; -1: its base."""

    chain: str
    joint: int


class Anchor(NamedTuple):
    """A frame over the frames of the clip: track (4, 4) of it in a link, or in the world where there is
    none.
    """

    link: ChainLink | None
    frame: ClipTrack


def anchor_json(anchor: Anchor, arrays: ArrayWriter) -> dict[str, Any]:
    """An anchor as JSON; its track goes to `arrays`."""
    link = None if anchor.link is None else anchor.link._asdict()
    return {"link": link, "frame": arrays.put(anchor.frame.rows)}


def anchor_of(plain: JsonFields, name: str, arrays: ArrayReader, frames: int) -> Anchor:
    """Reads an anchor from what `anchor_json` has written in a field `name`."""
    stored, link = plain.child(name), None
    if stored.is_given("link"):
        stored_link = stored.child("link")
        link = ChainLink(stored_link.get("chain", str), stored_link.whole("joint", BASE, MOST_JOINTS))
    return Anchor(link, arrays.track(stored, "frame", (4, 4), frames))
