"""The words by which programs and people direct a character: one table for OSC, the page, what is typed, and
scripts, in every host. No Blender.

An order is a word, the names behind it, and numbers or a text: the OSC message `/limber/weight/Neck/Sad 0.5`,
the typed line `set weight/Neck/Sad 0.5` and the page's slider are the same order.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import InputError

FARTHEST = 1e6  # largest number: coordinates [m] beyond it exceed single precision
NAME = 64  # significant letters of a name in a message: the longest in Blender


class Word(NamedTuple):
    """What an order of one word has.

    Attributes:
        least_names: How many names it needs, a text among its arguments included.
        counts: How many numbers it may have.
        takes_text: Whether a text, a name, may stand among its arguments.
        is_text_enough: Whether that may stand in the numbers' place.
        is_press: Whether it is a button's: its number is 0 when it is let go, which does nothing.
        is_personal: Whether a person alone gives it: no program does.
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
    "play": Word(0, is_press=True),
    "pause": Word(0, is_press=True),
    "seek": Word(0, (1,)),
    "arm": Word(0, is_press=True),
    "stop": Word(0, is_press=True),
    "confirm": Word(0, is_press=True, is_personal=True),
    "disarm": Word(0, is_press=True, is_personal=True),
    "clear": Word(0, is_press=True, is_personal=True),
    "connect": Word(0, is_press=True, is_personal=True),
    "quit": Word(0, is_press=True, is_personal=True),
}
# numbers that come again and again, and are followed smoothly where a host does that
STREAMED = ("target", "rotation", "axis", "influence", "share", "weight", "value")
ALSO = {"trigger": "event"}  # words of other programs for the same
# words whose first number says what an order is about: of several at once each counts
NUMBERED = ("seen",)


class Order(NamedTuple):
    """An order: its word, the names behind it as they were sent, and numbers or a text.

    Attributes:
        word: One of `WORDS`.
        names: "CHAIN/POSTURE" and the like.
        numbers: Finite, none beyond `FARTHEST`.
        text: A name in place of the last one of the names; "": none.
    """

    word: str
    names: str = ""
    numbers: tuple[float, ...] = ()
    text: str = ""

    @property
    def is_released(self) -> bool:
        """Whether it is a button that was let go."""
        return WORDS[self.word].is_press and bool(self.numbers) and self.numbers[0] == 0.0

    @property
    def name(self) -> str:
        """The name behind a word of one name, be it a text or a part of the address."""
        return self.text or self.names

    @property
    def path(self) -> str:
        return f"{self.word}/{self.names}" if self.names else self.word

    @property
    def line(self) -> str:
        """It as a line to read."""
        numbers = (f"{number:g}" for number in self.numbers)
        return " ".join(filter(None, (self.word, self.names, self.text, *numbers)))


def order_of(path: str, arguments: Sequence[float | str], shown: str = "", list_of_words: str = "") -> Order:
    """The order of a path, as "weight/Neck/Sad", and its arguments.

    Args:
        path, arguments: As in an OSC message, without its root.
        shown: The address as messages name it; "": the path.
        list_of_words: Where the words are listed, for messages.

    Raises:
        InputError: There is no such word, or it has other arguments.
    """
    begin, _, names = path.partition("/")
    word, shown = ALSO.get(begin, begin), shown or path
    if word not in WORDS:
        raise InputError(f"'{shown}' is no address that is known{list_of_words and f': {list_of_words}'}")
    texts = [argument for argument in arguments if isinstance(argument, str)]
    numbers = tuple(argument for argument in arguments if not isinstance(argument, str))
    _check_texts(shown, word, names, texts)
    kind = WORDS[word]
    if not kind.is_press and not (texts and kind.is_text_enough and not numbers):
        _check_count(shown, numbers, kind.counts)
    if not all(abs(number) <= FARTHEST for number in numbers):
        raise InputError(
            f"'{shown}' has something that is no number, or beyond {FARTHEST:.0g}: nothing is changed"
        )
    return Order(word, names, numbers, texts[0] if texts else "")


def _check_texts(shown: str, word: str, names: str, texts: Sequence[str]) -> None:
    """Raises InputError for names and texts that an order of this word does not have."""
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
    """How a name may be written in an address: as it is, with underscores for blanks, and with `/` and `~`
    as in JSON pointers (RFC 6901).
    """
    escaped = name.replace("~", "~0").replace("/", "~1")
    return {each for spelled in (name, escaped) for each in (spelled, spelled.replace(" ", "_"))}


def begun_with(names: str, known: Iterable[str]) -> tuple[str, str] | None:
    """The longest of the known names with which `names` begin, and the rest; None: with none. Names may
    contain slashes.
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


def named(written: str, known: Iterable[str]) -> str | None:
    """The known name that is written so; None: there is none."""
    return next((name for name in known if written in spellings(name)), None)
