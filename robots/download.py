"""Downloads a robot's model (URDF and meshes) from its daemon on a network.

Reachy Mini's daemon gives its URDF as JSON at /api/kinematics/urdf, and each mesh at
/api/kinematics/stl/NAME.
"""

import re
import shutil
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from ..files import atomic
from ..files.plain import is_text, json_of
from .errors import UrdfError
from .xml_tree import Element, parse

URDF, MESH = "/api/kinematics/urdf", "/api/kinematics/stl/"
MODEL = "robot.urdf"  # name of the written file
TIMEOUT = 8.0  # [s] timeout for a connection, and between two pieces of an answer
LARGEST = 20_000_000  # [bytes] largest answer; all of Reachy Mini's meshes together have 10 million
MOST_MESHES = 300  # largest number of meshes; Reachy Mini has 41
# a mesh's file name that is a path below the model's folder
PLAIN = re.compile(r"(?:package://)?((?:\w[\w.-]*/)*\w[\w.-]*\.stl)", re.ASCII | re.IGNORECASE)


class DownloadError(Exception):
    """The model cannot be downloaded; the message says why, with the address or the folder."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects to the same host and port only, since the user chose this address; others raise
    DownloadError.
    """

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        redirected = urlsplit(newurl)
        if (redirected.scheme, redirected.netloc) != ("http", req.host):
            raise DownloadError(
                f"The robot on {req.host} sends Limber on to {redirected.scheme}://{redirected.netloc}, which"
                " Limber does not follow"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Download:
    """Download of a model into a folder, in a separate thread that starts at once.

    Args:
        address: HOST:PORT of the daemon.
        folder: An empty folder.

    Attributes:
        total, done: Number of all files (1 until it is known), and of downloaded ones.
        name: File that is being downloaded.
        error: Error of the download; None without error.
    """

    def __init__(self, address: str, folder: Path) -> None:
        self.total, self.done, self.name = 1, 0, MODEL
        self.error: DownloadError | None = None
        self._url, self._address, self._folder = f"http://{address}", address, folder
        self._is_cancelled = threading.Event()
        without_proxy = urllib.request.ProxyHandler({})  # the robot is in the local network
        self._open = urllib.request.build_opener(without_proxy, _SameHost()).open
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def model(self) -> Path:
        """Path of the downloaded model file."""
        return self._folder / MODEL

    def wait(self, seconds: float) -> bool:
        """Waits for at most `seconds`; returns whether the download has ended. Raises DownloadError if it has
        failed.
        """
        self._thread.join(seconds)
        if self._thread.is_alive():
            return False
        if self.error is not None:
            raise self.error
        return True

    def cancel(self) -> None:
        """Cancels the download after the current file, and removes the folder."""
        self._is_cancelled.set()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self) -> None:
        """Fetches the model; stores an error, and removes the folder if the download was cancelled."""
        try:
            self._fetch()
        except DownloadError as error:
            self.error = error
        except OSError as error:
            if not self._is_cancelled.is_set():
                self.error = DownloadError(
                    f"The model cannot be written to {self._folder} ({error}): check space and access rights"
                )

        if self._is_cancelled.is_set():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _fetch(self) -> None:
        """Writes the meshes of the URDF to the folder, then the URDF, unless the download is cancelled.
        Raises DownloadError or OSError.
        """
        text = self._urdf()
        paths: dict[str, str] = {}
        for reference in dict.fromkeys(_mesh_names(self._root(text))):
            match = PLAIN.fullmatch(reference)
            if match is None or len(paths) >= MOST_MESHES:
                raise DownloadError(
                    f"The model of the robot on {self._address} names a mesh '{reference[:80]}' that Limber"
                    " does not fetch"
                )
            paths[match[1]] = match[1].rpartition("/")[2]
        self.total = 1 + len(paths)
        self.done = 1
        for path, name in paths.items():
            if self._is_cancelled.is_set():
                return
            self.name = name
            data = self._get(MESH + name)
            destination = self._folder / path
            destination.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(destination, data)
            self.done += 1
        atomic.write(self.model, text.encode())

    def _urdf(self) -> str:
        """Text of the robot's URDF. Raises DownloadError."""
        try:
            text = json_of(self._get(URDF).decode())["urdf"]
        except (ValueError, KeyError, TypeError) as error:
            raise DownloadError(
                f"What is on {self._address} gives no model of a robot: check the address of the robot's"
                " daemon"
            ) from error
        if not isinstance(text, str) or not is_text(text) or "<robot" not in text:
            raise DownloadError(
                f"What is on {self._address} gives no URDF: check the address of the robot's daemon"
            )
        return text

    def _root(self, text: str) -> Element:
        """Root element of a URDF. Raises DownloadError for other robot files and for xacro, which may name
        further files.
        """
        # imported here, since ruamel.yaml must not delay enabling the extension
        from .xacro.expanding import is_xacro

        try:
            root = parse(text.encode(), self.model)
        except UrdfError as error:
            raise DownloadError(
                f"What is on {self._address} gives no URDF that can be read ({error.what})"
            ) from error
        if root.tag != "robot" or is_xacro(root):
            raise DownloadError(
                f"What is on {self._address} gives no plain URDF: check the address of the robot's daemon"
            )
        return root

    def _get(self, path: str) -> bytes:
        """Content at a path of the robot's address. Raises DownloadError."""
        try:
            with self._open(self._url + path, timeout=TIMEOUT) as answer:
                data: bytes = answer.read(LARGEST + 1)
        except urllib.error.HTTPError as error:
            raise DownloadError(
                f"The robot on {self._address} does not give {path.rpartition('/')[2]} ({error}): update its"
                " software, or check the address"
            ) from error
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise DownloadError(
                f"The robot on {self._address} does not answer ({reason}): switch it on, wait until its"
                " daemon has started, check the network and the address"
            ) from error
        if len(data) > LARGEST:
            raise DownloadError(
                f"{path.rpartition('/')[2]} of the robot on {self._address} is larger than"
                f" {LARGEST // 1_000_000} MB"
            )
        return data


def _mesh_names(root: Element) -> list[str]:
    """File names of all meshes below an element."""
    return [
        element.attributes["filename"]
        for element in root.below()
        if element.tag == "mesh" and "filename" in element.attributes
    ]
