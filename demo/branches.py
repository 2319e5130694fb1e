"""Chooses the links of an imported robot that look: the branch of its tree from which the demo makes a chain.
Knows no Blender.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

HEAD = re.compile(r"(.*[:/.])?head([_ ]?link)?", re.IGNORECASE)  # names that robots give to a head link
# cosine of the angle (8 degrees) between two axes below which both rotate the look in the same plane
PARALLEL = 0.99
NAMED = 12  # largest number of candidates that a message lists


class BranchError(Exception):
    """The robot has no such branch; the message says why, and what to do."""


@dataclass(frozen=True)
class Link:
    """A link, and its motion relative to its parent link."""

    name: str
    parent: str | None
    moves: bool = False  # whether a motor rotates or displaces it
    # unit vector of its axis at rest, in the root's frame; None: it does not rotate
    axis: tuple[float, float, float] | None = None


def is_head(name: str) -> bool:
    """Whether a link is named as a head: such a link looks where its face points, not along its bone."""
    return HEAD.fullmatch(name) is not None


def branch(links: Sequence[Link], end: str = "") -> list[str]:
    """Names of the links from the first one that a motor moves to the end.

    Args:
        links: The robot's links, parents before children.
        end: The link that looks; "": the one named as a head, else the one that most motors move.

    Raises:
        BranchError: no link can look around, or `end` cannot; the message lists the links that can.
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
    """The links from the root to the link `name`."""
    way = [known[name]]
    while (parent := way[-1].parent) is not None:
        way.append(known[parent])
    return way[::-1]


def _motors(way: Sequence[Link]) -> int:
    return sum(link.moves for link in way)


def _bends(way: Sequence[Link]) -> bool:
    """Whether two joints of these links rotate about different axes."""
    axes = [link.axis for link in way if link.moves and link.axis is not None]
    return any(abs(_cosine(axis, other_axis)) < PARALLEL for axis in axes for other_axis in axes)


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    lengths = sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    return sum(a * b for a, b in zip(first, second, strict=True)) / lengths


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
