"""Makes a release: `python scripts/release.py VERSION`, or `make release VERSION=1.2.3`.

Writes the version into all files that contain it, and into the CHANGELOG's heading of unreleased changes,
then builds the package, which Blender's own tool checks. It prints the steps that remain to be done by hand.
If the version is not possible, or the CHANGELOG lists no changes, no file is changed.
"""

import re
import sys
from pathlib import Path

import build

ROOT = Path(__file__).resolve().parents[1]
NEWS = "## Not released yet"
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
STATED = re.compile(r'^version = "([^"]*)"$', re.MULTILINE)  # version in the manifest and in pyproject.toml
INSTALLING = ("docs/guide/desk.md", "docs/player.md", "docs/raspberry_pi.md")  # pages that name wheels
REMAINS = """\
Before the release is given away:
    make test RING="lint plain blender installed window newest"
    make soak, make bench, make docs, make demo      look at the pictures and the figures
    .venv/bin/python tests/blender/versions/record.py {version}      files of this version will open in the next
    git commit -am "Limber {version}" && git tag v{version}
and hand out build/limber-{version}.zip"""


class ReleaseError(Exception):
    """The release is impossible; the message says why, and what to do."""


def prepare(root: Path, version: str) -> None:
    """Writes a version into the files of a checkout.

    Raises:
        ReleaseError: the text is no version, the version is not above the current one, a file states none, or
            the CHANGELOG lists no changes; nothing is written then.
    """
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"'{version}' is no version: give three numbers, such as 1.2.0")
    files = {
        path: path.read_text(encoding="utf-8")
        for path in (root / "blender_manifest.toml", root / "pyproject.toml")
    }
    for path, text in files.items():
        stated = STATED.search(text)
        if stated is None:
            raise ReleaseError(f'{path.name} states no version: it needs a line version = "1.2.0"')
        if _numbers(version) <= _numbers(stated[1]):
            raise ReleaseError(
                f"Version {version} is not above {stated[1]}, which {path.name} states: give a higher one"
            )
        named = _renamed(text, stated[1], version)
        files[path] = STATED.sub(f'version = "{version}"', named, count=1)
        installed = stated[1]
    for path in (root / page for page in INSTALLING):
        files[path] = _renamed(path.read_text(encoding="utf-8"), installed, version)
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    news = text.partition(NEWS)[2].partition("\n## ")[0]
    if "*" not in news:
        raise ReleaseError(f"CHANGELOG.md has nothing under '{NEWS}': say there what has changed for users")
    files[changelog] = text.replace(NEWS, f"## {version}", 1)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


def _renamed(text: str, before: str, version: str) -> str:
    """A text in which the wheels of the version `before` have the names of the next one."""
    return text.replace(f"limber-{before}-", f"limber-{version}-").replace(
        f"limber_kernel-{before}.", f"limber_kernel-{version}."
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def main(arguments: list[str]) -> int:
    try:
        if len(arguments) != 1:
            raise ReleaseError("name the version: make release VERSION=1.2.0")
        prepare(ROOT, arguments[0])
        package = build.build()
    except (ReleaseError, build.BuildError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(
        f"release: {package.relative_to(ROOT)}, made and checked by Blender's own"
        f" tool\n{REMAINS.format(version=arguments[0])}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
