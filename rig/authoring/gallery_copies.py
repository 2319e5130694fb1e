"""Copies into the user's gallery, made in steps: robots' folders, and makers' models with all meshes.

What was there stays until a copy is complete.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

from ...files.content import text as read_text
from ...files.folders import FolderWriter
from ...files.reasons import reason
from ...robots.errors import MalformedError
from ...robots.gallery.description import Description, read_description
from ...robots.gallery.full_model import FullModel, Progress, finding
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.file_reading import in_steps
from .gallery_folders import MODEL, MODELS, ROBOTS, listed, made

LARGEST = 50_000_000  # [bytes] largest folder that is copied: a description with meshes has some millions
SEARCH = 0.5  # share of an installation in which models are looked for

Result = TypeVar("Result")
Steps = Generator[Progress, None, Result]


class Work(Generic[Result]):
    """Runs a generator in time slices for an operator with progress; the generator yields its progress and
    returns the result.

    Attributes:
        total, done: 100, and the percentage done.
        says: Description of the current step, for the status bar.
        result: Result of the generator, after `run` has returned False.
    """

    total = 100

    def __init__(self, steps: Steps[Result]) -> None:
        self._steps = steps
        self.done, self.says = 0, "Beginning"
        self.result: Result | None = None

    def run(self, seconds: float) -> bool:
        """Works for about `seconds`, at least one step; returns whether there is more to do. Raises what the
        generator raises.
        """
        until = perf_counter() + seconds
        while True:
            try:
                share, self.says = next(self._steps)
            except StopIteration as ended:
                if ended.value is not None:
                    self.result = ended.value
                return False
            self.done = int(self.total * share)
            if perf_counter() >= until:
                return True

    def cancel(self) -> None:
        """Cancels the work; incomplete results are removed."""
        self._steps.close()


class Keeping(Work[FolderWriter]):
    """Work that copies a robot's folder; `commit` then puts the copy into the user's gallery.

    An error of the copy is stored in `problem` instead of being raised, since the robot can be added without
    it.

    Attributes:
        problem: Why the copy failed; "" if it did not, or is not needed.
    """

    def __init__(self, reading: Steps[None], folder: Path | None, adding: Steps[None]) -> None:
        """`reading`: reads what the robot needs before that. `folder`: the robot's folder to copy; None:
        nothing is copied. `adding`: adds the robot to the scene after that.
        """
        super().__init__(self._steps_of(reading, folder, adding))
        self.problem = ""

    def _steps_of(
        self, reading: Steps[None], folder: Path | None, adding: Steps[None]
    ) -> Steps[FolderWriter | None]:
        yield from reading
        with ExitStack() as undo:
            writer = None
            try:
                writer = yield from _copied(folder)
            except RigError as error:
                self.problem = str(error)
            if writer is not None:
                undo.callback(writer.discard)
            yield from adding
            undo.pop_all()
        return writer

    def commit(self) -> None:
        """Moves the copy into the gallery, replacing a robot with the same folder name."""
        if self.result is None:
            return
        try:
            _commit(self.result)
        except RigError as error:
            self.problem = str(error)

    def cancel(self) -> None:
        super().cancel()
        if self.result is not None:
            self.result.discard()


def _copied(folder: Path | None) -> Steps[FolderWriter | None]:
    """Copies a robot's folder to a hidden one in the user's gallery; returns its writer, whose `commit`
    replaces the robot of that name. Returns None if `folder` is None or in the gallery already.

    Raises:
        RigError: it is too large, or cannot be copied.
    """
    if folder is None or folder in [entry.folder.resolve() for entry in listed()]:
        return None
    name = folder.name.lstrip(".")  # hidden folders are no robots
    if not name:
        raise RigError(f"'{folder}' is a whole drive: put the robot into a folder of its own")
    _refuse_another(made(ROBOTS) / name, folder)
    files: list[Path] = []
    size = 0
    for directory, names, here in os.walk(folder, onerror=_refuse):
        names.sort()
        yield Progress(0.0, f"Looking in {directory}, {counted(len(files), 'file')} so far")
        for path in (Path(directory, name) for name in sorted(here)):
            if path.is_file():
                files.append(path)
                size += _size(path)
        if size > LARGEST:
            raise RigError(
                f"Folder '{folder}' has more than {LARGEST // 1_000_000} MB: leave only what the robot needs"
            )
    writer = FolderWriter(made(ROBOTS) / name)
    with ExitStack() as undo:
        undo.callback(writer.discard)
        for number, path in enumerate(files):
            yield Progress(
                number / len(files), f"Copying {path.name}, {number + 1} of {counted(len(files), 'file')}"
            )
            _copy(path, writer, path.relative_to(folder).as_posix())
        undo.pop_all()
    return writer


def _refuse_another(kept: Path, folder: Path) -> None:
    """Raises RigError where the gallery's folder of that name has another robot, which a copy of `folder`
    would replace.
    """
    try:
        there = read_description(kept).name
    except MalformedError:
        return  # there is no robot, or one that cannot be added
    if there != read_description(folder).name:
        raise RigError(
            f"Your gallery keeps '{there}' in a folder called '{kept.name}': rename '{folder}', then add it"
            " again"
        )


def installing(location: Path, is_watched: bool) -> Steps[list[str]]:
    """Installs makers' models from a file or folder, for all gallery robots that are found there; returns a
    sentence for each. A generator of steps; `is_watched`: whether a user waits at a window, as for `Reading`.

    Raises:
        UrdfError: no robot's model is there.
        RigError: a file cannot be copied.
    """
    robots = [read_description(entry.folder) for entry in listed()]
    search = finding(location, robots, partial(in_steps, is_watched))
    while True:
        try:
            step = next(search)
        except StopIteration as ended:
            full_models: dict[str, FullModel] = ended.value
            break
        yield Progress(SEARCH * step.share, step.says)
    chosen = [(robot, full_models[robot.name]) for robot in robots if robot.name in full_models]
    count = sum(len(model.meshes) for _, model in chosen)
    copied = 0
    with ExitStack() as undo:
        writers = []
        for robot, model in chosen:
            writer = FolderWriter(made(MODELS) / robot.folder.name)
            undo.callback(writer.discard)
            for path in _copying(model, writer):
                copied += 1
                yield Progress(
                    SEARCH + (1.0 - SEARCH) * copied / count,
                    f"Copying {path.name}, {copied} of {counted(count, 'mesh', 'meshes')}",
                )
            writers.append(writer)
        for writer in writers:
            _commit(writer)
    return [_installed(robot, model) for robot, model in chosen]


def _commit(writer: FolderWriter) -> None:
    try:
        writer.commit()
    except OSError as error:
        raise RigError(
            f"{writer.path} cannot be replaced ({reason(error)}): close what uses it, and check access rights"
        ) from error


def _installed(robot: Description, model: FullModel) -> str:
    return f"{robot.name}: {counted(len(model.meshes), 'mesh', 'meshes')} of {model.path.name} installed"


def _copying(model: FullModel, writer: FolderWriter) -> Generator[Path, None, None]:
    """Copies a model; yields each mesh before it is copied."""
    try:
        text = read_text(model.path)
    except (OSError, UnicodeDecodeError) as error:
        raise RigError(
            f"{model.path} cannot be read ({reason(error)}): save it as UTF-8, and check access rights"
        ) from error
    for number, (name, path) in enumerate(model.meshes.items()):
        yield path
        relative_path = f"meshes/{number:03d}{path.suffix.lower()}"
        _copy(path, writer, relative_path)
        text = text.replace(f'"{name}"', f'"{relative_path}"').replace(f"'{name}'", f"'{relative_path}'")
    _write(writer, MODEL, text.encode())


def _copy(source: Path, writer: FolderWriter, name: str) -> None:
    try:
        data = source.read_bytes()
    except OSError as error:
        raise RigError(f"{source} cannot be read ({reason(error)}): check access rights") from error
    _write(writer, name, data)


def _write(writer: FolderWriter, name: str, data: bytes) -> None:
    try:
        writer.write(name, data)
    except OSError as error:
        raise RigError(
            f"{writer.path / name} cannot be written ({reason(error)}): check space and access rights"
        ) from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise _unreadable(error) from error


def _refuse(error: OSError) -> None:
    raise _unreadable(error) from error


def _unreadable(error: OSError) -> RigError:
    return RigError(f"'{error.filename}' cannot be read ({error.strerror}): check access rights")
