"""Encodes commands to servos on a bus, for any frame format and register table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from ..interface import Answer, AnswerKind, Capabilities, Codec, Exchange, ProtocolError, Quantity, in_units
from ..servo_state import Expected, VolatileSettings
from .decoder import BusDecoder
from .framing import Framing
from .instructions import Instruction, Ping, Read, SyncRead, SyncWrite, Write
from .registers import Register
from .requirements import span_of
from .table import RegisterTable

# [bytes] largest span of registers that one query reads; in a wider one, the unneeded registers between those
# that are needed would fill the line
WIDEST_READ = 32
# [bytes] largest span that is read with each goal; with it, a dozen servos' answers take about 7 ms of a
# period of 10 ms at 1 Mbit/s
WIDEST_WATCH = 48
MOST_AT_ONCE = 24  # largest number of servos in a sync frame, so that a damaged frame affects no more


class BusCodec(Codec):
    """A codec for servos with ids and registers.

    Args:
        capabilities: Capabilities of the servos.
        framing: The frame format.
        table: The registers.
        sync_reads: Whether servos answer a sync read; otherwise each is queried separately.
    """

    def __init__(
        self, capabilities: Capabilities, framing: Framing, table: RegisterTable, sync_reads: bool = True
    ) -> None:
        self.capabilities = capabilities
        self._framing = framing
        self._table = table
        self._sync_reads = sync_reads
        position, (start, size) = table.quantities[Quantity.POSITION], table.requirements.meaning_span
        first = min(start, position.start)
        # (first address, size) of the block for `watch`
        self._watched = (first, max(start + size, position.end) - first)
        self._watches_meaning = self._watched[1] <= WIDEST_WATCH

    def decoder(self) -> BusDecoder:
        return BusDecoder(self._framing, self._table)

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for model and firmware of each servo, which change nothing."""
        start, size = self._table.identity_span
        ask = Ping if self._table.ping_tells else lambda servo: Read(servo, start, size)
        return tuple(
            self._query(ask(self._known(servo)), Answer(servo, AnswerKind.IDENTITY, size, start))
            for servo in servos
        )

    def settings(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for the registers that decide how each servo moves, which change nothing."""
        start, size = self._table.requirements.span
        answers = [Answer(self._known(servo), AnswerKind.SETTINGS, size, start) for servo in servos]
        return tuple(self._ask_all(answers, start, size))

    def verify(self, settings: Mapping[int, VolatileSettings]) -> tuple[Exchange, ...]:
        """Queries that check whether registers still hold the values `settings` that were written to them, by
        servo id: a servo loses them with its power. Empty if no such value can be read back.
        """
        expected = {self._known(servo): self._expected(volatile) for servo, volatile in settings.items()}
        registers = [self._table.written[value.start] for values in expected.values() for value in values]
        if not registers:
            return ()
        start, size = span_of(registers)
        answers = [
            Answer(servo, AnswerKind.HELD, size, start, expected=tuple(values))
            for servo, values in expected.items()
        ]
        return tuple(self._ask_all(answers, start, size))

    def limit(self, servo: int, speed: float) -> tuple[Exchange, ...]:
        """Command that sets a servo's maximum speed [units/s], which the servo enforces and forgets when its
        power fails.
        """
        return (self._write(servo, self._table.speed, "The speed", self._speed_number(speed)),)

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands that set each servo's goal to its current position, `at` [raw] by servo id, then switch
        torque on. Each must be answered before the next is sent.
        """
        goals = tuple(
            self._write(
                servo, self._table.goal, f"Servo {servo}: its goal", self._reachable(servo, at[servo])
            )
            for servo in at
        )
        return goals + tuple(self._write(servo, self._table.torque, "Torque", 1) for servo in at)

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Commands that switch torque off: first by sync writes without answers, then for each servo again
        with an answer.
        """
        at_once = self._sync_write(self._table.torque, dict.fromkeys(servos, 0))
        return at_once + tuple(self._write(servo, self._table.torque, "Torque", 0) for servo in servos)

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands that set goals of servos, without answers."""
        return self._sync_write(
            self._table.goal, {servo: self._reachable(servo, goal) for servo, goal in goals.items()}
        )

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for quantities; those in neighbouring registers share a query."""
        self._check_readable(quantities)
        exchanges: list[Exchange] = []
        for group in self._neighbours(quantities):
            start = self._table.quantities[group[0]].start
            size = max(self._table.quantities[quantity].end for quantity in group) - start
            answers = [
                Answer(self._known(servo), AnswerKind.VALUES, size, start, tuple(group)) for servo in servos
            ]
            exchanges += self._ask_all(answers, start, size)
        return tuple(exchanges)

    def watch(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for positions and, if their registers are near enough, for the settings that give goals
        their meaning.
        """
        if not self._watches_meaning:
            return self.read([Quantity.POSITION], servos)
        start, size = self._watched
        answers = [
            Answer(self._known(servo), AnswerKind.MEANING, size, start, (Quantity.POSITION,))
            for servo in servos
        ]
        return tuple(self._ask_all(answers, start, size))

    def meaning(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for the settings that give goals their meaning, unless `watch` contains them."""
        if self._watches_meaning:
            return ()
        start, size = self._table.requirements.meaning_span
        answers = [Answer(self._known(servo), AnswerKind.MEANING, size, start) for servo in servos]
        return tuple(self._ask_all(answers, start, size))

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """Commands of an emergency stop, without answers: servos in `hold` go to the position given there
        [raw], those in `release` lose their torque.
        """
        torque_off = self._sync_write(self._table.torque, dict.fromkeys(release, 0))
        return self.write(hold) + torque_off

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """Commands that set the timeout [s] of the servos' own watchdog; None disables it, and resets one
        that has tripped.
        """
        register, number = self._watchdog(seconds)
        return tuple(self._write(servo, register, "The watchdog", number) for servo in servos)

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for hardware errors and tripped watchdogs; empty if the servos report errors in every
        answer.
        """
        span = self._table.error_span
        if span is None:
            return ()
        start, size = span
        answers = [Answer(self._known(servo), AnswerKind.ERRORS, size, start) for servo in servos]
        return tuple(self._ask_all(answers, start, size))

    def change_id(self, servo: int, new: int) -> tuple[Exchange, ...]:
        """Commands that switch a servo's torque off and change its id, then a query with the new id. The
        answer to the change itself is not awaited, since it may carry either id.
        """
        change = Exchange(
            self._encode(Write(self._known(servo), self._table.servo_id.start, self._packed_id(new)))
        )
        return (*self._unlock(servo), change, *self.lock(new), *self.identify((new,)))

    def change_baudrate(self, servo: int, baudrate: int) -> tuple[Exchange, ...]:
        """Commands that switch a servo's torque off and change its baud rate. The answer to the change itself
        is not awaited, since it may come at either rate. Call `lock` afterwards.
        """
        register = self._table.baudrate
        number = self._table.baud_number(baudrate)
        change = Exchange(
            self._encode(Write(self._known(servo), register.start, register.pack("The baud rate", number)))
        )
        return (*self._unlock(servo), change)

    def lock(self, servo: int) -> tuple[Exchange, ...]:
        """Command that locks the EEPROM registers again; empty for servos without a lock."""
        lock = self._table.eeprom_lock
        return () if lock is None else (self._write(servo, lock, "The lock", 1),)

    def _unlock(self, servo: int) -> tuple[Exchange, ...]:
        torque_off = self._write(servo, self._table.torque, "Torque", 0)
        lock = self._table.eeprom_lock
        return (torque_off,) if lock is None else (torque_off, self._write(servo, lock, "The lock", 0))

    def _watchdog(self, seconds: float | None) -> tuple[Register, int]:
        """(the watchdog's register, the number to write) for a timeout [s]; `seconds` None: disabled."""
        register, span = self._table.watchdog, self.capabilities.watchdog
        if register is None or span is None:
            raise ProtocolError(
                f"{self.capabilities.title} have no watchdog: when the line goes silent a servo holds its"
                " last goal"
            )
        if seconds is None:
            return register, 0
        if not span[0] <= seconds <= span[1]:
            raise ProtocolError(
                f"A watchdog of {seconds:g} s; these servos take {span[0]:g} to {span[1]:g} s"
            )
        return register, round(seconds / self._table.watchdog_unit)

    def _expected(self, settings: VolatileSettings) -> list[Expected]:
        """The registers of these settings, with the numbers that they must hold."""
        table = self._table
        expected = [Expected("its torque", table.torque.start, 1)] if settings.torque else []
        if settings.speed is not None:
            expected.append(
                Expected("its speed limit", table.speed.start, self._speed_number(settings.speed))
            )
        if settings.watchdog is not None:
            register, number = self._watchdog(settings.watchdog)
            expected.append(Expected("its watchdog", register.start, number))
        return expected

    def _speed_number(self, speed: float) -> int:
        return in_units("The speed", speed, self._table.speed_unit, self._table.speed.highest)

    def _packed_id(self, servo: int) -> bytes:
        return self._table.servo_id.pack("The new id", self._known(servo))

    def _write(self, servo: int, register: Register, name: str, value: int) -> Exchange:
        """Command that writes a register of one servo, and its acknowledgement; `name` is for messages."""
        instruction = Write(self._known(servo), register.start, register.pack(name, value))
        return self._query(instruction, Answer(servo, AnswerKind.DONE))

    def _sync_write(self, register: Register, values: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands without answers that write a register of several servos; `values` by servo id."""
        items = iter(
            [
                (self._known(servo), register.pack(f"Servo {servo}: its value", value))
                for servo, value in values.items()
            ]
        )
        parts = iter(lambda: tuple(islice(items, MOST_AT_ONCE)), ())
        return tuple(Exchange(self._encode(SyncWrite(register.start, part))) for part in parts)

    def _ask_all(self, answers: Sequence[Answer], start: int, size: int) -> Iterator[Exchange]:
        """Exchanges that read `size` bytes at address `start` from the servo of each expected answer: by sync
        reads if the servos support them, otherwise one by one.
        """
        if not self._sync_reads:
            for answer in answers:
                assert answer.servo is not None
                yield self._query(Read(answer.servo, start, size), answer)
            return
        for first in range(0, len(answers), MOST_AT_ONCE):
            part = tuple(answers[first : first + MOST_AT_ONCE])
            servos = tuple(answer.servo for answer in part if answer.servo is not None)
            yield Exchange(
                self._encode(SyncRead(start, size, servos)),
                part,
                len(part) * self._framing.status_length(size),
            )

    def _query(self, instruction: Instruction, answer: Answer) -> Exchange:
        return Exchange(self._encode(instruction), (answer,), self._framing.status_length(answer.size))

    def _encode(self, instruction: Instruction) -> bytes:
        return self._framing.encode(instruction)

    def _neighbours(self, quantities: Collection[Quantity]) -> list[list[Quantity]]:
        """Quantities in the order of their registers, grouped into those that one query can read."""
        groups: list[list[Quantity]] = []
        for quantity in sorted(set(quantities), key=lambda quantity: self._table.quantities[quantity].start):
            if (
                groups
                and self._table.quantities[quantity].end - self._table.quantities[groups[-1][0]].start
                <= WIDEST_READ
            ):
                groups[-1].append(quantity)
            else:
                groups.append([quantity])
        return groups
