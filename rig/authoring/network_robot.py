"""A robot that is imported from itself: its daemon's model, with gaze, postures and servos where the gallery knows the robot."""

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
from ..blender.errors import RigError
from . import gallery_copies, gallery_folders, gallery_robot
from .robot_import import Imported, import_robot


class NetworkRobot:
    """The work of importing a robot from an address, in steps.

    Attributes:
        total, done: Number of files in all, and of those fetched.

    Args:
        address: Host and port of its daemon.

    Raises:
        RigError: it is no address.
    """

    def __init__(self, address: str) -> None:
        try:
            self.address = address_of(address).authority
        except DeviceError as error:
            raise RigError(str(error)) from error
        self._download = Download(self.address, Path(tempfile.mkdtemp(prefix="limber-robot-")))

    @property
    def total(self) -> int:
        return self._download.total

    @property
    def done(self) -> int:
        return self._download.done

    @property
    def name(self) -> str:
        """File that is being fetched."""
        return self._download.name

    def run(self, seconds: float) -> bool:
        """Waits for `seconds`; returns whether there is more to fetch. Raises RigError."""
        try:
            return not self._download.wait(seconds)
        except DownloadError as error:
            raise RigError(str(error)) from error

    def cancel(self) -> None:
        """Ends the fetching, and removes what was fetched."""
        self._download.cancel()

    def add(self, context) -> Imported:
        """Adds the robot, active and alone selected, with its device. Where it raises, nothing has changed in the scene.

        Raises:
            UrdfError: its model cannot be used.
            RigError: the user's folder cannot be written.
        """
        known = [read_description(entry.folder) for entry in gallery_folders.listed()]
        robot = next((robot for robot in known if robot.protocol == PROTOCOL and self._is_of(robot)), None)
        if robot is None:
            came = import_robot(context, self._download.model)
        else:
            gallery_copies.Work(gallery_copies.installing(self._download.model)).run(inf)
            came = gallery_robot.add(context, robot, gallery_folders.full_model(robot))
        device = came.rig.limber.device
        device.protocol, device.port = PROTOCOL, self.address
        return came

    def _is_of(self, robot) -> bool:
        try:
            return robot.name in find(self._download.model, [robot])
        except UrdfError:
            return False
