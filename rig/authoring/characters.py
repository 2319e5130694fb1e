"""Motion characters by name: a filter, and its share of the joints' limits. Built in, or stored in files that
can be shared.
"""

import json
from pathlib import Path
from typing import NamedTuple

from ...files import atomic
from ...files.content import SMALL, text
from ...files.plain import json_of, number_of, shown
from ...motion import FILTERS, NO_FILTER
from ..blender.errors import RigError
from ..blender.user_folder import user_folder
from ..live import motion_filter

FORMAT, VERSION = "limber-character", 1  # in the header of each file
SUFFIX = ".limber-character.json"
FOLDER = "characters"


class MotionCharacter(NamedTuple):
    """Settings of a motion character, with the property names of `LimberCharacter`."""

    filter: str = "default"
    sigma: float = 0.0
    rho: float = 0.0
    velocity_share: float = 1.0
    acceleration_share: float = 1.0
    jerk_share: float = 1.0
    beta: float = 1.0


BOUNDS = {  # smallest and largest value of each number
    "sigma": (0.0, 1.0),
    "rho": (0.0, 0.99),
    "velocity_share": (0.01, 1.0),
    "acceleration_share": (0.01, 1.0),
    "jerk_share": (0.01, 1.0),
    "beta": (0.1, 100.0),
}

BUILT_IN: dict[str, tuple[str, MotionCharacter]] = {  # by name: description, settings
    "Light": ("Quick to start, softly stopped", MotionCharacter("default", 0.2, 0.5, 1.0, 0.8, 0.6)),
    "Heavy": (
        "Has weight: slow to start and slow to stop",
        MotionCharacter("default", 0.6, 0.0, 0.6, 0.3, 0.2),
    ),
    "Nervous": ("All that the limits allow, at once", MotionCharacter()),
    "Sleepy": (
        "Drowsy: a quarter of the speed, without any haste",
        MotionCharacter("default", 0.9, 0.0, 0.25, 0.15, 0.1),
    ),
}


def of(settings) -> MotionCharacter:
    """Current motion character of a chain or a mechanism, with the filter that is on; without one, that
    filter is `NO_FILTER`.
    """
    stored = MotionCharacter(*(getattr(settings, name) for name in MotionCharacter._fields))
    return stored._replace(filter=motion_filter.in_use(settings.id_data, settings))


def use(settings, character: MotionCharacter) -> None:
    """Sets the motion character of a chain or a mechanism."""
    for name, value in character._asdict().items():
        setattr(settings, name, value)


def name_of(settings) -> str:
    """Name of the built-in character with these settings; "": no built-in one has them."""
    current = of(settings)
    return next((name for name, (_, character) in BUILT_IN.items() if _is_same(current, character)), "")


def _is_same(character: MotionCharacter, other: MotionCharacter) -> bool:
    return character.filter == other.filter and all(
        abs(a - b) < 1e-6 for a, b in zip(character[1:], other[1:], strict=True)
    )


def folder() -> Path | None:
    """Folder of the user's own characters; None if it cannot be created."""
    return user_folder(FOLDER)


def own() -> dict[str, Path]:
    """Files of the user's own motion characters, by the characters' names."""
    path_to_own = folder()
    return (
        {path.name.removesuffix(SUFFIX): path for path in sorted(path_to_own.glob(f"*{SUFFIX}"))}
        if path_to_own
        else {}
    )


def save(path: Path, character: MotionCharacter) -> None:
    """Writes a character to a file.

    Raises:
        RigError: the file cannot be written, or no filter is on.
    """
    if character.filter == NO_FILTER:
        raise RigError(
            "There is no motion to save, since no filter is on: choose a Filter under Motion first"
        )
    content = {"format": FORMAT, "version": VERSION, **character._asdict()}
    content |= {name: round(content[name], 6) for name in BOUNDS}  # Blender stores single precision
    try:
        atomic.write_text(path, json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise RigError(f"{path} cannot be written: choose another folder ({error.strerror})") from error


def load(path: Path) -> MotionCharacter:
    """Reads a character from a file. Nothing in the file is executed.

    Raises:
        RigError: the file is no character, or a setting is out of range; the message names the setting, the
            value found and the values allowed.
    """
    try:
        content = json_of(text(path, SMALL))
    except OSError as error:
        raise RigError(f"{path} cannot be read: choose another file ({error.strerror})") from error
    except ValueError as error:
        raise RigError(
            f"{path.name} is no motion character of Limber: choose a file that Save Character has written"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RigError(
            f"{path.name} is no motion character of Limber: choose a file that Save Character has written"
        )
    if content.get("version") != VERSION:
        raise RigError(
            f"{path.name} is of version {shown(content.get('version'))}, {VERSION} was expected: update"
            " Limber"
        )
    if not isinstance(content.get("filter"), str) or content["filter"] not in FILTERS:
        raise RigError(
            f"{path.name}: filter {shown(content.get('filter'))} is not known: {' or '.join(FILTERS)} was"
            " expected"
        )
    content = {"beta": 1.0, **content}  # files of older versions have no beta
    for name, (low, high) in BOUNDS.items():
        value = number_of(content.get(name))
        if value is None or not low <= value <= high:
            raise RigError(
                f"{path.name}: {name} is {shown(content.get(name))}: a number from {low:g} to {high:g} was"
                " expected"
            )
    return MotionCharacter(content["filter"], *(float(content[name]) for name in BOUNDS))
