"""The server: in mdoc peripheral server mode the phone, which advertises and waits for the reader."""

import asyncio

from bumble import att, gatt, l2cap

from framing import Names, START
from journal import tell
from radio import CHANNEL, ChannelLink, GATTLink, advertised

NOTIFY = gatt.Characteristic.Properties.NOTIFY
WRITE = gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE
READ = gatt.Characteristic.Properties.READ


class PeripheralLink(GATTLink):
    def __init__(self, connection, options, service):
        super().__init__(connection, options)
        self._service = service

    def write(self, value):
        self._notify(self._service.to_client, value)

    def write_state(self, number):
        self._notify(self._service.state, bytes([number]))

    # By hand: bumble would cut what is longer than the MTU allows, and a fault wants just that.
    def _notify(self, characteristic, value):
        notification = att.ATT_Handle_Value_Notification(
            attribute_handle=characteristic.handle, attribute_value=value)
        self.connection.device.gatt_server.send_gatt_pdu(self.connection, bytes(notification))


class Service:
    """The phone's service, with the link of the reader that is connected."""

    def __init__(self, made, options, faults):
        self._options, self._faults = options, faults
        self.link = None
        self.links = asyncio.Queue()
        self.started = asyncio.Event()
        # For an MTU, which is what a reader asks for first.
        self.asked = asyncio.Event()
        self._subscribed = set()
        self._made = made
        names = Names(options.mode)
        may_write, may_read = gatt.Characteristic.WRITEABLE, gatt.Characteristic.READABLE
        self.state = gatt.Characteristic(
            names.state, NOTIFY | WRITE, may_write, gatt.CharacteristicValue(write=self._take_state))
        to_server = gatt.Characteristic(
            names.to_server, WRITE, may_write, gatt.CharacteristicValue(write=self._take))
        self.to_client = gatt.Characteristic(
            names.to_client, READ if faults.name == "no-cccd" else NOTIFY, may_read)
        for one in (self.state, self.to_client):
            one.on("subscription", lambda _, notify, __, one=one: self._subscription(one, notify))
        characteristics = [self.state, to_server, self.to_client]
        if names.ident:
            ident = bytes.fromhex(options.ident or "00" * 16)
            characteristics.append(gatt.Characteristic(names.ident, READ, may_read, ident))
        if options.psm_characteristic:
            value = options.psm_shown.to_bytes(options.psm_characteristic, "big")
            characteristics.append(gatt.Characteristic(names.psm, READ, may_read, value))
        uuid, self._advertisement = advertised(options.uuid, options.uuid16, options.flags)
        made.add_service(gatt.Service(uuid, [] if faults.name == "wrong-service" else characteristics))
        if options.l2cap_psm:
            spec = l2cap.LeCreditBasedChannelSpec(psm=options.l2cap_psm, **CHANNEL)
            made.create_l2cap_server(spec=spec, handler=self._channel)
        made.on("connection", self._connected)

    async def advertise(self):
        await self._begin_advertising()
        tell("advertising", uuid=self._options.uuid)
        self._repeating = asyncio.ensure_future(self._repeat_advertising())

    async def _begin_advertising(self):
        await self._made.start_advertising(
            advertising_data=self._advertisement, own_address_type=self._made.own_type,
            advertising_interval_min=50, advertising_interval_max=50)

    # The virtual controllers report an advertiser once: when it begins, or when the other begins to scan. The kernel
    # often misses that, as it takes the scan to have begun only later, and scans anew after ten seconds.
    async def _repeat_advertising(self):
        while True:
            await asyncio.sleep(1)
            await self._made.stop_advertising()
            await self._begin_advertising()

    def _connected(self, connection):
        tell("connected")
        self._repeating.cancel()
        self.started.clear()
        self.asked.clear()
        self._subscribed.clear()
        self.link = PeripheralLink(connection, self._options, self)
        connection.on("connection_att_mtu_update", self._mtu)
        connection.on("disconnection", lambda _, link=self.link: self._disconnected(link))
        self.links.put_nowait(self.link)

    def _disconnected(self, link):
        if self.link is link:
            self.link = None

    def _mtu(self):
        tell("mtu", mtu=self.link.connection.att_mtu)
        self.asked.set()
        self._faults.later("mtu", self.link)

    def _subscription(self, characteristic, notify):
        if not notify:
            self._subscribed.discard(characteristic)
            return tell("unsubscribed")
        self._subscribed.add(characteristic)
        if len(self._subscribed) == 2:
            tell("subscribed")
        else:
            # A reader starts right behind the second one.
            self._faults.later("subscribed", self.link)

    def _take_state(self, _, value):
        if bytes(value) == bytes([START]) and not self.started.is_set():
            tell("started")
            self.started.set()
        elif self.link:
            self.link.take_state(value)

    def _take(self, _, value):
        if self.link:
            self.link.take(value)

    def _channel(self, channel):
        self.link = ChannelLink(channel.connection, channel)
        self.started.set()


async def open_link(made, options, faults):
    """From the advertisement to the start of the session."""
    service = Service(made, options, faults)
    await service.advertise()
    left = faults.count if faults.name == "connect-storm" else 0
    while True:
        link = await service.links.get()
        if left > 0:
            # Early enough that no reader, however fast, can have found the service.
            await comes(service.asked.wait(), link)
            await link.disconnect()
            left -= 1
            if left == 0:
                tell("storm", connections=faults.count)
                await faults.ended()
            await service.advertise()
            continue
        await faults.at("connected", link)
        if await comes(service.started.wait(), link):
            await faults.at("started", service.link)
            return service.link
        if faults.acting:
            await faults.ended()
        await service.advertise()


async def comes(what, link):
    """Whether it comes before the reader leaves."""
    coming = asyncio.ensure_future(what)
    gone = asyncio.ensure_future(link.closed.wait())
    done, pending = await asyncio.wait({coming, gone}, return_when=asyncio.FIRST_COMPLETED)
    for one in pending:
        one.cancel()
    return coming in done
