"""USB/IP's messages, and the device in a port of vhci-hcd: the kernel's requests come by a socket pair, no network."""

import queue
import socket
import struct
import threading
from collections import defaultdict, deque
from typing import NamedTuple

import ccid
from models import Ends, Model

SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
HEAD = 48
STALLED, TAKEN_BACK = -32, -104
_FULL_SPEED, _FREE = 2, "004"
_CONTROLLER = "/sys/devices/platform/vhci_hcd.0"
# bRequest: GET_STATUS; CLEAR_FEATURE, SET_FEATURE, SET_CONFIGURATION and SET_INTERFACE; GET_DESCRIPTOR
_GET_STATUS, _SETTINGS, _GET_DESCRIPTOR = 0, (1, 3, 9, 11), 6
_CLASS_REQUEST, _CCID_ABORT = 0x21, 1


class Request(NamedTuple):
    """The kernel asks for a transfer, or takes an earlier request back."""

    command: int
    number: int
    into_computer: bool
    endpoint: int
    earlier: int
    length: int
    setup: bytes

    @staticmethod
    def read(head: bytes) -> "Request":
        command, number, _, direction, endpoint, earlier, length = struct.unpack(">6Ii", head[:28])
        return Request(command, number, direction == 1, endpoint | direction << 7, earlier, length, head[40:])


def submitted(number: int, status: int, length: int, data: bytes = b"") -> bytes:
    return struct.pack(">5IiiIII8x", SUBMITTED, number, 0, 0, 0, status, length, 0, 0, 0) + data


def unlinked(number: int, was_waiting: bool) -> bytes:
    return struct.pack(">5Ii24x", UNLINKED, number, 0, 0, 0, TAKEN_BACK if was_waiting else 0)


class Device:
    """One that is plugged in. `receive(interface, message)` gets what comes by bulk, in a thread for each interface."""

    def __init__(self, model: Model, receive):
        self.model, self.receive = model, receive
        self.lock = threading.Lock()
        # By endpoint: the requests that wait for data, and the data that waits for requests.
        self.wanted, self.ready = defaultdict(deque), defaultdict(deque)
        self.inboxes = {Ends.out(number): queue.SimpleQueue() for number in range(len(model.interfaces))}
        self.collectors = {end: ccid.Collector() for end in self.inboxes}
        self.link: socket.socket | None = None

    # The plug

    def plug(self) -> None:
        self.link, kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        for number, inbox in enumerate(self.inboxes.values()):
            threading.Thread(target=self._work, args=(number, inbox), daemon=True).start()
        threading.Thread(target=self._serve, daemon=True).start()
        self.port = self._free_port()
        with open(f"{_CONTROLLER}/attach", "w") as attach:
            attach.write(f"{self.port} {kernels.fileno()} {0x10001 + self.port} {_FULL_SPEED}")
        kernels.close()

    def unplug(self) -> None:
        with open(f"{_CONTROLLER}/detach", "w") as detach:
            detach.write(str(self.port))

    @staticmethod
    def _free_port() -> int:
        with open(f"{_CONTROLLER}/status") as status:
            ports = (line.split() for line in list(status)[1:])
            return next(int(port) for hub, port, state, *_ in ports if hub == "hs" and state == _FREE)

    # From the computer

    def _serve(self) -> None:
        try:
            while True:
                self._handle(Request.read(self._take(HEAD)))
        except (EOFError, OSError):
            for inbox in self.inboxes.values():
                inbox.put(None)
            self.link.close()

    def _handle(self, request: Request) -> None:
        sent = b"" if request.into_computer or request.command == UNLINK else self._take(request.length)
        with self.lock:
            if request.command == UNLINK:
                self.link.sendall(unlinked(request.number, self._withdraw(request.earlier)))
            elif request.endpoint & 0x7F == 0:
                self.link.sendall(self.control(request))
            elif request.into_computer:
                self.wanted[request.endpoint].append(request)
                self._flush(request.endpoint)
            else:
                self.link.sendall(submitted(request.number, 0, len(sent)))
        if sent and (message := self.collectors[request.endpoint].take(sent)):
            self.inboxes[request.endpoint].put(message)

    def control(self, request: Request) -> bytes:
        kind, what, value, _, length = struct.unpack("<BBHHH", request.setup)
        if kind & 0x60 == 0 and what == _GET_DESCRIPTOR:
            found = self.model.descriptor(value >> 8, value & 0xFF)
            return submitted(request.number, STALLED, 0) if found is None else self._given(request, found[:length])
        if kind & 0x60 == 0 and what == _GET_STATUS:
            return self._given(request, b"\0\0")
        if (kind & 0x60 == 0 and what in _SETTINGS) or (kind, what) == (_CLASS_REQUEST, _CCID_ABORT):
            return submitted(request.number, 0, 0)
        return submitted(request.number, STALLED, 0)

    @staticmethod
    def _given(request: Request, data: bytes) -> bytes:
        return submitted(request.number, 0, len(data), data)

    def _work(self, number: int, inbox: queue.SimpleQueue) -> None:
        while (message := inbox.get()) is not None:
            self.receive(number, message)

    def _withdraw(self, number: int) -> bool:
        for requests in self.wanted.values():
            for request in requests:
                if request.number == number:
                    requests.remove(request)
                    return True
        return False

    def _take(self, count: int) -> bytes:
        taken = bytearray()
        while len(taken) < count:
            piece = self.link.recv(count - len(taken))
            if not piece:
                raise EOFError
            taken += piece
        return bytes(taken)

    # To the computer

    def send(self, number: int, message: bytes) -> None:
        self._put(Ends.into(number), message)

    def notify(self, number: int, message: bytes) -> None:
        if self.model.interfaces[number].interrupt:
            self._put(Ends.interrupt(number), message)

    def _put(self, endpoint: int, message: bytes) -> None:
        with self.lock:
            self.ready[endpoint].append(message)
            try:
                self._flush(endpoint)
            except OSError:
                pass

    def _flush(self, endpoint: int) -> None:
        wanted, ready = self.wanted[endpoint], self.ready[endpoint]
        while wanted and ready:
            request, message = wanted.popleft(), ready.popleft()
            if len(message) > request.length:
                ready.appendleft(message[request.length:])
            self.link.sendall(self._given(request, message[:request.length]))
