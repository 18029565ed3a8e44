"""The client: in mdoc central client mode the phone, which finds the reader and its service."""

import asyncio
import time

from bumble import att
from bumble.core import UUID

from faults import MOMENTS
from framing import Names, START
from journal import Failure, tell
from radio import GATTLink, find, open_channel, own_address


class CentralLink(GATTLink):
    def __init__(self, connection, options, client):
        super().__init__(connection, options)
        self._client = client
        self.by_name = {}

    def write(self, value):
        self._write("to_server", value)

    def write_state(self, number):
        self._write("state", bytes([number]))

    def _write(self, name, value):
        command = att.ATT_Write_Command(attribute_handle=self.by_name[name].handle, attribute_value=value)
        self._client.send_gatt_pdu(bytes(command))


async def connect(made, address, seconds=10):
    """Connects. A controller waits for the next advertisement; a virtual one fails at once when none is there."""
    end = time.monotonic() + seconds
    while True:
        try:
            return await made.connect(address, own_address_type=made.own_type, timeout=seconds)
        except Exception as error:
            if time.monotonic() > end:
                raise Failure("not-connected") from error
        await asyncio.sleep(0.02)


async def open_link(made, options, faults, ident):
    """From the scan to the start of the session."""
    address = await find(made, options)
    tell("found", address=address.to_string(False))
    if faults.name == "connect-storm":
        await storm(made, address, faults.count)
        await faults.ended()
    connection = await connect(made, address)
    tell("connected")
    client = connection.gatt_client
    link = CentralLink(connection, options, client)
    await faults.at("connected", link)
    tell("mtu", mtu=await client.request_mtu(options.mtu))
    await faults.at("mtu", link)
    await discover(link, client, options)
    await faults.at("discovered", link)
    await check_ident(link, options, ident, faults)
    if options.l2cap:
        return await open_channel(connection, await read_psm(link))
    if options.start_before_cccd or faults.name == "no-cccd":
        start(link)
    if faults.name != "no-cccd":
        await subscribe(link)
        await faults.at("subscribed", link)
    if not (options.start_before_cccd or faults.name == "no-cccd"):
        start(link)
    await faults.at("started", link)
    return link


async def discover(link, client, options):
    services = await client.discover_service(UUID(options.uuid))
    if not services:
        # By its value alone a server does not find a UUID that it holds in its 16-bit form.
        services = [one for one in await client.discover_services() if one.uuid == UUID(options.uuid)]
    if not services:
        raise Failure("no-service")
    names = Names(options.mode)
    characteristics = {one.uuid: one for one in await services[0].discover_characteristics()}
    for name in ("state", "to_server", "to_client", "ident", "psm"):
        uuid = getattr(names, name)
        found = uuid and characteristics.get(UUID(uuid))
        if found:
            link.by_name[name] = found
        elif name in ("state", "to_server", "to_client"):
            raise Failure(f"no-characteristic-{name.replace('_', '-')}")
    tell("discovered", characteristics=len(characteristics))


async def check_ident(link, options, ident, faults):
    if options.mode == "peripheral":
        return
    if "ident" not in link.by_name:
        raise Failure("no-characteristic-ident")
    value = bytes(await link.by_name["ident"].read_value())
    facts = dict(match="yes" if value == ident else "no") if ident else {}
    tell("ident", ident=value.hex(), **facts)
    if faults.name == "no-ident-match":
        await faults.leave(link)
    if ident and value != ident:
        await link.disconnect()
        raise Failure("ident-mismatch")


async def read_psm(link):
    if "psm" not in link.by_name:
        raise Failure("no-characteristic-psm")
    value = bytes(await link.by_name["psm"].read_value())
    tell("psm", bytes=value.hex())
    return int.from_bytes(value, "big")


async def subscribe(link):
    await link.by_name["state"].subscribe(link.take_state)
    await link.by_name["to_client"].subscribe(link.take)
    tell("subscribed")


def start(link):
    link.write_state(START)
    tell("started")


async def storm(made, address, count):
    """Connects and leaves again, so many times in a row."""
    done = 0
    try:
        while done < count:
            connection = await connect(made, address)
            await asyncio.sleep(MOMENTS["connected"])
            await asyncio.wait_for(connection.disconnect(), 5)
            done += 1
    finally:
        tell("storm", connections=done)


async def connect_elsewhere(made, third):
    """The virtual controllers take a connection's number from the side that connects, and each side counts its own:
    the second connection of the reader has to be the phone's second as well."""
    await third.start_advertising(own_address_type=third.own_type)
    await connect(made, own_address(third))


async def second_phone(made, options):
    """Another phone at the same reader: subscribes like the first and counts what reaches it."""
    count = 0

    def take(_):
        nonlocal count
        count += 1

    address = await find(made, options)
    try:
        connection = await connect(made, address)
        link = CentralLink(connection, options, connection.gatt_client)
        await connection.gatt_client.request_mtu(options.mtu)
        await discover(link, connection.gatt_client, options)
        await link.by_name["to_client"].subscribe(take)
        tell("second", subscribed="yes")
    except Exception as error:
        tell("second", refused=type(error).__name__)
    return lambda: count
