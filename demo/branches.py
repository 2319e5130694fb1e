"""Which links of an imported robot look about: the branch of its tree that the demo makes a chain of. Knows
no Blender.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

HEAD = re.compile(r"(.*[:/.])?head([_ ]?link)?", re.IGNORECASE)  # what a robot that has a head calls it
PARALLEL = 0.99  # cosine: two axes nearer than this (8 degrees) turn the look one way
NAMED = 12  # candidates in a message: more make no message clearer


class BranchError(Exception):
    """The robot has no such branch; the message says what mends it."""


@dataclass(frozen=True)
class Link:
    """A link, and how it moves against the one on which it hangs."""

    name: str
    parent: str | None
    moves: bool = False  # a motor of its own turns or slides it
    axis: tuple[float, float, float] | None = (
        None  # unit, at rest, in the root's frame; None: it does not turn
    )


def is_head(name: str) -> bool:
    """Whether a link is called head: it looks the way its face does, not along its bone."""
    return HEAD.fullmatch(name) is not None


def branch(links: Sequence[Link], end: str = "") -> list[str]:
    """Names from the first link that a motor moves to the end.

    Args:
        links: Of the robot, parents before children.
        end: The link that is to look; "": the one called head, else the one that most motors move.

    Raises:
        BranchError: no link can look about, or `end` is none that can; the message lists those that can.
    """
    known = {link.name: link for link in links}
    ways = {link.name: _way(link.name, known) for link in links}
    able = [name for name in known if _bends(ways[name])]
    if end and end not in known:
        raise BranchError(
            f"There is no link '{end}' in this robot: END can be {_listed(able or list(known))}"
        )
    if not able:
        raise BranchError(
            "No link of this robot can look about: that takes two joints that turn about different axes, one"
            " after the other. Give another file, or another root (ROOT=link)"
        )
    if end and end not in able:
        raise BranchError(
            f"Link '{end}' cannot look about, too few joints turn it: END can be {_listed(able)}"
        )
    heads = [name for name in able if is_head(name)]
    end_link = end or (
        heads[0] if heads else max(able, key=lambda name: (_motors(ways[name]), -len(ways[name])))
    )
    names = [link.name for link in ways[end_link]]
    return names[next(k for k, link in enumerate(ways[end_link]) if link.moves) :]


def _way(name: str, known: Mapping[str, Link]) -> list[Link]:
    """The links from the root to that one."""
    way = [known[name]]
    while (parent := way[-1].parent) is not None:
        way.append(known[parent])
    return way[::-1]


def _motors(way: Sequence[Link]) -> int:
    return sum(link.moves for link in way)


def _bends(way: Sequence[Link]) -> bool:
    """Whether two of its joints turn about different axes."""
    axes = [link.axis for link in way if link.moves and link.axis is not None]
    return any(abs(_cosine(axis, other_axis)) < PARALLEL for axis in axes for other_axis in axes)


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    lengths = sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    return sum(a * b for a, b in zip(first, second, strict=True)) / lengths


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
