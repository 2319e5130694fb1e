"""The command `limber`: plays, checks and describes character files, and permits arming the robot when the
computer starts.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..character.file import archive, reading
from ..character.file.engine import engine_digest
from ..character.file.errors import CharacterFileError
from ..files.plain import printable
from ..files.reasons import reason
from ..inputs.page.server import PORT
from . import playing, script
from .arm_at_start import UNPERMITTED, allow, permission_for
from .check import check
from .errors import PlayerError
from .info import info, lines
from .live import LiveOptions
from .pacing import FASTEST, SLOWEST
from .page_token import kept_token
from .terminal import play_live
from .version import player_version

LONGEST_DELAY = 5.0  # [s] longest delay of a sound
LONGEST = 1e9  # [s] longest performance: thirty years
# option -> the option that it requires
NEEDS = {"osc_host": "osc", "page_host": "page", "page_token": "page"}
OTHER_SOLVERS = 3  # exit status of `check` if other solvers, or unknown ones, computed the self-test
OF_ROBOTS = ("port", "arm")  # options that --no-robot contradicts


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status.

    Args:
        arguments: Arguments after `limber` on the command line; None: those of this process.
    """
    parsed = parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        raise
    except (CharacterFileError, PlayerError) as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename or parsed.file}: {reason(error)}")


def _fail(sentence: str) -> int:
    """Prints why the command failed; returns its exit status."""
    print(f"limber: {printable(sentence)}", file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    """Parser of the command line of `limber`."""
    parser = argparse.ArgumentParser(
        prog="limber", description="Plays characters that Limber exported from Blender"
    )
    parser.add_argument("--version", action=_ShowVersions, nargs=0, help="say the versions, and end")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("play", _play, "play a character"),
        ("check", _check, "prove that a character moves here as it did in Blender"),
        ("info", _info, "say what is in a character file"),
        ("arm-at-start", _arm_at_start, "let the robot be armed when this computer starts, without a press"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}")
        command.set_defaults(run=run)
        command.add_argument("file", metavar="FILE", type=Path, help="a character file (.limber)")
        if name == "play":
            _add_play_options(command)
        if name == "info":
            command.add_argument("--json", action="store_true", help="as JSON")
    return parser


class _ShowVersions(argparse.Action):
    """Prints the versions, and ends the program; argparse's own action would need them at each start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(_versions())
        parser.exit()


def _versions() -> str:
    """The player's version, and the newest character files that it reads."""
    return f"limber {player_version()}; reads character files up to version {'.'.join(map(str, archive.VERSION))}"


def _add_play_options(command: argparse.ArgumentParser) -> None:
    simulated = command.add_argument_group("in simulated time, without a robot")
    simulated.add_argument("--script", type=Path, help="JSON with targets and events")
    simulated.add_argument("--out", type=Path, help="numpy archive for what the character does")
    real = command.add_argument_group("in real time, with the robot of the file")
    real.add_argument("--port", default="", help="another port than in the file; virtual: the virtual robot")
    real.add_argument("--no-robot", action="store_true", help="connect none")
    real.add_argument("--arm", action="store_true", help="arm the robot once it is connected: it moves")
    real.add_argument(
        "--at-start",
        action="store_true",
        help="this computer starts: arm once, if `limber arm-at-start` has permitted it",
    )
    real.add_argument("--status", action="store_true", help="say in a line a second what it does")
    real.add_argument("--rate", type=_rate, default=LiveOptions.rate, help="ticks a second (60)")
    real.add_argument("--seconds", type=_seconds, help="end after this time")
    real.add_argument("--osc", type=_port, metavar="PORT", help="hear OSC on this UDP port; it arms nothing")
    real.add_argument("--osc-host", default=LiveOptions.osc_host, help="... and on this address (127.0.0.1)")
    real.add_argument(
        "--page",
        type=_port,
        nargs="?",
        const=PORT,
        metavar="PORT",
        help=f"serve a page to direct the character ({PORT}); a press on it may arm",
    )
    real.add_argument(
        "--page-host",
        default=LiveOptions.page_host,
        help="... on this address (127.0.0.1): 0.0.0.0 for a phone",
    )
    real.add_argument(
        "--page-token",
        type=Path,
        metavar="FILE",
        help="file that keeps the token of the page's address, so that it stays the same; made where it is missing",
    )
    real.add_argument(
        "--sound-delay",
        type=_delay,
        default=LiveOptions.sound_delay,
        metavar="SECONDS",
        help=f"how much later than the clip its sound begins ({LiveOptions.sound_delay:g})",
    )
    real.add_argument("--seed", type=int, default=0, help="seed of the behaviour")
    defaults = {action.dest: action.default for action in real._group_actions}
    command.set_defaults(
        given=lambda parsed: [name for name in defaults if getattr(parsed, name) != defaults[name]]
    )


def _bounded(kind: type[int] | type[float], lowest: float, highest: float, noun: str) -> Callable[[str], Any]:
    """Type for argparse: a number within bounds, which messages call `noun`."""

    def number(text: str) -> int | float:
        try:
            value = kind(text)
        except ValueError:
            value = kind(lowest - 1)
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(f"{text}: give {noun} from {lowest:g} to {highest:g}")
        return value

    return number


_rate = _bounded(float, SLOWEST, FASTEST, "a number")
_seconds = _bounded(float, 0.0, LONGEST, "a time in seconds")
_delay = _bounded(float, 0.0, LONGEST_DELAY, "a time in seconds")
_port = _bounded(int, 0, 65535, "a port")


def _check_together(parsed: argparse.Namespace) -> None:
    """Raises PlayerError for options of `play` that have no effect in combination with others."""
    given = parsed.given(parsed)
    if parsed.script is not None and given:
        raise PlayerError(
            f"{_option(given[0])} is for real time, and --script has a time of its own: leave it out"
        )
    for name in given:
        needed = NEEDS.get(name, name)
        if needed not in given:
            raise PlayerError(f"{_option(name)} does nothing without {_option(needed)}: give that, too")
        if parsed.no_robot and name in OF_ROBOTS:
            raise PlayerError(
                f"{_option(name)} is about a robot, and --no-robot connects none: leave one of them out"
            )


def _option(name: str) -> str:
    """The option whose value the parser stores under `name`."""
    return f"--{name.replace('_', '-')}"


def _play(parsed: argparse.Namespace) -> int:
    character = reading.read(parsed.file)
    _check_together(parsed)
    if (parsed.script is None) != (parsed.out is None):
        raise PlayerError("--script and --out belong together: give both, or none to play in real time")
    if parsed.script is None:
        permission = permission_for(parsed.file) if parsed.at_start else None
        if parsed.at_start and permission is None:
            print(
                f"Not armed at the start: {UNPERMITTED.format(file=printable(str(parsed.file)))}", flush=True
            )
        options = LiveOptions(
            rate=parsed.rate,
            seconds=parsed.seconds,
            port=parsed.port,
            without_robot=parsed.no_robot,
            is_attended=sys.stdin.isatty(),
            arm=parsed.arm,
            permission=permission,
            has_status=parsed.status,
            seed=parsed.seed,
            osc=parsed.osc,
            osc_host=parsed.osc_host,
            sound_delay=parsed.sound_delay,
            page=parsed.page,
            page_host=parsed.page_host,
            token=kept_token(parsed.page_token) if parsed.page_token is not None else "",
        )
        play_live(character, parsed.file, options)
        return 0
    performed = script.read(parsed.script)
    for remark in script.remarks(performed, character):
        print(f"limber: {parsed.script.name}: {printable(remark)}", file=sys.stderr)
    recording = playing.play(character, performed)
    playing.write(parsed.out, recording)
    print(f"{len(recording['time'])} frames of {len(character.joint_names)} joints in {parsed.out}")
    return 0


def _check(parsed: argparse.Namespace) -> int:
    character = reading.read(parsed.file)
    result = check(character)
    if result.frame is not None and character.engine != engine_digest():
        why = (
            "whose solvers were others than those here, so it may move differently, and its self-test says"
            " nothing about this computer"
            if character.engine
            else "and the file does not say with which solvers. With others than those here it may move"
            " differently, so its self-test does not tell whether this computer is right"
        )
        print(
            f"{printable(character.name)} was made by {printable(character.made_by)}, {why}: here joint"
            f" '{printable(result.joint)}' differs from frame {result.frame} on, joints at most by"
            f" {result.largest:.2g} rad. It plays as it is. To test it, export it again with the version of"
            " Limber that is installed here"
        )
        return OTHER_SOLVERS
    if result.frame is not None:
        return _fail(
            f"{character.name} does not move here as in Blender: from frame {result.frame} on joint"
            f" '{result.joint}' differs, at most by {result.largest:.2g} rad. Export it again with the"
            " version of Limber that is installed here"
        )
    print(
        f"{printable(character.name)} moves here as in Blender: {result.frames} frames, largest difference"
        f" {result.largest:.2g} rad"
    )
    return 0


def _arm_at_start(parsed: argparse.Namespace) -> int:
    character = reading.read(parsed.file)
    if not sys.stdin.isatty():
        raise PlayerError("a person at a terminal permits this: type the command in one")
    print(
        f"Each time that this computer starts, the robot of {printable(character.name)} moves without a"
        " press, with nobody there. Servos that do not measure their positions still wait for a person."
        " After a fault a person clears or arms first."
    )
    if input("Type 'it moves' to permit it: ").strip() != "it moves":
        return _fail("nothing is changed")
    print(f"Permitted in {allow(parsed.file)}: delete that file to withdraw it")
    return 0


def _info(parsed: argparse.Namespace) -> int:
    character = reading.read(parsed.file)
    print(
        json.dumps(info(character), indent=1) if parsed.json else "\n".join(map(printable, lines(character)))
    )
    return 0
