"""Reads a character file from the bytes of its members."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...files.json_fields import JsonFields
from ...files.plain import json_of, longest_part
from ...motion import FILTERS, NO_FILTER
from ...solvers.table import SOLVERS, unavailable
from ..behaviour.data import Behaviour
from ..chain.hanging import BASE
from ..chain.settings import BASES, ChainSettings
from ..filtered_value import ValueFilter
from . import archive
from .anchors import Anchor, anchor_of
from .behaviours import behaviour_of
from .bodies import body_of
from .contents import (
    ChainEntry,
    CharacterFile,
    FollowingEnd,
    Rate,
    SelfTest,
    TargetEntry,
    ValueEntry,
)
from .errors import CharacterFileError
from .mechanisms import mechanism_of
from .media import sounds_of, thumbnail_of
from .models import end_of, options_of, skeleton_of, style_of
from .postures import postures_of
from .robots import RobotEntry, limits_of, robot_of
from .tracks import ArrayReader

CHARACTER, ARRAYS = "character.json", "arrays.f64"  # names of members
# limits beyond which a file is refused
MOST_JSON = 4_000_000  # [bytes] largest size of the JSON member
# largest number of items of a list or fields of an object, so that comparing all pairs takes less than a
# second
MOST_ITEMS = 1000
MOST_FRAMES = 1_000_000  # largest number of frames of the clip
FASTEST = 10_000.0  # largest fps [frames/s], and largest fps_base
SLOWEST = 1e-3  # smallest fps [frames/s], and smallest fps_base
MOST_ROBOTS = 8  # largest number of robots; each has a separate process
MOST_FRAME = 10_000_000  # largest magnitude of a frame number
MOST_CHAINS = 100  # largest number of chains


def read(path: Path) -> CharacterFile:
    """The character in a file.

    Raises:
        CharacterFileError: the file is no character file, is damaged, or is of a newer major version.
        OSError: the file cannot be read, or is larger than 50 MB.
    """
    return character_of(archive.read(path), path.name)


def character_of(members: dict[str, bytes], name: str) -> CharacterFile:
    """The character in a file's members.

    Args:
        members: The bytes of the members, by their names.
        name: Name of the file, for messages.

    Raises:
        CharacterFileError: a member is missing, or its content is not that of a character file.
    """
    for member in (CHARACTER, ARRAYS):
        if member not in members:
            raise CharacterFileError(f"'{name}' has no member '{member}': export it again")
    plain = JsonFields(f"{name}, {CHARACTER}", _json(members[CHARACTER], name), CharacterFileError)
    arrays = ArrayReader(members[ARRAYS])
    content = _content(plain, arrays)
    _check_links(content, name)
    character = replace(
        content,
        engine=plain.get("engine", str) if plain.has("engine") else "",
        self_test=_self_test(plain, arrays, len(content.joint_names)),
        robots=_robots(plain, arrays, content),
        thumbnail=thumbnail_of(members, name),
        sounds=sounds_of(plain, members, name),
    )
    _check_names(character, name)
    return character


def _content(plain: JsonFields, arrays: ArrayReader) -> CharacterFile:
    """The character without its engine's digest, self-test, robots, picture and sounds."""
    frames = plain.whole("frames", 1, MOST_FRAMES)
    targets = tuple(
        TargetEntry(target.get("name", str), anchor_of(target, "place", arrays, frames))
        for target in plain.children("targets", "target", "name")
    )
    target_names = {target.name for target in targets}
    entries = plain.children("chains", "chain", "name")
    if len(entries) > MOST_CHAINS:
        plain.wrong("chains", f"at most {MOST_CHAINS} chains")
    chains = tuple(_chain(entry, arrays, frames, target_names) for entry in entries)
    values = tuple(
        ValueEntry(
            value.get("name", str),
            arrays.track(value, "track", (), frames),
            _value_filter(value),
            value.choice("lids_of", tuple(chain.name for chain in chains))
            if value.is_given("lids_of")
            else "",
        )
        for value in plain.children("values", "value", "name")
    )
    # the writer leaves out empty lists of mechanisms and bodies
    mechanisms = tuple(
        mechanism_of(each, arrays, frames, target_names)
        for each in (plain.children("mechanisms", "mechanism", "name") if plain.has("mechanisms") else ())
    )
    bodies = tuple(
        body_of(each, arrays, frames)
        for each in (plain.children("bodies", "body", "name") if plain.has("bodies") else ())
    )
    if not chains and not mechanisms and not bodies:
        plain.wrong("chains", "a chain, a body or a mechanism")
    return CharacterFile(
        name=plain.get("name", str),
        made_by=plain.get("made_by", str),
        rate=_rate(plain),
        first_frame=plain.whole("first_frame", -MOST_FRAME, MOST_FRAME),
        frames=frames,
        chains=chains,
        targets=targets,
        values=values,
        mechanisms=mechanisms,
        bodies=bodies,
        behaviour=_behaviour(plain, arrays, chains, target_names),
        remarks=tuple(map(str, plain.get("remarks", list))),
    )


def _rate(plain: JsonFields) -> Rate:
    rate = Rate(plain.number("fps", FASTEST), plain.number("fps_base", FASTEST))
    if rate.fps < SLOWEST or rate.fps_base < SLOWEST:
        plain.wrong("fps", f"rates from {SLOWEST:g} up")
    return rate


def _check_names(character: CharacterFile, name: str) -> None:
    """Raises CharacterFileError if two entries of one kind have the same name."""
    for kind, names in (
        ("chain", [chain.name for chain in character.chains]),
        ("mechanism", [mechanism.name for mechanism in character.mechanisms]),
        ("body", [body.name for body in character.bodies]),
        ("joint", list(character.joint_names)),
        ("target", [target.name for target in character.targets]),
        ("value", [value.name for value in character.values]),
        ("robot", [robot.name for robot in character.robots]),
    ):
        twice = next((each for each, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise CharacterFileError(f"'{name}' has {kind} '{twice}' twice: export it again")


def _json(data: bytes, name: str) -> Any:
    """Value of the member with the character. Raises CharacterFileError if it is no JSON, or larger than a
    character needs.
    """
    if len(data) > MOST_JSON:
        raise CharacterFileError(f"'{name}': its member '{CHARACTER}' has more than {MOST_JSON} bytes")
    try:
        plain = json_of(data.decode("utf-8"))
    except ValueError as error:
        raise CharacterFileError(f"'{name}': its member '{CHARACTER}' is no JSON: {error}") from error
    if longest_part(plain) > MOST_ITEMS:
        raise CharacterFileError(
            f"'{name}': its member '{CHARACTER}' has a list or object with more than {MOST_ITEMS} items"
        )
    return plain


def _chain(plain: JsonFields, arrays: ArrayReader, frames: int, targets: set[str]) -> ChainEntry:
    skeleton = skeleton_of(plain.child("skeleton"))
    count = len(skeleton)
    solver = plain.choice("solver", tuple(SOLVERS))
    ends = tuple(
        FollowingEnd(end_of(end, len(skeleton.ends)), _targets(end, targets))
        for end in plain.children("ends", "end")
    )
    # attention, look and eyes act on the first goal, which must be that of the chain's own end
    if not ends or ends[0].inputs.number != 0:
        plain.wrong("ends", "the goal of the chain's own end first")
    options = options_of(plain, "options", solver)
    if trouble := unavailable(solver, skeleton, {end.inputs.kind for end in ends}, options):
        plain.wrong("solver", f"one that can solve this chain: {trouble}")
    styles = tuple(map(style_of, plain.children("styles", "style")))
    if len(styles) != count:
        plain.wrong("styles", f"{count} styles, one for each joint")
    postures = postures_of(plain, arrays, count)
    transition = plain.number("transition")
    if transition < 0.0:
        plain.wrong("transition", "seconds from 0 up")
    stored = plain.child("settings")
    return ChainEntry(
        name=plain.get("name", str),
        rig=plain.get("rig", str),
        skeleton=skeleton,
        solver=solver,
        options=options,
        filter_name=plain.choice("filter", (NO_FILTER, *FILTERS)),
        styles=styles,
        transition=transition,
        ends=ends,
        postures=postures,
        base=arrays.indices(plain, "base", frames, 0, len(BASES) - 1),
        posture=arrays.indices(plain, "posture", frames, -1, len(postures) - 1),
        watch=arrays.indices(plain, "watch", frames, 0, len(ends[0].targets) - 1),
        weights=arrays.track(plain, "weights", (len(postures),), frames),
        settings={
            name: arrays.track(stored, name, (), frames)
            for name in ChainSettings().numbers
            if stored.has(name)
        },
        authored=arrays.track(plain, "authored", (count,), frames),
        base_frame=_base_frame(plain, arrays, frames),
    )


def _targets(plain: JsonFields, known: set[str]) -> tuple[str, ...]:
    names = plain.get("targets", list)
    if not names or any(not isinstance(name, str) or name not in known for name in names):
        plain.wrong("targets", "names of targets of the file")
    return tuple(names)


def _base_frame(plain: JsonFields, arrays: ArrayReader, frames: int) -> Anchor:
    """The anchor of a base frame. Raises CharacterFileError unless its matrices are invertible."""
    anchor = anchor_of(plain, "base_frame", arrays, frames)
    with np.errstate(over="ignore", invalid="ignore"):
        is_singular = not (np.abs(np.linalg.det(anchor.frame.rows[:, :3, :3])) > 0.0).all()
    if is_singular:
        plain.wrong("base_frame", "frames that are not scaled to nothing")
    return anchor


def _check_links(character: CharacterFile, name: str) -> None:
    """Raises CharacterFileError if a chain, mechanism or target is anchored to a joint that does not exist,
    or a chain to one of a chain that does not come before it.
    """
    joints: dict[str, int] = {}
    for chain in character.chains:
        _check_link(chain.base_frame, joints, f"'{name}': chain '{chain.name}'")
        joints[chain.name] = len(chain.skeleton)
    for mechanism in character.mechanisms:
        for mounted in (mechanism.base_frame, *(each for _, each in mechanism.driven)):
            _check_link(mounted.anchor, joints, f"'{name}': mechanism '{mechanism.name}'")
    for target in character.targets:
        _check_link(target.anchor, joints, f"'{name}': target '{target.name}'")


def _check_link(anchor: Anchor, joints: dict[str, int], what: str) -> None:
    """Raises CharacterFileError if an anchor is on a joint that is not among `joints`, the number of joints
    by chain.
    """
    link = anchor.link
    if link is not None and link.joint >= joints.get(link.chain, BASE):
        raise CharacterFileError(
            f"{what} hangs on joint {link.joint} of chain '{link.chain}', which is not there or not before"
            " it: export it again"
        )


def _behaviour(
    plain: JsonFields, arrays: ArrayReader, chains: tuple[ChainEntry, ...], targets: set[str]
) -> Behaviour | None:
    if not plain.is_given("behaviour"):
        return None
    counts = {chain.name: len(chain.skeleton) for chain in chains}
    behaviour = behaviour_of(plain.child("behaviour"), arrays, counts)
    for state in behaviour.states:
        for role in (state.everyone, *(role for _, role in state.roles)):
            if role.target is not None and role.target not in targets:
                plain.child("behaviour").wrong("states", f"targets of the file, and no '{role.target}'")
    return behaviour


def _value_filter(plain: JsonFields) -> ValueFilter | None:
    if not plain.is_given("filter"):
        return None
    stored = plain.child("filter")
    return ValueFilter(
        stored.choice("name", tuple(FILTERS)), limits_of(stored), style_of(stored.child("style"))
    )


def _robots(plain: JsonFields, arrays: ArrayReader, character: CharacterFile) -> tuple[RobotEntry, ...]:
    if not plain.has("robots"):
        return ()
    if len(plain.get("robots", list)) > MOST_ROBOTS:
        plain.wrong("robots", f"at most {MOST_ROBOTS} robots")
    joints = frozenset(character.joint_names)
    values = frozenset(value.name for value in character.values)
    return tuple(
        robot_of(robot, arrays, character.frames, joints, values)
        for robot in plain.children("robots", "robot", "name")
    )


def _self_test(plain: JsonFields, arrays: ArrayReader, count: int) -> SelfTest | None:
    if not plain.is_given("self_test"):
        return None
    stored = plain.child("self_test")
    commanded = arrays.get(stored, "commanded", (-1, count))
    return SelfTest(commanded, arrays.get(stored, "desired", (len(commanded), count)))
