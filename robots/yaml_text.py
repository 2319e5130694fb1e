"""A YAML document while it is read: where one is in it, names plain and in quotes, texts of several lines. Knows no Blender.

Source: YAML 1.2, chapters 5 to 8 (yaml.org/spec/1.2.2).
"""

import re

from .errors import MalformedError

GAP = re.compile(r"(?:\s|#[^\n]*)*")  # between tokens
REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)")
MARK = re.compile(r"(---|\.\.\.)(?=\s|\Z)")  # begins or ends a document
LINE_ENDS = re.compile(r"[ \t]*+\n\s*+")  # one or several, with the blanks around
FOLDS = re.compile(r"(?P<folded>[ \t]*+\n\s*+)|[ \t]++")  # the same, or blanks within a line: a run of them is looked at once
PLAIN = re.compile(r"(?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^\s#]))*")
PLAIN_IN_BRACKETS = re.compile(r"(?:[^\s:#,\[\]{}]|:(?=[^\s,\[\]{}])|(?<=\S)#|[ \t]+(?=[^\s#]))*")
SINGLE = re.compile(r"'((?:[^']|'')*)'")
DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
PIECE = re.compile(
    r"\\(?P<code>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|\\(?P<joined>\n\s*)|\\(?P<letter>.)|(?P<folded>[ \t]*+\n\s*+)|[ \t]++"
)
ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", "N": "\x85",
           "_": "\xa0", "L": "\u2028", "P": "\u2029", " ": " ", "\t": "\t", '"': '"', "/": "/", "\\": "\\"}  # fmt: skip
BLOCK = re.compile(r"(?P<style>[|>])(?=(?:[+-]?[1-9]?|[1-9][+-])[ \t]*(?:[ \t]#[^\n]*)?(?:\n|\Z))(?P<head>[^\n]*)\n?")
ENDING = r"[\s,\[\]{}]"  # of a word, for messages
SHOWN = 60  # letters of a line in messages
NO_NAMES = {
    "&": "anchors are not known, write the list out in each place",
    "*": "anchors are not known, write the list out in each place",
    "!": "tags are not known, take it out",
    "@": "put the name in quotes",
    "`": "put the name in quotes",
    "%": "put the name in quotes",
}  # what cannot begin a name -> the remedy


class Text:
    """One document, and the place in it."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.at = file, 0
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._keep_document()

    def _keep_document(self) -> None:
        """Blanks out what stands before the document and cuts off what stands after it."""
        lines, place, has_begun = self.text.split("\n"), 0, False
        for k, line in enumerate(lines):
            mark, is_empty = MARK.match(line), REST_OF_LINE.fullmatch(line) is not None
            if mark and mark[0] == "---" and not has_begun:
                lines[k], has_begun = "   " + line[3:], True
            elif mark and mark[0] == "---":
                raise self.error("a second document begins here: keep one", place)
            elif mark and has_begun:
                lines[k:] = self._after(lines[k:], place)
                break
            elif not has_begun and (mark or line.startswith("%")):
                lines[k] = ""
            has_begun = has_begun or not (is_empty or mark or line.startswith("%"))
            place += len(line) + 1
        self.text = "\n".join(lines)

    def _after(self, lines: list[str], place: int) -> list[str]:
        for line in lines:
            mark = MARK.match(line)
            if mark and mark[0] == "---":
                raise self.error("a second document begins here: keep one", place)
            if not mark and not REST_OF_LINE.fullmatch(line):
                raise self.error(f"'{line.strip()}' comes after the document's end", place)
            place += len(line) + 1
        return []

    def error(self, what: str, place: int | None = None) -> MalformedError:
        return MalformedError(self.file, 1 + self.text.count("\n", 0, self.at if place is None else place), "", what)

    @property
    def letter(self) -> str:
        """The one here; "" at the end."""
        return self.text[self.at : self.at + 1]

    @property
    def rest(self) -> str:
        """What is left of the line, for messages."""
        found = self.text[self.at : self._line_end()].strip()
        return found if len(found) <= SHOWN else found[:SHOWN] + "..."

    def _line_end(self) -> int:
        """Where the line ends that the place is in."""
        found = self.text.find("\n", self.at)
        return len(self.text) if found < 0 else found

    def column(self) -> int:
        """Of the place; what stands before it in its line must be no tab.

        Raises:
            MalformedError: the line is indented by a tab.
        """
        before = self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]
        if before.isspace() and "\t" in before:
            raise self.error("a tab cannot indent: use spaces")
        return len(before)

    def skip(self) -> None:
        """On to the next token, over blanks, lines' ends and comments."""
        self.at = _end(GAP, self.text, self.at)

    def has_more_in_line(self) -> bool:
        """Whether something stands in the rest of the line, to which it goes."""
        if REST_OF_LINE.match(self.text, self.at):
            return False
        self.skip()
        return True

    def end_line(self) -> None:
        """Raises MalformedError where something stands in the rest of the line."""
        if self.has_more_in_line():
            raise self.error(f"'{self.rest}' comes after the value's end")

    def is_dash(self) -> bool:
        return self.letter == "-" and not self.text[self.at + 1 : self.at + 2].strip()

    def quoted(self) -> str:
        """A name in quotes, which begins here."""
        match = (SINGLE if self.letter == "'" else DOUBLE).match(self.text, self.at)
        if match is None:
            raise self.error(f"'{self.rest}' cannot be read here: its quote is not closed")
        self.at = match.end()
        if match[0][0] == "'":
            return FOLDS.sub(lambda gap: _folded(gap) if gap["folded"] else gap[0], match[1]).replace("''", "'")
        return PIECE.sub(lambda piece: self._piece(piece, match.start(1)), match[1])

    def _piece(self, piece: re.Match[str], begin: int) -> str:
        if piece["folded"]:
            return _folded(piece)
        if piece["joined"]:
            return "\n" * (piece["joined"].count("\n") - 1)
        if piece["code"]:
            number = int(piece["code"][1:], 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:  # beyond Unicode, or half a character
                raise self.error(f"'{piece[0]}' stands for no character", begin + piece.start())
            return chr(number)
        if piece["letter"] is None:
            return piece[0]  # blanks within a line
        if piece["letter"] not in ESCAPES:
            raise self.error(f"'{piece[0]}' stands for nothing here: write \\\\ for one backslash", begin + piece.start())
        return ESCAPES[piece["letter"]]

    def plain_line(self, in_brackets: bool) -> str:
        """A name without quotes, as far as it goes in this line.

        Raises:
            MalformedError: what is here begins no name.
        """
        first, following = self.letter, self.text[self.at + 1 : self.at + 2]
        if first in NO_NAMES:
            raise self.error(f"'{re.split(ENDING, self.rest)[0]}' cannot be read here: {NO_NAMES[first]}")
        pattern = PLAIN_IN_BRACKETS if in_brackets else PLAIN
        found = pattern.match(self.text, self.at)
        if found is None or not found[0] or first in ",[]{}#|>\"'" or (first in "-?:" and (not following.strip() or len(found[0]) < 2)):
            raise self.error(f"'{self.rest}' is out of place" if first in ",]}:" else f"'{self.rest}' cannot be read here")
        self.at = found.end()
        return found[0].rstrip()

    def plain(self, least: int, in_brackets: bool) -> str:
        """A name without quotes; further lines belong to it from column `least` on, in brackets all."""
        found = [self.plain_line(in_brackets)]
        while gap := LINE_ENDS.match(self.text, self.at):
            before = self.at
            self.at = gap.end()
            line = (PLAIN_IN_BRACKETS if in_brackets else PLAIN).match(self.text, self.at)
            if line is None or not line[0] or (not in_brackets and self.column() < least):
                self.at = before
                break
            found += [_folded(gap), line[0].rstrip()]
            self.at = line.end()
        return "".join(found)

    def block(self, least: int) -> str:
        """A text of lines of its own, after | or >, which are indented by `least` at the least."""
        head = BLOCK.match(self.text, self.at)
        if head is None:
            raise self.error(f"'{self.rest}' cannot be read here")
        self.at = head.end()
        told = re.search("[1-9]", head["head"].split("#")[0])
        indent = least - 1 + int(told[0]) if told else 0
        lines: list[str] = []
        while self.letter:
            line = self.text[self.at : self._line_end()]
            depth = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                indent = indent or max(depth, least)
                if depth < indent:
                    break
            lines.append(line[indent:] if line.strip(" ") else "")
            self.at = min(self.at + len(line) + 1, len(self.text))
        self.at = max(self.at - 1, head.end() - 1) if self.text[self.at - 1 : self.at] == "\n" else self.at
        body = ("\n".join(lines) if head["style"] == "|" else _filled(lines)).rstrip("\n")
        return body + "\n" if body and "-" not in head["head"].split("#")[0] else body


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _folded(gap: re.Match[str]) -> str:
    """Ends of lines within a name: one is a space, of several each but the first stays."""
    count = gap[0].count("\n")
    return " " if count == 1 else "\n" * (count - 1)


def _filled(lines: list[str]) -> str:
    """Lines of a text after >: those that begin with a letter go on in one line, as paragraphs."""
    found: list[str] = []
    empty, before = 0, "\n"
    for line in lines:
        if not line:
            empty += 1
            continue
        is_kept = line[0] in " \t" or before[0] in " \t"
        found += ["\n" * empty if not found else "\n" * (empty + 1) if is_kept else "\n" * empty or " ", line]
        empty, before = 0, line
    return "".join(found)
