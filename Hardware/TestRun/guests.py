"""Faults of a guest that have a name: the only ones after which a step may run once more."""

import pathlib
import re

# Debian's kernel 6.1 may break in hci_chan_del when a phone leaves at the wrong moment.
OOPS = re.compile(r"(BUG: .*|Oops: .*|general protection fault.*|Kernel panic.*)")


def unasked_end(name):
    """An end of a daemon that bluezd-control did not ask for: what it asked for ends with ", as asked"."""
    return re.compile(rf"^{name} \d+ ended (?:by signal \d+|with status [1-9]\d*)$", re.MULTILINE)


# bluetoothd before 5.84 may end when a phone leaves while it is subscribed to (bluez/bluez#1383).
CRASH = unasked_end("bluetoothd")
# pcscd 1.9.9 may abort when a reader of several slots is unplugged while one of them is asked: libccid hands libusb a device
# that is closed.
ABORT = re.compile(r"^pcscd: .*libusb_submit_transfer: Assertion .* failed\.$", re.MULTILINE)
# No daemon of the bench may do so: the step fails, and says it first.
LOSS = unasked_end(r"\S+")


def named_fault(folder):
    """The first named fault in a guest's logs, or ""."""
    for name, pattern in (("dmesg.log", OOPS), ("console.log", OOPS), ("bluetoothd-ends.log", CRASH), ("pcscd.log", ABORT)):
        for path in sorted(pathlib.Path(folder).rglob(name)):
            if found := pattern.search(path.read_text(errors="replace")):
                return f"{found[0]} ({name})"
    return ""


def losses(folder):
    """Each daemon of the bench that ended and was not asked to, by name, process and status."""
    return [f"{line} ({path.name})" for path in sorted(pathlib.Path(folder).rglob("*-ends.log"))
            for line in LOSS.findall(path.read_text(errors="replace"))]
