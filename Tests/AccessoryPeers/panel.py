"""A door controller, played by libosdp in the program `Hardware/VirtualBench/osdp-panel`."""

import json
import subprocess
import sys
import threading

from built_daemon import ROOT
from counter import until

PROGRAM = ROOT / "Hardware/VirtualBench/osdp-panel"
KEY, OTHER_KEY = "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"
FACILITY, CARD = 77, 21
# The number of bytes of an acknowledgement in the secure channel: header, security block, reply, MAC and checksum.
ACKNOWLEDGEMENT = 14


class Panel:
    """A controller that polls the address 5 of its line from the beginning to the cleanup."""

    def __init__(self, case, *options):
        """`options`: of the program, such as the key."""
        self.process = subprocess.Popen([sys.executable, PROGRAM, sys.prefix, "--trace", *options], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.events = []
        reading = threading.Thread(target=self._read)
        reading.start()
        case.addCleanup(self.process.stdout.close)
        case.addCleanup(reading.join)
        case.addCleanup(self.process.wait)
        # The end of its input ends the program.
        case.addCleanup(self.process.stdin.close)
        self.device = until("the line of the panel", lambda: self.said("line"))[0]["path"]

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def said(self, event):
        """The events of one kind so far, in order."""
        return [one for one in list(self.events) if one["event"] == event]

    def wait(self, **members):
        """Waits until the line is in this state, such as `online=True`."""
        until(f"{members} at the panel", lambda: members.items() <= self.said("state")[-1].items())

    def cards(self, count):
        """Waits for this number of cards. Returns all that have come."""
        return until(f"{count} cards", lambda: len(found := self.said("card")) >= count and found)

    def was_ever(self, member):
        return any(one[member] for one in self.said("state"))

    def lose_next_card(self):
        """Loses the reader's next reply that is longer than an acknowledgement, so that the panel repeats its command."""
        count = len(self.said("done"))
        self.process.stdin.write(f"miss {ACKNOWLEDGEMENT}\n")
        self.process.stdin.flush()
        until("the panel's answer", lambda: len(self.said("done")) > count)

    def messages(self, sender="peripheral"):
        """The messages of the reader so far, or of the `panel`, as hexadecimal digits."""
        return [one["hex"] for one in self.said("bytes") if one["from"] == sender]

    def reply_codes(self):
        """The codes of the reader's replies so far, such as 76h for its cryptogram."""
        for reply in self.messages():
            frame = bytes.fromhex(reply).lstrip(b"\xff")
            if len(frame) >= 8:  # a shorter piece is the rest of a reply
                yield frame[5 + (frame[5] if frame[4] & 8 else 0)]

    def reader(self, folder, **members):
        """The accessory `panel`, which is a reader at this controller, with the key in a file of its own."""
        key = folder / "osdp.key"
        key.touch(mode=0o600)
        key.write_text(KEY + "\n")
        return {"name": "panel", "lane": "counter-1", "trial": True, **members,
                "out": {"osdp": {"device": self.device, "speed": 9600, "address": 5, "keyFile": str(key),
                                 "allow": {"bits": 26, "facility": FACILITY, "card": CARD}}}}


def raw_card(facility, card):
    """The bits of a card of the format H10301, an even and an odd parity bit around 24 bits, as hexadecimal digits."""
    bits = f"{facility:08b}{card:016b}"
    bits = str(bits[:12].count("1") % 2) + bits + str(1 - bits[12:].count("1") % 2)
    return int(bits.ljust(32, "0"), 2).to_bytes(4, "big").hex()
