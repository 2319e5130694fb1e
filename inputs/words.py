"""The commands by which programs and people direct a character: one table for OSC, the control page in a
browser, typed lines and scripts, in every host.

A command ("order") is a word, the names after it, and numbers or a text: the OSC message
`/limber/weight/Neck/Sad 0.5`, the typed line `set weight/Neck/Sad 0.5` and the page's slider give the same
command.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import InputError

# largest number in a command; a larger one is refused: in single precision such a coordinate [m] has steps of
# 6 cm or more
FARTHEST = 1e6
NAME = 64  # number of significant letters of a name in a message: the longest in Blender


class Word(NamedTuple):
    """Syntax of the commands that begin with a given word of `WORDS`.

    Attributes:
        least_names: Number of names required, including a text among the arguments.
        counts: How many numbers may follow; each count is allowed.
        takes_text: Whether a text (a name) may be among the arguments.
        is_text_enough: Whether a text may replace the numbers.
        is_press: Whether the command is a button's: the number 0 means its release, which has no effect.
        is_personal: Whether only a person may give the command, and no program.
    """

    least_names: int
    counts: tuple[int, ...] = ()
    takes_text: bool = False
    is_text_enough: bool = False
    is_press: bool = False
    is_personal: bool = False


WORDS = {
    "event": Word(1, takes_text=True, is_press=True),
    "state": Word(1, takes_text=True, is_press=True),
    "posture": Word(2, takes_text=True, is_press=True),
    "weight": Word(2, (1,)),
    "influence": Word(1, (1,)),
    "share": Word(1, (1,)),
    "value": Word(1, (1,), takes_text=True),
    "target": Word(1, (3,), takes_text=True, is_text_enough=True),
    "look": Word(0, (3,), takes_text=True, is_text_enough=True),
    "seen": Word(0, (6,), takes_text=True),
    "say": Word(0, (1,), takes_text=True, is_text_enough=True),
    "rotation": Word(1, (4,)),
    "axis": Word(2, (1,)),
    "velocity": Word(1, (3, 6)),
    "play": Word(0, takes_text=True, is_press=True),
    "pause": Word(0, is_press=True),
    "seek": Word(0, (1,)),
    "arm": Word(0, is_press=True),
    "stop": Word(0, is_press=True),
    "confirm": Word(0, is_press=True, is_personal=True),
    "release": Word(0, is_press=True, is_personal=True),
    "disarm": Word(0, is_press=True, is_personal=True),
    "clear": Word(0, is_press=True, is_personal=True),
    "connect": Word(0, is_press=True, is_personal=True),
    "quit": Word(0, is_press=True, is_personal=True),
}
# words whose numbers may be sent repeatedly, so that hosts smooth them
STREAMED = ("target", "rotation", "axis", "influence", "share", "weight", "value")
PING = "ping"  # a program's question whether the host runs: it is answered, and changes nothing
ALSO = {"trigger": "event"}  # synonym used by other programs -> word
# words whose first number selects the subject; commands on different subjects do not replace each other
NUMBERED = ("seen",)


class Order(NamedTuple):
    """A command: its word, the names after it as sent, and numbers or a text.

    Attributes:
        word: One of `WORDS`.
        names: Names joined by slashes, such as "CHAIN/POSTURE".
        numbers: Finite numbers up to `FARTHEST`.
        text: A name instead of the last one of `names`; "" for none.
    """

    word: str
    names: str = ""
    numbers: tuple[float, ...] = ()
    text: str = ""

    @property
    def is_released(self) -> bool:
        """Whether it is the release of a button."""
        return WORDS[self.word].is_press and bool(self.numbers) and self.numbers[0] == 0.0

    @property
    def name(self) -> str:
        """The name of a command with one name, given as text or as part of the address."""
        return self.text or self.names

    @property
    def path(self) -> str:
        """The subject of the command: its word and names, as in an address."""
        return f"{self.word}/{self.names}" if self.names else self.word

    @property
    def line(self) -> str:
        """The command as a line of text."""
        numbers = (f"{number:g}" for number in self.numbers)
        return " ".join(filter(None, (self.word, self.names, self.text, *numbers)))


def order_of(path: str, arguments: Sequence[float | str], shown: str = "", list_of_words: str = "") -> Order:
    """The command for a path such as "weight/Neck/Sad" and its arguments.

    Args:
        path, arguments: As in an OSC message, without its root.
        shown: The address in messages; "": the path.
        list_of_words: Reference to the list of words, for messages.

    Raises:
        InputError: There is no such word, or it cannot have these names and arguments.
    """
    begin, _, names = path.partition("/")
    word, shown = ALSO.get(begin, begin), shown or path
    if word not in WORDS:
        raise InputError(f"'{shown}' is no address that is known{list_of_words and f': {list_of_words}'}")
    texts = [argument for argument in arguments if isinstance(argument, str)]
    numbers = tuple(argument for argument in arguments if not isinstance(argument, str))
    _check_texts(shown, word, names, texts)
    kind = WORDS[word]
    # OSC controllers send a number with each press and release of a button, other programs send none
    if not kind.is_press and not (texts and kind.is_text_enough and not numbers):
        _check_count(shown, numbers, kind.counts)
    # `not all` also refuses NaN, for which every comparison is false
    if not all(abs(number) <= FARTHEST for number in numbers):
        raise InputError(
            f"'{shown}' has something that is no number, or beyond {FARTHEST:.0g}: nothing is changed"
        )
    return Order(word, names, numbers, texts[0] if texts else "")


def _check_texts(shown: str, word: str, names: str, texts: Sequence[str]) -> None:
    """Raises InputError if a command of this word cannot have these names and texts."""
    kind = WORDS[word]
    if len(texts) > kind.takes_text:
        raise InputError(f"'{shown}' has a text among its arguments, where only numbers were expected")
    given_names = len(names.split("/")) if names else 0
    if given_names + len(texts) < kind.least_names:
        raise InputError(
            f"'{shown}' is no address that is known without a name behind it: {word} needs {kind.least_names}"
        )
    if texts and not texts[0]:
        raise InputError(f"'{shown}' has an empty text: give it a name")


def _check_count(shown: str, numbers: tuple[float, ...], counts: tuple[int, ...]) -> None:
    if len(numbers) not in counts:
        count = f"{len(numbers)} number{'' if len(numbers) == 1 else 's'}"
        expected = " or ".join(map(str, counts))
        raise InputError(f"'{shown}' has {count}, and {expected} were expected")


def spellings(name: str) -> set[str]:
    """Spellings of a name in an address: unchanged, with underscores for spaces, and with `/` and `~` as in
    JSON pointers (RFC 6901).
    """
    escaped = name.replace("~", "~0").replace("/", "~1")
    return {each for spelled in (name, escaped) for each in (spelled, spelled.replace(" ", "_"))}


def begun_with(names: str, known: Iterable[str]) -> tuple[str, str] | None:
    """Splits the names of a command, such as "Left_Arm/Sad": (known name at the beginning, rest after the
    slash).

    A known name matches in each of its `spellings`, up to a slash or the end; of several the one with the
    longest spelling is used, since names may contain slashes. None if no known name matches.
    """
    begun = [
        (len(spelled), name)
        for name in known
        for spelled in spellings(name)
        if f"{names}/".startswith(f"{spelled}/")
    ]
    if not begun:
        return None
    length, name = max(begun)
    return name, names[length + 1 :]


def no_clip(written: str, clip: str) -> str:
    """Why the clip of this name cannot be played, as a sentence; "" if it can. A character has one clip,
    which has its name.
    """
    if not written or named(written, [clip]) is not None:
        return ""
    return (
        f"there is no clip '{written}': there is '{clip}'. Motions of states and gestures begin by"
        " /limber/state/NAME and /limber/event/NAME"
    )


def named(written: str, known: Iterable[str]) -> str | None:
    """The known name with this spelling; None if there is none."""
    return next((name for name in known if written in spellings(name)), None)
