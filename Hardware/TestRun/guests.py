"""Faults of a guest that have a name: the only ones after which a step may run once more."""

import pathlib
import re

# Debian's kernel 6.1 may break in hci_chan_del when a phone leaves at the wrong moment.
OOPS = re.compile(r"(BUG: .*|Oops: .*|general protection fault.*|Kernel panic.*)")
# bluetoothd before 5.84 may end when a phone leaves while it is subscribed to (bluez/bluez#1383).
# What bluezd-control asked for ends with ", as asked".
CRASH = re.compile(r"^bluetoothd \d+ ended (?:by signal \d+|with status [1-9]\d*)$", re.MULTILINE)
# No daemon of the bench may do so: the step fails, and says it first.
LOSS = re.compile(r"^\S+ \d+ ended (?:by signal \d+|with status [1-9]\d*)$", re.MULTILINE)


def named_fault(folder):
    """The first named fault in a guest's logs, or ""."""
    for name, pattern in (("dmesg.log", OOPS), ("console.log", OOPS), ("bluetoothd-ends.log", CRASH)):
        for path in sorted(pathlib.Path(folder).rglob(name)):
            if found := pattern.search(path.read_text(errors="replace")):
                return f"{found[0]} ({name})"
    return ""


def losses(folder):
    """Each daemon of the bench that ended and was not asked to, by name, process and status."""
    return [f"{line} ({path.name})" for path in sorted(pathlib.Path(folder).rglob("*-ends.log"))
            for line in LOSS.findall(path.read_text(errors="replace"))]
