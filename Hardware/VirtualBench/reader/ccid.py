"""CCID's messages (CCID 1.1, 6), and how an interface cuts long APDUs into several of them."""

import struct
from dataclasses import dataclass

HEAD = 10
POWER_ON, POWER_OFF, SLOT_STATUS, TRANSFER = 0x62, 0x63, 0x65, 0x6F
GET_PARAMETERS, RESET_PARAMETERS, SET_PARAMETERS, ESCAPE, ABORT = 0x6C, 0x6D, 0x61, 0x6B, 0x72
DATA_BLOCK, STATUS, PARAMETERS, ESCAPED, SLOT_CHANGE = 0x80, 0x81, 0x82, 0x83, 0x50
# Of the card: with power, without, not there.
ACTIVE, INACTIVE, ABSENT = 0, 1, 2
FAILED, MORE_TIME = 0x40, 0x80
# bError
MUTE, NOT_SUPPORTED, BAD_LENGTH, BAD_SLOT, OVERRUN = 0xFE, 0x00, 0x01, 0x05, 0xFC
# wLevelParameter of a command and bChainParameter of an answer: begins and ends, begins, ends, continues.
WHOLE, FIRST, LAST, MIDDLE, ANSWER_WANTED = 0, 1, 2, 3, 0x10


@dataclass(frozen=True)
class Command:
    kind: int
    slot: int
    sequence: int
    parameter: bytes
    data: bytes

    @staticmethod
    def read(message: bytes) -> "Command":
        kind, length, slot, sequence = struct.unpack("<BIBB", message[:7])
        return Command(kind, slot, sequence, message[7:HEAD], message[HEAD:HEAD + length])

    @property
    def level(self) -> int:
        return struct.unpack("<H", self.parameter[1:])[0]

    def answer(self, kind: int, status: int, error: int = 0, data: bytes = b"", last: int = 0) -> bytes:
        return struct.pack("<BIBBBBB", kind, len(data), self.slot, self.sequence, status, error, last) + data


class Collector:
    """Puts messages together out of transfers: the length in the head counts, not where a transfer ends."""

    def __init__(self):
        self.partial = bytearray()

    def take(self, transfer: bytes) -> bytes | None:
        """The message that this transfer completes."""
        self.partial += transfer
        if len(self.partial) < HEAD or len(self.partial) < HEAD + struct.unpack("<I", self.partial[1:5])[0]:
            return None
        message, self.partial = bytes(self.partial), bytearray()
        return message


class Chain:
    """The pieces of one command and its answer at the level of extended APDUs, `room` bytes each."""

    def __init__(self, room: int):
        self.room = room
        self.command = bytearray()
        self.rest = b""

    def gather(self, level: int, piece: bytes) -> bytes | None:
        """The whole command, once its last piece is there."""
        if level in (WHOLE, FIRST):
            self.command.clear()
        self.command += piece
        return bytes(self.command) if level in (WHOLE, LAST) else None

    def begin(self, answer: bytes) -> tuple[bytes, int]:
        self.rest = answer
        piece = self._cut()
        return piece, FIRST if self.rest else WHOLE

    def proceed(self) -> tuple[bytes, int]:
        piece = self._cut()
        return piece, MIDDLE if self.rest else LAST

    def _cut(self) -> bytes:
        piece, self.rest = self.rest[:self.room], self.rest[self.room:]
        return piece
