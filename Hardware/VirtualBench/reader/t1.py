"""The card's end of T=1 (ISO/IEC 7816-3, 11), for a reader that exchanges TPDUs and leaves the rest to its driver."""

import functools
import operator

_MORE, _SEND_BIT, _SUPERVISORY, _RESPONSE = 0x20, 0x40, 0xC0, 0x20
_RESYNCHRONISE, _SIZE = 0, 1
_CHECK_WRONG, _OTHER_WRONG = 1, 2
# First byte of a request for another protocol or speed (PPS); no block begins so.
_PPS = 0xFF


def block(control: int, data: bytes = b"") -> bytes:
    body = bytes([0, control, len(data)]) + data
    return body + bytes([functools.reduce(operator.xor, body)])


class T1:
    """Blocks in and out; `exchange` gives the answer to a whole command, or None when the card is gone."""

    def __init__(self, exchange):
        self.exchange = exchange
        self.reset()

    def reset(self) -> None:
        self.host_size = 32
        self.sends = self.expects = 0
        self.command = bytearray()
        self.rest = b""
        self.last = block(0x80)

    def receive(self, received: bytes) -> bytes | None:
        """The block that answers; None when the card is gone. What a PPS asks for is agreed to."""
        if received[:1] == bytes([_PPS]):
            return received
        if len(received) < 4 or received[2] != len(received) - 4 or functools.reduce(operator.xor, received):
            return self._refusal(_CHECK_WRONG)
        control, data = received[1], received[3:-1]
        if not control & 0x80:
            return self._information(control, data)
        if control & _SUPERVISORY == _SUPERVISORY:
            return self._supervised(control & 0x1F, data)
        return self._receipt(control >> 4 & 1)

    def _information(self, control: int, data: bytes) -> bytes | None:
        if bool(control & _SEND_BIT) != bool(self.expects):
            return self._refusal(_OTHER_WRONG)
        self.expects ^= 1
        self.command += data
        if control & _MORE:
            return self._refusal(0)
        answer = self.exchange(bytes(self.command))
        self.command.clear()
        if answer is None:
            return None
        self.rest = answer
        return self._next()

    def _receipt(self, expected: int) -> bytes:
        """The host has the last block and wants the next, or has not and wants it again."""
        return self._next() if expected == self.sends and self.rest else self.last

    def _supervised(self, request: int, data: bytes) -> bytes:
        if request == _RESYNCHRONISE:
            self.reset()
        if request == _SIZE:
            self.host_size = data[0]
        return block(_SUPERVISORY | _RESPONSE | request, data)

    def _refusal(self, reason: int) -> bytes:
        """Asks for the block that is expected; with a reason, once more."""
        return block(0x80 | self.expects << 4 | reason)

    def _next(self) -> bytes:
        piece, self.rest = self.rest[:self.host_size], self.rest[self.host_size:]
        self.last = block(self.sends << 6 | (_MORE if self.rest else 0), piece)
        self.sends ^= 1
        return self.last
