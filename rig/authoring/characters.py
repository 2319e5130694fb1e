"""Characters of motion by name: the filter and how much of the joints' limits it may use. Built in, or kept as small files to share."""

import json
from pathlib import Path
from typing import NamedTuple

from ...files import atomic
from ...files.plain import json_of, number_of, shown
from ...motion import FILTERS
from ..blender.errors import RigError
from ..blender.user_folder import user_folder

FORMAT, VERSION = "limber-character", 1  # of the files
SUFFIX = ".limber-character.json"
FOLDER = "characters"


class Manner(NamedTuple):
    """How a motion is shaped: names as on chains (`LimberCharacter`)."""

    filter: str = "default"
    sigma: float = 0.0
    rho: float = 0.0
    velocity_share: float = 1.0
    acceleration_share: float = 1.0
    jerk_share: float = 1.0


BOUNDS = {  # of the numbers: from, to
    "sigma": (0.0, 1.0),
    "rho": (0.0, 0.99),
    "velocity_share": (0.01, 1.0),
    "acceleration_share": (0.01, 1.0),
    "jerk_share": (0.01, 1.0),
}

BUILT_IN: dict[str, tuple[str, Manner]] = {  # what it feels like, and how it is made
    "Light": ("Quick to start, softly stopped", Manner("default", 0.2, 0.5, 1.0, 0.8, 0.6)),
    "Heavy": ("Has weight: slow to start and slow to stop", Manner("default", 0.6, 0.0, 0.6, 0.3, 0.2)),
    "Nervous": ("All that the limits allow, at once", Manner()),
    "Sleepy": ("Drowsy: a quarter of the speed, without any haste", Manner("default", 0.9, 0.0, 0.25, 0.15, 0.1)),
}


def of(kept) -> Manner:
    """A chain's own."""
    return Manner(*(getattr(kept, name) for name in Manner._fields))


def use(kept, manner: Manner) -> None:
    """Gives it to a chain."""
    for name, value in manner._asdict().items():
        setattr(kept, name, value)


def name_of(kept) -> str:
    """The built-in character that a chain has now, or ""."""
    now = of(kept)
    return next((name for name, (_, manner) in BUILT_IN.items() if _is_same(now, manner)), "")


def _is_same(one: Manner, other: Manner) -> bool:
    return one.filter == other.filter and all(abs(a - b) < 1e-6 for a, b in zip(one[1:], other[1:], strict=True))


def folder() -> Path | None:
    """Where a user's own characters are kept; None: it cannot be made."""
    return user_folder(FOLDER)


def own() -> dict[str, Path]:
    """A user's own characters, by name."""
    place = folder()
    return {path.name.removesuffix(SUFFIX): path for path in sorted(place.glob(f"*{SUFFIX}"))} if place else {}


def save(path: Path, manner: Manner) -> None:
    """Writes a character to a file.

    Raises:
        RigError: it cannot be written.
    """
    content = {"format": FORMAT, "version": VERSION, **manner._asdict()}
    content |= {name: round(content[name], 6) for name in BOUNDS}  # Blender keeps single precision
    try:
        atomic.write_text(path, json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise RigError(f"{path} cannot be written: choose another place ({error.strerror})") from error


def load(path: Path) -> Manner:
    """Reads a character from a file. Nothing in it is run.

    Raises:
        RigError: it is no such file, or a setting is none that can be; names the setting, what was found and what can be.
    """
    try:
        content = json_of(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"{path} cannot be read: choose another file ({error.strerror})") from error
    except ValueError as error:
        raise RigError(f"{path.name} is no character of Limber: choose a file that Save Character has written") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RigError(f"{path.name} is no character of Limber: choose a file that Save Character has written")
    if content.get("version") != VERSION:
        raise RigError(f"{path.name} is of version {shown(content.get('version'))}, {VERSION} was expected: update Limber")
    if not isinstance(content.get("filter"), str) or content["filter"] not in FILTERS:
        raise RigError(f"{path.name}: filter {shown(content.get('filter'))} is not known: {' or '.join(FILTERS)} was expected")
    for name, (low, high) in BOUNDS.items():
        value = number_of(content.get(name))
        if value is None or not low <= value <= high:
            raise RigError(f"{path.name}: {name} is {shown(content.get(name))}: a number from {low:g} to {high:g} was expected")
    return Manner(content["filter"], *(float(content[name]) for name in BOUNDS))
