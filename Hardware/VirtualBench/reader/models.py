"""The models of models.json, and what each answers when the kernel asks what it is."""

import json
import pathlib
import struct
from dataclasses import dataclass

TPDU, SHORT, EXTENDED = 0x00010000, 0x00020000, 0x00040000
DEVICE, CONFIGURATION, STRING = 1, 2, 3
_TABLE = pathlib.Path(__file__).with_name("models.json")


@dataclass(frozen=True)
class Interface:
    """One CCID interface: a reader for pcscd, or several that share it, one for each slot."""

    features: int
    max_message: int
    name: str | None = None
    max_ifsd: int = 254
    max_slot: int = 0
    protocols: int = 2
    voltages: int = 7
    bcd_ccid: int = 0x0110
    clock: tuple[int, int] = (4000, 4000)
    rate: tuple[int, int] = (10752, 250000)
    class_bytes: tuple[int, int] = (0, 0)
    interrupt: bool = True

    @staticmethod
    def read(entry: dict) -> "Interface":
        numbers = {key: int(entry[key], 16) for key in ("features", "bcd_ccid") if key in entry}
        return Interface(**{**entry, **numbers})

    @property
    def level(self) -> int:
        return self.features & 0x00070000

    def descriptor(self) -> bytes:
        """CCID 1.1, 5.1."""
        return struct.pack(
            "<BBHBBIIIBIIBIIIIIBBHBB", 54, 0x21, self.bcd_ccid, self.max_slot, self.voltages, self.protocols, *self.clock, 0,
            *self.rate, 0, self.max_ifsd, 0, 0, self.features, self.max_message, *self.class_bytes, 0, 0, 1)


@dataclass(frozen=True)
class Model:
    vendor: int
    product: int
    device: int
    manufacturer: str
    name: str
    listed: bool
    interfaces: tuple[Interface, ...]
    # Seconds the firmware takes to say that there is no card.
    slow_status: float

    @staticmethod
    def named(name: str) -> "Model":
        entry = json.loads(_TABLE.read_text())["models"][name]
        return Model(
            int(entry["vendor"], 16), int(entry["product"], 16), int(entry["device"], 16), entry["manufacturer"],
            entry["name"], entry["listed"], tuple(map(Interface.read, entry["interfaces"])), entry.get("slow_status", 0))

    @property
    def strings(self) -> list[str]:
        return list(dict.fromkeys([self.manufacturer, self.name, *(i.name for i in self.interfaces if i.name)]))

    def descriptor(self, kind: int, index: int) -> bytes | None:
        """What GET_DESCRIPTOR gets; None where there is no such one."""
        if kind == DEVICE:
            return struct.pack("<BBHBBBBHHHBBBB", 18, DEVICE, 0x0110, 0, 0, 0, 64, self.vendor, self.product, self.device,
                               self._index(self.manufacturer), self._index(self.name), 0, 1)
        if kind == CONFIGURATION and index == 0:
            return self._configuration()
        if kind == STRING and index == 0:
            return struct.pack("<BBH", 4, STRING, 0x0409)
        if kind == STRING and index <= len(self.strings):
            text = self.strings[index - 1].encode("utf-16-le")
            return struct.pack("<BB", len(text) + 2, STRING) + text
        return None

    def _index(self, text: str | None) -> int:
        return self.strings.index(text) + 1 if text else 0

    def _configuration(self) -> bytes:
        body = b"".join(self._interface(*entry) for entry in enumerate(self.interfaces))
        head = struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), len(self.interfaces), 1, 0, 0x80, 100)
        return head + body

    def _interface(self, number: int, interface: Interface) -> bytes:
        ends = [(Ends.out(number), 2, 64, 0), (Ends.into(number), 2, 64, 0)]
        if interface.interrupt:
            ends.append((Ends.interrupt(number), 3, 8, 16))
        head = struct.pack("<9B", 9, 4, number, 0, len(ends), 0x0B, 0, 0, self._index(interface.name))
        return head + interface.descriptor() + b"".join(struct.pack("<BBBBHB", 7, 5, *end) for end in ends)


class Ends:
    """The endpoint addresses of an interface."""

    @staticmethod
    def interrupt(number: int) -> int: return 0x81 + 2 * number

    @staticmethod
    def out(number: int) -> int: return 0x02 + 2 * number

    @staticmethod
    def into(number: int) -> int: return 0x82 + 2 * number
