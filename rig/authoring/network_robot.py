"""Import of a robot from its own daemon over the network, with gaze, postures and servos if the gallery has the robot."""

import tempfile
from math import inf
from pathlib import Path

from ...hardware.address import address_of
from ...hardware.errors import DeviceError
from ...hardware.protocols.reachy_mini.capabilities import PROTOCOL
from ...robots.download import Download, DownloadError
from ...robots.errors import UrdfError
from ...robots.gallery.description import read_description
from ...robots.gallery.full_model import find
from ...robots.robot_files import read_files
from ..blender import online
from ..blender.errors import RigError
from . import gallery_copies, gallery_folders, gallery_robot
from .robot_import import Imported, import_robot


class NetworkRobot:
    """Import of a robot from a network address, in steps.

    Attributes:
        total, done: Number of all files, and of downloaded files.

    Args:
        address: Host and port of the robot's daemon.

    Raises:
        RigError: the text is no address, or that of another computer while Blender may not go online.
    """

    def __init__(self, address: str) -> None:
        try:
            daemon = address_of(address)
        except DeviceError as error:
            raise RigError(str(error)) from error
        online.require(daemon)
        self.address = daemon.authority
        self._download = Download(self.address, Path(tempfile.mkdtemp(prefix="limber-robot-")))

    @property
    def total(self) -> int:
        return self._download.total

    @property
    def done(self) -> int:
        return self._download.done

    @property
    def name(self) -> str:
        """Name of the file that is being downloaded."""
        return self._download.name

    def run(self, seconds: float) -> bool:
        """Waits for `seconds`; returns whether files remain to be downloaded. Raises RigError."""
        try:
            return not self._download.wait(seconds)
        except DownloadError as error:
            raise RigError(str(error)) from error

    def cancel(self) -> None:
        """Cancels the download, and removes the files."""
        self._download.cancel()

    def add(self, context) -> Imported:
        """Adds the robot with its device to the scene, active and selected. If it raises an error, nothing has changed.

        Raises:
            UrdfError: the downloaded model cannot be used.
            RigError: the user's folder cannot be written.
        """
        known = [read_description(entry.folder) for entry in gallery_folders.listed()]
        robot = next((robot for robot in known if robot.protocol == PROTOCOL and self._is_of(robot)), None)
        if robot is None:
            came = import_robot(context, self._download.model)
        else:
            gallery_copies.Work(gallery_copies.installing(self._download.model)).run(inf)
            model = gallery_folders.full_model(robot) or robot.model
            came = gallery_robot.add(context, robot, read_files(str(model), robot.root, True, "AUTO", None))
        device = came.rig.limber.device
        device.protocol, device.port = PROTOCOL, self.address
        return came

    def _is_of(self, robot) -> bool:
        try:
            return robot.name in find(self._download.model, [robot])
        except UrdfError:
            return False
