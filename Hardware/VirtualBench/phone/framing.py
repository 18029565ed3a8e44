"""Characteristics and framing of ISO/IEC 18013-5 clause 8.3.3.1.1, and of its channel over L2CAP."""

from journal import Failure

BASE = "-a123-48ce-896b-4c76973373e6"
LARGEST_VALUE = 512
START, END = 1, 2

# SessionData with status 20 and no data: the session is over.
STATUS_20 = bytes.fromhex("a166737461747573") + b"\x14"


class Names:
    """The characteristics of a mode: mdoc peripheral server ("peripheral") or mdoc central client ("central")."""

    def __init__(self, mode):
        numbers = (1, 2, 3, None, 0xA) if mode == "peripheral" else (5, 6, 7, 8, 0xB)
        self.state, self.to_server, self.to_client, self.ident, self.psm = (
            number and f"{number:08x}{BASE}" for number in numbers
        )


def chunks(message, limit):
    """The values that carry a message: a prefix of 1 (more follows) or 0, then a part of it."""
    part = limit - 1
    for at in range(0, len(message), part):
        more = at + part < len(message)
        yield bytes([more]) + message[at : at + part]


class Assembly:
    """Puts a message together, and counts what it came in."""

    def __init__(self):
        self._parts = bytearray()
        self.values = self.largest = 0

    def take(self, value):
        """The message, when this value is its last one."""
        if len(value) == 0 or value[0] > 1:
            raise Failure("malformed-chunk")
        self._parts += value[1:]
        self.values += 1
        self.largest = max(self.largest, len(value))
        return bytes(self._parts) if value[0] == 0 else None


class LengthAssembly:
    """Messages in a stream: each with its length before it, 4 bytes, big-endian."""

    def __init__(self):
        self._bytes = bytearray()

    def take(self, data):
        """The messages that end in this part of the stream."""
        self._bytes += data
        while len(self._bytes) >= 4:
            end = 4 + int.from_bytes(self._bytes[:4], "big")
            if len(self._bytes) < end:
                return
            message = bytes(self._bytes[4:end])
            del self._bytes[:end]
            yield message
