"""The session itself: bytes between the air and the wallet, and its end."""

import asyncio

import cbor
from faults import MOMENTS
from framing import STATUS_20
from journal import Failure, tell


def pattern(size):
    return (bytes(byte * 31 + 7 & 255 for byte in range(251)) * (size // 251 + 1))[:size]


def lone_status(message):
    """The status of a SessionData that carries nothing else: the end of the session."""
    try:
        fields = cbor.decode(message) if len(message) < 32 else None
    except (ValueError, IndexError):
        return None
    return fields.get("status") if isinstance(fields, dict) and "data" not in fields else None


class Echo:
    """In the wallet's place: answers each message with so many bytes, to measure what the air carries."""

    def __init__(self, size):
        self._size = size
        self._answers = asyncio.Queue()

    async def receive(self):
        return await self._answers.get()

    async def send(self, message):
        self._answers.put_nowait(pattern(self._size) if self._size else message)

    def close(self):
        pass


class Session:
    """Carries messages both ways until one side ends it."""

    def __init__(self, link, wallet, options, faults):
        self._link, self._wallet, self._options, self._faults = link, wallet, options, faults
        self._answered = False

    async def run(self):
        tasks = [asyncio.ensure_future(one()) for one in (self._from_air, self._from_wallet)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()

    async def _from_air(self):
        while True:
            event, what, *facts = await self._link.events.get()
            if event == "message":
                status = lone_status(what)
                if status is None:
                    tell("request", bytes=len(what), **facts[0])
                    await self._faults.at("request", self._link)
                await self._wallet.send(what)
                if status is not None:
                    tell("status", status=status)
                    return await self._ended()
            elif event == "state":
                tell("state", state=what)
                if what == "02":
                    return await self._ended()
            elif event == "failed":
                raise what
            else:
                if self._faults.acting:
                    await self._faults.ended()
                if not self._answered:
                    raise Failure("disconnected-early")
                return

    async def _ended(self):
        if self._faults.acting:
            tell("fault", name=self._faults.name)
        if self._options.linger:
            await self._link.closed.wait()
        await self._link.disconnect()

    async def _from_wallet(self):
        while True:
            response = await self._wallet.receive()
            if response is None:
                # The reader's end is still to come.
                return await asyncio.Event().wait()
            if await self._faults.answer(self._link, response):
                continue
            await self._link.send(response)
            self._answered = True
            tell("response", bytes=len(response))
            await self._faults.at("response", self._link)
            if await self._end():
                return

    async def _end(self):
        """Ends the session as asked for; false when the reader has to."""
        end = self._options.end
        if end in ("status20", "both"):
            await self._link.send(STATUS_20)
            tell("status", status=20, by="phone")
        if end in ("state02", "both"):
            await self._link.end()
            tell("state", state="02", by="phone")
        if end == "disconnect":
            await asyncio.sleep(MOMENTS["response"])
            await self._link.disconnect()
            return True
        return False
