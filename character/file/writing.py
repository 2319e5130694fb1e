"""Writes a character's content to the members of a file."""

import json
from math import ceil
from pathlib import Path
from typing import Any

from ...files.plain import longest_part
from . import archive
from .anchors import anchor_json
from .behaviours import behaviour_json
from .bodies import body_json
from .contents import ChainEntry, CharacterFile, ValueEntry
from .errors import CharacterFileError
from .mechanisms import mechanism_json
from .media import media_members, sounds_json
from .models import end_json, options_json, skeleton_json, style_json
from .postures import postures_json
from .reading import ARRAYS, CHARACTER, MOST_ITEMS, MOST_JSON
from .robots import limits_json, robot_json
from .tracks import ArrayWriter


def write(path: Path, character: CharacterFile) -> None:
    """Writes a character to a file, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        CharacterFileError: the character is too large for players.
    """
    archive.write(path, members_of(character))


def members_of(character: CharacterFile) -> dict[str, bytes]:
    """The members of a character's file, by their names. Raises CharacterFileError as `write`."""
    arrays = ArrayWriter()
    plain: dict[str, Any] = {
        "name": character.name,
        "made_by": character.made_by,
        "engine": character.engine,
        "fps": character.rate.fps,
        "fps_base": character.rate.fps_base,
        "first_frame": character.first_frame,
        "frames": character.frames,
        "chains": [_chain(chain, arrays) for chain in character.chains],
        "targets": [
            {"name": target.name, "place": anchor_json(target.anchor, arrays)} for target in character.targets
        ],
        "values": [_value(value, arrays) for value in character.values],
        "remarks": list(character.remarks),
    }
    if character.mechanisms:
        plain["mechanisms"] = [mechanism_json(each, arrays) for each in character.mechanisms]
    if character.bodies:
        plain["bodies"] = [body_json(each, arrays) for each in character.bodies]
    if character.robots:
        plain["robots"] = [robot_json(robot, arrays) for robot in character.robots]
    if character.behaviour is not None:
        plain["behaviour"] = behaviour_json(character.behaviour, arrays)
    if character.self_test is not None:
        plain["self_test"] = {
            name: arrays.put(array) for name, array in character.self_test._asdict().items()
        }
    if character.sounds:
        plain["sounds"] = sounds_json(character.sounds)
    members = {
        CHARACTER: json.dumps(plain, indent=1, allow_nan=False).encode("utf-8"),
        ARRAYS: arrays.data,
        **media_members(character.thumbnail, character.sounds),
    }
    _check_sizes(longest_part(plain), members)
    return members


def _check_sizes(items: int, members: dict[str, bytes]) -> None:
    """Raises CharacterFileError for a file that players refuse for its size."""
    size = sum(map(len, members.values()))
    if size > archive.MOST_TOTAL:
        raise CharacterFileError(
            f"the character has {size // 1_000_000} MB, and players read"
            f" {archive.MOST_TOTAL // 1_000_000}: export fewer frames at once"
        )
    remedy = "export fewer chains, bodies, mechanisms and values at once"
    if items > MOST_ITEMS:
        raise CharacterFileError(
            f"the character has {items} parts of one kind, and players read {MOST_ITEMS}: {remedy}"
        )
    if (described := len(members[CHARACTER])) > MOST_JSON:
        raise CharacterFileError(
            f"the character's description has {ceil(described / 1e5) / 10} MB, and players read"
            f" {MOST_JSON / 1e6:g}: {remedy}"
        )


def _value(value: ValueEntry, arrays: ArrayWriter) -> dict[str, Any]:
    stored: dict[str, Any] = {"name": value.name, "track": arrays.put(value.track.rows)}
    if value.lids_of:
        stored["lids_of"] = value.lids_of
    if value.filter is not None:
        name, limits, style = value.filter
        stored["filter"] = {"name": name, **limits_json(limits), "style": style_json(style)}
    return stored


def _chain(chain: ChainEntry, arrays: ArrayWriter) -> dict[str, Any]:
    tracks = {
        name: arrays.put(getattr(chain, name).rows)
        for name in ("base", "posture", "watch", "weights", "authored")
    }
    return {
        "name": chain.name,
        "rig": chain.rig,
        "skeleton": skeleton_json(chain.skeleton),
        "solver": chain.solver,
        "options": options_json(chain.options),
        "filter": chain.filter_name,
        "styles": [style_json(style) for style in chain.styles],
        "transition": chain.transition,
        "ends": [{**end_json(end.inputs), "targets": list(end.targets)} for end in chain.ends],
        "postures": postures_json(chain.postures, arrays),
        "settings": {name: arrays.put(track.rows) for name, track in chain.settings.items()},
        "base_frame": anchor_json(chain.base_frame, arrays),
        **tracks,
    }
