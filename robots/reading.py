"""Reads robot files of any supported format as checked robot models; errors name file, line and element."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from ..files.content import LARGE
from . import urdf
from .attributes import AttributeReader
from .errors import MalformedError
from .mjcf import bodies as mjcf
from .model import Robot
from .stray_xacro import strays_blamed, tell_strays
from .xml_tree import Element, read_xml

LARGEST = 500_000_000  # [bytes] largest size of a file that the user has allowed to be large
SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf")  # suffixes of robot files


class Reader(Protocol):
    """Reader of one format: from the root element to the model."""

    def __call__(
        self, reader: AttributeReader, root: Element, for_mechanism: bool, remade: Collection[str]
    ) -> Robot: ...


# tag of the root element -> reader: the content of a file decides, not its name
READERS: dict[str, Reader] = {"robot": urdf.robot_of, "mujoco": mjcf.robot_of}


def read(
    path: str | os.PathLike[str],
    for_mechanism: bool = False,
    remade: Collection[str] = (),
    arguments: Mapping[str, str] | None = None,
    allow_large: bool = False,
) -> Robot:
    """Robot model of a URDF, xacro or MJCF file.

    Args:
        path: Path of the file.
        for_mechanism: Skip visuals. In a URDF also leave out a mass with an invalid number, with a warning,
            since a mechanism needs no masses; otherwise it is an error.
        remade: Names of joints that closures.py changes to another type, so that their axes, limits and
            leaders are not used.
        arguments: Texts for the arguments of a xacro file, by name.
        allow_large: Whether the file may be larger than 50 MB (up to 500 MB).

    Raises:
        LargeRobotError: the file is larger.
        UrdfError: the file cannot be used; the message names file, line, element and remedy.
    """
    root = read_xml(Path(path), LARGEST if allow_large else LARGE)
    reader = AttributeReader(str(Path(path)))
    if root.tag not in READERS:
        raise reader.error(
            MalformedError,
            root,
            "this is no robot file: its root element must be <robot> (URDF, xacro) or <mujoco> (MJCF)",
        )
    if root.tag != "robot":
        return READERS[root.tag](reader, root, for_mechanism, remade)
    # imported here, since ruamel.yaml must not delay enabling the extension
    from .xacro.expanding import expand, is_xacro

    with strays_blamed(reader, root):
        root = expand(reader, root, arguments or {}) if is_xacro(root) else root
        tell_strays(reader, root)
        return READERS[root.tag](reader, root, for_mechanism, remade)
