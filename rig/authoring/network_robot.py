"""Import of a robot from its own daemon over the network, with gaze, postures and servos if the gallery has
the robot.
"""

import tempfile
from collections.abc import Generator
from functools import partial
from pathlib import Path

import bpy

from ...hardware.address import address_of
from ...hardware.errors import DeviceError
from ...hardware.protocols.reachy_mini.capabilities import PROTOCOL
from ...robots.download import Download, DownloadError
from ...robots.errors import UrdfError
from ...robots.gallery.description import Description, read_description
from ...robots.gallery.full_model import Progress, finding
from ...robots.robot_files import read_files
from ..blender import online
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.file_reading import in_steps
from . import gallery_folders, gallery_robot
from .robot_import import ImportedRobot, importing
from .work import SlicedWork

WAIT = 0.02  # [s] longest time for which a step waits for the download


class NetworkRobot(SlicedWork[ImportedRobot]):
    """Import of a robot with its device from a network address, in steps. At the end the robot is active and
    selected; if the import fails or is cancelled, the scene is unchanged.

    Args:
        context: Blender's context, in Object Mode.
        address: Host and port of the robot's daemon.
        is_watched: Whether a user waits at a window, as for `FileReading`.

    Raises:
        RigError: the text is no address, or the address is another computer's while Blender may not go
            online; raised by steps if the download fails, or the user's folder cannot be written.
        UrdfError: raised by steps if the downloaded model cannot be used.
    """

    def __init__(self, context: bpy.types.Context, address: str, is_watched: bool) -> None:
        try:
            daemon = address_of(address)
        except DeviceError as error:
            raise RigError(str(error)) from error
        online.require(daemon)
        self._is_watched = is_watched
        self._download = Download(daemon.authority, Path(tempfile.mkdtemp(prefix="limber-robot-")))
        super().__init__(self._importing(context, daemon.authority))

    def cancel(self) -> None:
        """Cancels download and import, and removes the files."""
        super().cancel()
        self._download.cancel()

    def _importing(
        self, context: bpy.types.Context, address: str
    ) -> Generator[Progress, None, ImportedRobot]:
        yield from self._downloading()
        model = self._download.model
        robot = yield from self._known()
        if robot is None:
            files = yield from in_steps(
                self._is_watched,
                Progress(0.0, f"Reading {model.name}"),
                read_files,
                str(model),
                "",
                True,
                "AUTO",
                None,
            )
            imported = yield from importing(context, files, True, "AUTO", True)
        else:
            yield Progress(0.0, f"Keeping the model of {robot.name}")
            gallery_folders.keep_download(robot, model.parent)
            files = yield from gallery_robot.reading(robot, self._is_watched)
            imported = yield from gallery_robot.adding(context, robot, files)
        device = imported.rig.limber.device
        device.protocol, device.port = PROTOCOL, address
        return imported

    def _downloading(self) -> Generator[Progress, None, None]:
        load = self._download
        try:
            while not load.wait(WAIT):
                yield Progress(
                    load.done / load.total,
                    f"Fetching {load.name}, {load.done} of {counted(load.total, 'file')}",
                )
        except DownloadError as error:
            raise RigError(str(error)) from error

    def _known(self) -> Generator[Progress, None, Description | None]:
        """Generator of steps that returns the gallery's description of the downloaded robot; None if the
        gallery has none.
        """
        robots = [read_description(entry.folder) for entry in gallery_folders.listed()]
        robots = [robot for robot in robots if robot.protocol == PROTOCOL]
        try:
            models = yield from finding(self._download.model, robots, partial(in_steps, self._is_watched))
        except UrdfError:
            return None
        return next(robot for robot in robots if robot.name in models)
