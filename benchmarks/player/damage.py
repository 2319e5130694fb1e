"""Reads and plays damaged character files, and records exceptions, time, memory, and files written."""

import random
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from limber.character.file import archive, reading
from limber.character.file.errors import CharacterFileError
from limber.player.errors import PlayerError
from limber.player.playing import play
from limber.player.script import Script

PLAYED = Script(0.2, 24.0)  # script with which a readable file is played: 5 ticks
WRITING = "wax+"  # letters of file modes in which a file is opened for writing


@dataclass
class Damaged:
    """Outcomes of damaged files.

    Attributes:
        refused, read: Numbers of files that were refused, and that were read nevertheless.
        unplayable: Number of files that were read and then refused by the player.
        escaped: Other exceptions, as texts with the number of the file.
        slowest: Longest processor time of a file [s].
        grown: Growth of the process's peak memory [MB].
        written: Paths of files that were opened for writing.
    """

    refused: int = 0
    read: int = 0
    unplayable: int = 0
    escaped: list[str] = field(default_factory=list)
    slowest: float = 0.0
    grown: float = 0.0
    written: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.refused} refused, {self.read} read ({self.unplayable} say that they"
            f" cannot play), {len(self.escaped)} other exceptions"
            f" {self.escaped[:3] or ''}, slowest {1e3 * self.slowest:.0f} ms, memory grew by {self.grown:.0f} MB,"
            f" {len(self.written)} files written"
        )


def damaged(path: Path, count: int, seed: int) -> Damaged:
    """Reads and plays `count` randomly damaged copies of a character file: in half of them bytes of the file
    are damaged, in the others those of one member, which is then packed with correct sizes and digests.
    """
    data, source, outcome = path.read_bytes(), random.Random(seed), Damaged()
    members = archive.unpacked(data, path.name)
    is_watching = [True]

    def watch(event: str, arguments: tuple) -> None:
        if is_watching and event == "open" and set(str(arguments[1] or "")) & set(WRITING):
            outcome.written.append(str(arguments[0]))

    sys.addaudithook(watch)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(count):
        broken = _broken(data, source) if number % 2 else _repacked(members, source)
        begun = time.process_time()
        try:
            character = reading.character_of(archive.unpacked(broken, path.name), path.name)
            outcome.read += 1
            play(character, PLAYED)
        except CharacterFileError:
            outcome.refused += 1
        except PlayerError:
            outcome.unplayable += 1
        except BaseException as error:
            outcome.escaped.append(f"{number}: {error!r}")
        outcome.slowest = max(outcome.slowest, time.process_time() - begun)
    is_watching.clear()
    outcome.grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024.0
    return outcome


def _broken(data: bytes, source: random.Random) -> bytes:
    """A copy of the data with up to eight random changes: bytes replaced, removed, inserted or doubled."""
    broken = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 8))):
        kind, at = source.randrange(5), source.randrange(max(len(broken), 1))
        length = source.randrange(1, 200)
        if kind == 0 and broken:
            broken[at] = source.randrange(256)
        elif kind == 1:
            del broken[at : at + length]
        elif kind == 2:
            broken[at:at] = source.randbytes(length)
        elif kind == 3:
            broken[at : at + 4] = source.choice(
                (b"\xff" * 4, b"\0" * 4, b"PK\x03\x04", b"1e99", b"null", b"-1,0")
            )
        else:
            broken[at:at] = broken[at : at + length]
    return bytes(broken)


def _repacked(members: dict[str, bytes], source: random.Random) -> bytes:
    """A file of which one member was damaged before packing."""
    name = source.choice(sorted(members))
    return archive.packed({**members, name: _broken(members[name], source)})
