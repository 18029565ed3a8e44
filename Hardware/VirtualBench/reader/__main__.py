"""python3 reader SOCKET: USB readers in software for with-reader. Lines to SOCKET steer them, each is answered by a line:

  plug MODEL [level=tpdu|short|extended] [message=N] [slots=N] [device=HHHH]
                                                       into the next free port; its antenna has the next free card port, from 35963
  unplug                                               all of them
  pull                                                 the phones are taken away
  fault NAME [NUMBER] | clear NAME                     see FAULTS
  heard                                                commands to the readers themselves, and requests for more time, since the
                                                       last such line, as JSON, with their times in seconds
"""

import dataclasses
import json
import os
import socketserver
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from card import OFF, Card
from firmware import Firmware
from models import EXTENDED, SHORT, TPDU, Model
from usbip import Device

FAULTS = {
    "mute": "a phone that is there does not answer when it gets power",
    "ghost": "a phone is reported that is not there",
    "hang": "no message is answered",
    "no-interrupt": "a phone that comes or goes is not announced, only said when asked",
    "polls": "a phone without power is reported as gone and come again after NUMBER seconds",
    "extends": "while the phone is busy more time is asked for every NUMBER seconds (0.5)",
}
LEVELS = {"tpdu": TPDU, "short": SHORT, "extended": EXTENDED}
FIRST_CARD_PORT = 35963


def variant(model: Model, options: list[str]) -> Model:
    """The model with another level, size of messages or number of slots at its antenna, or another bcdDevice, as other firmware
    may have it."""
    chosen = dict(option.split("=", 1) for option in options)
    antenna, *others = model.interfaces
    if level := chosen.pop("level", None):
        antenna = dataclasses.replace(antenna, features=antenna.features & ~0x00070000 | LEVELS[level])
    if size := chosen.pop("message", None):
        antenna = dataclasses.replace(antenna, max_message=int(size))
    if slots := chosen.pop("slots", None):
        antenna = dataclasses.replace(antenna, max_slot=int(slots) - 1)
    device = int(chosen.pop("device", f"{model.device:x}"), 16)
    if chosen:
        raise ValueError(f"unknown option {next(iter(chosen))}")
    return dataclasses.replace(model, device=device, interfaces=(antenna, *others))


class Bench:
    """The readers that are plugged in, and what goes wrong with all of them."""

    def __init__(self):
        self.readers: list[tuple[Device, Firmware]] = []
        # A phone stays where it lies when a reader is unplugged.
        self.cards: list[Card] = []
        self.faults: dict[str, float] = {}
        self.notes: list[dict] = []

    def obey(self, word: str, *values: str) -> str:
        if word == "heard":
            heard, self.notes = self.notes, []
            return json.dumps(heard)
        {"plug": self.plug, "unplug": self.unplug, "pull": self.pull, "fault": self.fault, "clear": self.clear}[word](*values)
        return "ok"

    def plug(self, name: str, *options: str) -> None:
        model = variant(Model.named(name), list(options))
        firmwares: list[Firmware] = []
        device = Device(model, lambda number, message: firmwares[number].receive(message))
        for number, interface in enumerate(model.interfaces):
            firmwares.append(Firmware(
                interface, model.slow_status, self.faults, lambda message, n=number: device.send(n, message),
                lambda message, n=number: device.notify(n, message), self.note))
        antenna = firmwares[0]
        antenna.card = self.card(len(self.readers))
        antenna.card.changed = antenna.changed
        device.plug()
        self.readers.append((device, antenna))

    def card(self, number: int) -> Card:
        if number == len(self.cards):
            self.cards.append(Card(FIRST_CARD_PORT + number))
        return self.cards[number]

    def unplug(self) -> None:
        for device, antenna in self.readers:
            antenna.card.changed = None
            device.unplug()
            antenna.card.power(OFF)
        self.readers = []

    def pull(self) -> None:
        for card in self.cards:
            card.leave()

    def fault(self, name: str, number: str = "0") -> None:
        if name not in FAULTS:
            raise ValueError(f"no fault {name}: {', '.join(FAULTS)}")
        self.faults[name] = float(number)
        self.tell(name)

    def clear(self, name: str) -> None:
        self.faults.pop(name, None)
        self.tell(name)

    def tell(self, name: str) -> None:
        """A ghost comes and goes as a phone does."""
        if name == "ghost":
            for _, antenna in self.readers:
                antenna.changed(antenna.present)

    def note(self, kind: str, data: bytes) -> None:
        self.notes.append({"kind": kind, "data": data.hex(), "time": round(time.monotonic(), 4)})
        del self.notes[:-10_000]


def serve(path: str) -> None:
    bench = Bench()

    class Steering(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                try:
                    answer = bench.obey(*line.decode().split())
                except Exception as error:
                    answer = f"failed: {error!r}"
                self.wfile.write(f"{answer}\n".encode())

    with socketserver.ThreadingUnixStreamServer(path, Steering) as server:
        server.daemon_threads = True
        server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1])
