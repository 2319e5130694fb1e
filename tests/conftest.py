"""Settings of all tests: `import limber` means this checkout, property tests always use the same examples, a
Blender starts with an empty profile.
"""

import functools
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkout import load_limber
from tests import deep, threads
from tests.hanging import pytest_configure

__all__ = ["pytest_configure"]

load_limber()

# No deadline, since the machine may be busy; no database of examples kept between runs.
settings.register_profile(
    "limber", derandomize=True, deadline=None, database=None, max_examples=deep.count(40, 100)
)
settings.load_profile("limber")

# Read when bpy is first imported: no user's preferences and add-ons affect the tests, and none are changed.
PROFILE = tempfile.mkdtemp(prefix="limber-profile-")
os.environ["BLENDER_USER_RESOURCES"] = PROFILE

if threads.ONE:
    threads.import_blender_with_one_thread()

exit_code = pytest.ExitCode.OK


@functools.cache
def named_files(arguments: tuple[str, ...], folder: Path) -> frozenset[Path]:
    """The files that pytest's arguments name, relative to a folder; empty if some name no file."""
    paths = [Path(os.path.abspath(folder / argument.split("::")[0])) for argument in arguments]
    return frozenset(paths) if all(path.is_file() for path in paths) else frozenset()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignores what was not asked for where files are named: for each of them pytest would look at all files
    of its folder.
    """
    named = named_files(tuple(config.args), config.invocation_params.dir)
    return True if named and collection_path.suffix == ".py" and collection_path not in named else None


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    global exit_code
    exit_code = exitstatus


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the process without ending the interpreter, during which a Blender module may hang or crash
    (4.5.15 did after loading files).
    """
    shutil.rmtree(PROFILE, ignore_errors=True)
    if "bpy" not in sys.modules:
        return
    shutil.rmtree(sys.modules["bpy"].app.tempdir, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)
