"""The phone's controller and host stack, and the links it opens."""

import asyncio
import contextlib

from bumble import hci, l2cap
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.transport import open_transport

from framing import Assembly, LengthAssembly, LARGEST_VALUE, STATUS_20, chunks
from journal import Ended, Failure, tell

CHANNEL = dict(mtu=2048, mps=247, max_credits=64)


@contextlib.asynccontextmanager
async def device(options, name="phone"):
    """A device on the air. It disconnects before it goes: the virtual controllers never tell that a peer vanished."""
    kind, _, address = options.address.partition(":")
    try:
        opened = await open_transport(options.transport)
    except OSError as error:
        raise Failure("no-air") from error
    async with opened as transport:
        made = Device.with_hci(name, hci.Address(address or "C0:22:22:22:22:02"), transport.source, transport.sink)
        made.own_type = hci.OwnAddressType.RANDOM if kind == "random" else hci.OwnAddressType.PUBLIC
        made.gatt_server.max_mtu = options.mtu
        await made.power_on()
        made.lost = transport.source.terminated
        try:
            yield made
        finally:
            for connection in list(made.connections.values()):
                await leave(connection)


def watch(connection):
    """Tells when the connection ends, and who ended it."""
    if hasattr(connection, "left_by"):
        return
    connection.left_by = "reader"
    connection.on("disconnection", lambda reason: tell(
        "disconnected", by=connection.left_by, reason=f"0x{reason:02x}"))


async def leave(connection):
    connection.left_by = "phone"
    with contextlib.suppress(Exception):
        await asyncio.wait_for(connection.disconnect(), 5)


def own_address(made):
    return made.random_address if made.own_type == hci.OwnAddressType.RANDOM else made.public_address


def advertised(uuid, as_16_bit, flags):
    """The UUID of the service, and the advertisement that carries it, with these flags or none."""
    service = UUID.from_16_bits(int(uuid[4:8], 16)) if as_16_bit else UUID(uuid)
    kind = (
        AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS
        if as_16_bit
        else AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
    )
    first = [(AdvertisingData.FLAGS, flags)] if flags else []
    return service, bytes(AdvertisingData(first + [(kind, bytes(service))]))


def is_general_discoverable(flags):
    """Bluetooth Core Specification Supplement, part A, 1.3: the flags, where there are any."""
    return bool(flags) and bool(flags[0] & 0x02)


async def find(made, options):
    """The address of the first that advertises the service; a strict scanner ignores those that are not discoverable."""
    uuid = UUID(options.uuid)
    heard = set()
    found = asyncio.get_running_loop().create_future()
    lists = (
        AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
    )

    def seen(advertisement):
        named = [one for kind in lists for some in advertisement.data.get_all(kind) for one in some]
        if uuid not in named or found.done():
            return
        if options.strict_scanner:
            flags = b"".join(advertisement.data.get_all(AdvertisingData.FLAGS, raw=True))
            taken = is_general_discoverable(flags)
            if flags not in heard:
                heard.add(flags)
                tell("heard", flags=flags.hex() or "none", taken="yes" if taken else "no")
            if not taken:
                return
        found.set_result(advertisement.address)

    made.on("advertisement", seen)
    await made.start_scanning(own_address_type=made.own_type)
    try:
        return await asyncio.wait_for(found, options.timeout)
    except asyncio.TimeoutError as error:
        raise Failure("not-found") from error
    finally:
        made.remove_listener("advertisement", seen)
        await made.stop_scanning()


class Link:
    """A connection with one session on it. What the reader sends comes out of `events`: ("message", bytes, facts),
    ("state", hexadecimal), ("failed", why), ("closed", None)."""

    def __init__(self, connection):
        self.connection = connection
        self.events = asyncio.Queue()
        self.closed = asyncio.Event()
        watch(connection)
        connection.on("disconnection", lambda _: self._closed())

    def _closed(self):
        self.closed.set()
        self.events.put_nowait(("closed", None))

    async def disconnect(self):
        if not self.closed.is_set():
            await leave(self.connection)

    async def paced(self, most=8):
        """Waits until the controller has taken what lies before it, but for so many packets."""
        queue = self.connection.device.host.get_data_packet_queue(self.connection.handle)
        while queue and queue.pending > most and not self.closed.is_set():
            await asyncio.sleep(0.001)
        if self.closed.is_set():
            raise Ended()


class GATTLink(Link):
    """A session over characteristics; `write` puts one value on the way to the reader."""

    def __init__(self, connection, options):
        super().__init__(connection)
        self._options = options
        self._assembly = Assembly()

    @property
    def limit(self):
        """The largest value that may be sent, prefix included."""
        most = min(LARGEST_VALUE, self.connection.att_mtu - 3)
        return min(most, self._options.chunk or most)

    def take(self, value):
        try:
            message = self._assembly.take(bytes(value))
        except Failure as failure:
            self.events.put_nowait(("failed", failure))
            return
        if message is not None:
            facts = dict(chunks=self._assembly.values, largest=self._assembly.largest)
            self.events.put_nowait(("message", message, facts))
            self._assembly = Assembly()

    def take_state(self, value):
        self.events.put_nowait(("state", bytes(value).hex()))

    async def send(self, message, stop_after=None):
        """Sends a message, or only so many values of it."""
        for number, value in enumerate(chunks(message, self.limit)):
            if number == stop_after:
                return
            await self.paced()
            self.write(value)
        await self.paced(most=0)

    async def end(self):
        """State 02."""
        self.write_state(2)


class ChannelLink(Link):
    """A session over an L2CAP channel."""

    limit = 512

    def __init__(self, connection, channel):
        super().__init__(connection)
        self._channel = channel
        self._assembly = LengthAssembly()
        channel.sink = self.take
        channel.on("close", lambda *_: self._closed())
        tell("channel", psm=channel.psm, mtu=channel.peer_mtu)

    def take(self, data):
        for message in self._assembly.take(data):
            self.events.put_nowait(("message", message, {}))

    async def send(self, message, stop_after=None):
        stream = len(message).to_bytes(4, "big") + message
        if stop_after is not None:
            stream = stream[: self.limit * stop_after]
        self._channel.write(stream)
        await self._channel.drain()
        await self.paced(most=0)

    async def end(self):
        await self.send(STATUS_20)

    def write(self, value):
        raise Failure("fault-needs-gatt")

    def write_state(self, number):
        raise Failure("fault-needs-gatt")


async def open_channel(connection, psm):
    opening = asyncio.ensure_future(connection.create_l2cap_channel(
        spec=l2cap.LeCreditBasedChannelSpec(psm=psm, **CHANNEL)))
    # The request is on its way then. What comes with the answer would be lost without a sink: the reader sends at once.
    await asyncio.sleep(0)
    early = []
    for channel in connection.device.l2cap_channel_manager.channels.get(connection.handle, {}).values():
        if isinstance(channel, l2cap.LeCreditBasedChannel):
            channel.sink = early.append
    try:
        link = ChannelLink(connection, await opening)
    except l2cap.L2capError as error:
        raise Failure("channel-refused") from error
    for data in early:
        link.take(data)
    return link
