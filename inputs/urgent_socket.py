"""A second UDP socket at an inbox's address, to which Linux delivers the urgent packets, so that a flood of
others cannot push one out.

The system drops packets while a socket's buffer is full, and whoever sends fast enough keeps it full. Sockets
that share an address (SO_REUSEPORT) have a buffer each, and a program of instructions that the kernel runs
for each packet (classic BPF) says which of them gets it. It needs no privileges. A packet is urgent if it
begins with the urgent address, alone or as the first element of a bundle. Every inbox binds its first socket
before it shares the address, so that a port in use by another program is refused as usual. Another program of
the same user that shares the address gets no packets.

Sources: socket(7), SO_ATTACH_REUSEPORT_CBPF (Linux 4.5); McCanne & Jacobson 1993, "The BSD Packet Filter";
Linux' Documentation/networking/filter.rst.
"""

import ctypes
import socket
import struct
import sys

from .packets import BUNDLE, FIRST_ELEMENT

ATTACH_FILTER, ATTACH_REUSEPORT_CBPF = 26, 51  # options of Linux that Python does not define
LOAD = {4: 0x20, 1: 0x30}  # size [bytes] -> operation that loads as many bytes at an offset of the packet
JUMP_IF_EQUAL, RETURN = 0x15, 0x06  # codes of BPF operations
UDP_HEADER = 8  # [bytes] length of a UDP packet's header
ORDINARY, URGENT = 0, 1  # sockets in the order in which they were bound to the address
NONE_OF_IT, ALL_OF_IT = 0, 0xFFFFFFFF  # [bytes] how much of a packet a socket's filter accepts

Instruction = tuple[int, int, int, int]  # operation, jumps if true and false [instructions], operand


def urgent_socket(ordinary: socket.socket, address: bytes) -> socket.socket | None:
    """A second socket at the address of the bound one `ordinary`, which receives the packets that begin with
    the OSC address `address`, alone or in a bundle; None if the system does not support this.
    """
    if sys.platform != "linux":
        return None
    try:
        urgent = socket.socket(ordinary.family, socket.SOCK_DGRAM)
    except OSError:  # too many files are open
        return None
    try:
        urgent.setblocking(False)
        # packets to a broadcast address arrive at every socket: this one accepts the urgent ones only
        _attach(urgent, ATTACH_FILTER, _choice(address, UDP_HEADER, ALL_OF_IT, NONE_OF_IT))
        for each in (ordinary, urgent):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        urgent.bind(ordinary.getsockname())
        _attach(ordinary, ATTACH_REUSEPORT_CBPF, _choice(address, 0, URGENT, ORDINARY))
    except OSError:  # an older Linux, or a sandbox
        urgent.close()
        ordinary.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 0)
        return None
    return urgent


def _choice(address: bytes, start: int, urgent: int, other: int) -> list[Instruction]:
    """A program that returns `urgent` for urgent packets, else `other`.

    Args:
        address: Urgent address.
        start: Offset [bytes] of the OSC packet in the program's input.
    """
    alone = _comparisons(address + b"\x00", start)
    in_bundle = _comparisons(BUNDLE, start) + _comparisons(address + b"\x00", start + FIRST_ELEMENT)
    program: list[Instruction] = []
    for comparisons in (alone, in_bundle):
        left = 2 * len(comparisons)  # number of instructions up to the return
        for size, offset, value in comparisons:
            left -= 2
            program += [(LOAD[size], 0, 0, offset), (JUMP_IF_EQUAL, 0, left + 1, value)]
        program.append((RETURN, 0, 0, urgent))
    return [*program, (RETURN, 0, 0, other)]


def _comparisons(expected: bytes, start: int) -> list[tuple[int, int, int]]:
    """(size [bytes], offset [bytes], value) of the numbers to compare, to find whether a packet has the bytes
    `expected` at the offset `start` [bytes].
    """
    parts, at = [], 0
    while at < len(expected):
        size = 4 if len(expected) - at >= 4 else 1
        parts.append((size, start + at, int.from_bytes(expected[at : at + size], "big")))
        at += size
    return parts


def _attach(receiver: socket.socket, option: int, program: list[Instruction]) -> None:
    """Attaches a packet filter program to a socket, in the form of Linux's `struct sock_fprog`."""
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    memory = ctypes.create_string_buffer(code, len(code))
    receiver.setsockopt(socket.SOL_SOCKET, option, struct.pack("@HP", len(program), ctypes.addressof(memory)))
