"""The wallet behind the phone: it is spoken to over the TCP bench link, and its greeting tells how it engages."""

import asyncio
import base64
import hashlib
import hmac
import uuid

import cbor
from journal import Failure

BLE = 2
OOB_TYPE = b"application/vnd.bluetooth.le.oob"
LARGEST_FRAME = 16 << 20


class Wallet:
    """One connection to a wallet is one session: the wallet greets, then frames go both ways."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, endpoint):
        host, _, port = endpoint.rpartition(":")
        try:
            return cls(*await asyncio.open_connection(host, int(port)))
        except OSError as error:
            raise Failure("wallet-unreachable") from error

    async def receive(self):
        """The next frame; None when the wallet has closed."""
        try:
            length = int.from_bytes(await self._reader.readexactly(4), "big")
            if length > LARGEST_FRAME:
                raise Failure("wallet-frame-too-long")
            return await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def send(self, frame):
        try:
            self._writer.write(len(frame).to_bytes(4, "big") + frame)
            await self._writer.drain()
        except ConnectionError:
            pass

    def close(self):
        self._writer.close()


class Greeting:
    """What a wallet's first frame says of its engagement."""

    def __init__(self, frame):
        self.frame = frame
        fields = cbor.decode(frame)
        self.select, self.request = fields.get("handoverSelect"), fields.get("handoverRequest")
        engagement = fields["deviceEngagement"]
        if self.select is None:
            text = fields["qr"].partition(":")[2].lstrip("/").rstrip("=\n ")
            engagement = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        self.engagement = cbor.decode(engagement)
        self.is_v2 = bool(fields.get("nfcV2"))

    @property
    def handover(self):
        if self.is_v2:
            return "nfc-v2"
        return "qr" if self.select is None else "static" if self.request is None else "negotiated"

    def service(self, mode):
        """The UUID for a mode: of the engagement's options, or of an out-of-band record."""
        option = 11 if mode == "central" else 10
        methods = list(self.engagement.get(2) or [])
        if self.is_v2:
            # A phone may leave out the UUID that the reader offered.
            methods += cbor.decode(self.request)[0].get(2) or []
        for kind, _, options in (method[:3] for method in methods):
            if kind == BLE and option in options:
                return str(uuid.UUID(bytes=options[option]))
        if self.is_v2:
            raise Failure("no-uuid-in-greeting")
        # In negotiated handover a wallet that becomes the client keeps the reader's UUID.
        for message in (self.select, self.request):
            found = message and oob_uuid(message)
            if found:
                return found
        raise Failure("no-uuid-in-greeting")

    def ident(self):
        """Ident (ISO/IEC 18013-5 8.3.3.1.1.4): HKDF of EDeviceKeyBytes."""
        key = self.engagement[1][1].encoded
        extracted = hmac.digest(bytes(32), key, "sha256")
        return hmac.digest(extracted, b"BLEIdent\x01", hashlib.sha256)[:16]


def oob_uuid(message):
    """The 128-bit UUID of the first out-of-band record for Bluetooth LE in an NDEF message."""
    at = 0
    while at < len(message):
        flags, kind_length = message[at], message[at + 1]
        size = 1 if flags & 0x10 else 4
        length, at = int.from_bytes(message[at + 2 : at + 2 + size], "big"), at + 2 + size
        id_length = message[at] if flags & 0x08 else 0
        at += 1 if flags & 0x08 else 0
        kind, at = bytes(message[at : at + kind_length]), at + kind_length + id_length
        payload, at = bytes(message[at : at + length]), at + length
        if flags & 7 == 2 and kind == OOB_TYPE:
            return _uuid_of_structures(payload)
    return None


def _uuid_of_structures(payload):
    at = 0
    while at + 1 < len(payload) and payload[at]:
        length, kind = payload[at], payload[at + 1]
        if kind in (6, 7) and length >= 17:
            return str(uuid.UUID(bytes=payload[at + 2 : at + 18][::-1]))
        at += 1 + length
    return None
