"""What a bad phone does."""

import asyncio

from framing import START
from journal import Ended, Failure, tell

STEPS = ("connected", "mtu", "discovered", "subscribed", "started", "request", "half-response", "response")
NAMES = ("garbage-chunk", "empty-chunk", "oversized", "never-ending", "second-start", "wrong-service", "no-cccd",
         "no-ident-match", "silent", "silent-after-first-chunk", "connect-storm", "second-phone")
INSTEAD_OF_RESPONSE = ("silent", "no-cccd", "silent-after-first-chunk", "garbage-chunk", "empty-chunk", "oversized",
                       "never-ending")
ONLY = {"wrong-service": "peripheral", "no-ident-match": "central", "second-phone": "central"}
NEVER_ENDING = 64 << 20
# How long a phone stays that leaves at one of these steps. Who leaves at the very moment the link is up can hit a bug of
# the kernel (6.1: list corruption in hci_chan_del), which ends bluetoothd and all Bluetooth with it; of who leaves as it
# starts bluetoothd may not tell the start. A radio sends the end of a link in the connection event after that of the last
# data at the earliest, and events are 7.5 ms apart at least (Core Specification, Vol 6, Part B, 4.5.1): sooner, bluetoothd
# drops what it has not read yet.
MOMENTS = {"connected": 0.02, "started": 0.05, "response": 0.0075}


class Faults:
    """The fault of a run, or none: `name`, and the number or step behind it."""

    def __init__(self, text, mode):
        self.name, _, argument = (text or "").replace(" ", "=").partition("=")
        self.step = argument if self.name == "disconnect-at" else None
        self.count = int(argument or 64) if self.name == "connect-storm" else 0
        # Whether it has begun: whatever ends the connection from then on is as it should be.
        self.acting = self.name in ("no-cccd", "wrong-service")
        if self.name == "disconnect-at" and self.step not in STEPS:
            raise ValueError(f"disconnect-at takes a step: {', '.join(STEPS)}")
        if self.name and self.name not in NAMES + ("disconnect-at",):
            raise ValueError(f"unknown fault; known: {', '.join(NAMES)}, disconnect-at=STEP")
        if ONLY.get(self.name, mode) != mode or self.step == "discovered" and mode == "peripheral":
            raise ValueError(f"{text} is not for --mode {mode}")

    async def at(self, step, link):
        if self.step == step:
            await asyncio.sleep(MOMENTS.get(step, 0))
            await self.leave(link)

    def later(self, step, link):
        """The same, out of a callback."""
        if self.step == step:
            self.acting = True
            asyncio.ensure_future(link.disconnect())

    async def leave(self, link):
        self.acting = True
        await link.disconnect()
        await self.ended()

    async def ended(self):
        tell("fault", name=self.name)
        raise Ended()

    async def answer(self, link, response):
        """Sends the response as this fault has it; true when nothing remains to be done but to wait for the end."""
        self.acting |= self.name in INSTEAD_OF_RESPONSE
        if self.name in ("silent", "no-cccd"):
            return True
        if self.name == "silent-after-first-chunk":
            await link.send(response, stop_after=1)
            return True
        if self.step == "half-response":
            await link.send(response, stop_after=max(1, len(response) // link.limit // 2))
            await self.leave(link)
        if self.name in ("garbage-chunk", "empty-chunk", "oversized"):
            link.write({"garbage-chunk": b"\x07garbage", "empty-chunk": b"",
                        "oversized": b"\x01" + bytes(link.connection.att_mtu + 16)}[self.name])
            return True
        if self.name == "never-ending":
            await self._never_end(link)
            return True
        if self.name == "second-start":
            link.write_state(START)
        return False

    async def _never_end(self, link):
        sent = 0
        value = b"\x01" + bytes(link.limit - 1)
        try:
            while sent < NEVER_ENDING:
                await link.paced()
                link.write(value)
                sent += len(value)
        finally:
            tell("never-ending", bytes=sent)
