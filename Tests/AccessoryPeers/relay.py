"""A relay board at Modbus, played by the server of pymodbus: in the network, or at a serial line."""

import asyncio
import contextlib
import os
import select
import threading
import tty

from built_daemon import held_port
from counter import until
from pymodbus import FramerType
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusSerialServer, ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

UNIT, COIL = 7, 3
READ, WRITE = 1, 5
# The exceptions with which the board can refuse a request.
REFUSALS = {"address": ExcCodes.ILLEGAL_ADDRESS, "failure": ExcCodes.DEVICE_FAILURE, "busy": ExcCodes.DEVICE_BUSY}


class Cable:
    """A serial cable of software between two pseudo terminals, `ends`."""

    def __init__(self, cleanup):
        pairs = [os.openpty() for _ in range(2)]
        self.ends = [os.ttyname(terminal) for _, terminal in pairs]
        for controller, terminal in pairs:
            # The terminals stay open here, so that the line lives on while no program has them open.
            cleanup(os.close, terminal)
            tty.setraw(terminal)
            os.set_blocking(controller, False)
        one, other = (controller for controller, _ in pairs)
        wake, ending = os.pipe()
        thread = threading.Thread(target=self._carry, args=(one, other, wake))
        thread.start()
        for descriptor in (one, other, wake):
            cleanup(os.close, descriptor)
        cleanup(thread.join)
        cleanup(os.close, ending)

    @staticmethod
    def _carry(one, other, end):
        while end not in (ready := select.select([one, other, end], [], [])[0]):
            for source, target in ((one, other), (other, one)):
                if source in ready:
                    # A line loses what nobody hears.
                    with contextlib.suppress(BlockingIOError):
                        os.write(target, os.read(source, 4096))


class Relay:
    """A board with 16 coils, of which the tests use one.

    `requests` has what the board was asked, in order: `on`, `off` or `read`. `fault` names what it does wrong:

    | fault | the board |
    |---|---|
    | `address`, `failure`, `busy` | refuses each request with this exception |
    | `opposite` | switches the contact to the opposite, and says so |
    | `stuck` | says that the contact is closed, whenever it is read |
    | `failure at on`, `opposite at on` | has the fault only when the contact is to be closed |
    """

    def __init__(self, case, carrier):
        self.requests = []
        self.fault = None
        self.is_closed = False
        self.pulse = 300
        self.carrier = carrier
        if carrier == "TCP":
            self.port = held_port(case.addCleanup)
            self.member = {"host": "127.0.0.1", "port": self.port}
        else:
            self.cable = Cable(case.addCleanup)
            self.member = {"device": self.cable.ends[0], "speed": 19200}
        self.member |= {"unit": UNIT, "coil": COIL}
        self.loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self.loop.run_forever)
        thread.start()
        case.addCleanup(self.loop.close)
        case.addCleanup(thread.join)
        case.addCleanup(self.loop.call_soon_threadsafe, self.loop.stop)
        case.addCleanup(self.leave)
        self.server = None
        self.come()

    def contact(self, **members):
        """The accessory `lock`, which is this board."""
        return {"name": "lock", "lane": "counter-1", "trial": True, **members,
                "out": {"relay": {"modbus": self.member, "pulseMs": self.pulse}}}

    def come(self):
        """Begins to answer."""
        self._run(self._serve())

    def leave(self):
        """Ends all connections, and answers no longer."""
        if self.server:
            self._run(self.server.shutdown())
            self.server = None

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    async def _serve(self):
        coils = SimData(0, values=[False] * 16, datatype=DataType.BITS)
        rest = SimData(0, values=0, datatype=DataType.REGISTERS)
        unit = SimDevice(UNIT, ([coils], [coils], [rest], [rest]), action=self._act)
        if self.carrier == "TCP":
            self.server = ModbusTcpServer(unit, address=("127.0.0.1", self.port))
        else:
            self.server = ModbusSerialServer(unit, framer=FramerType.RTU, port=self.cable.ends[1], baudrate=19200)
        await self.server.serve_forever(background=True)

    async def _act(self, function, _start, address, _count, registers, values):
        """What pymodbus calls for each request, before it does the request."""
        assert address == COIL, address
        if function == WRITE and values is None:
            return None  # pymodbus reads the coil for its reply
        request = "read" if function == READ else "on" if values[0] else "off"
        self.requests.append(request)
        fault = self.fault
        if fault and fault.endswith(" at on"):
            fault = fault.removesuffix(" at on") if request == "on" else None
        if fault in REFUSALS:
            return REFUSALS[fault]
        if fault == "opposite" and values:
            values[0] = not values[0]
        if fault == "stuck" and request == "read":
            registers[0] |= 1 << COIL
        if values:
            self.is_closed = values[0]
        return None

    def asked(self, *requests):
        """Waits until the board has got these requests and no other, and forgets them."""
        until(f"{requests} at the board, not {self.requests}", lambda: len(self.requests) >= len(requests))
        found, self.requests = self.requests, []
        assert found == list(requests), found
