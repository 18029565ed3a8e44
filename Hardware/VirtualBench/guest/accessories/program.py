"""The parts that the programs of this folder share: their lines of output, and the signals that steer them."""

import os
import select
import signal
import sys
import time

# The longest wait for the kernel or for udevd, in seconds.
LIMIT = 60


def say(line):
    """Writes a line to standard output at once."""
    print(line, flush=True)


def awaited(what, look):
    """Calls `look` until it returns a value that counts as true, and returns the value. Ends the program after `LIMIT`."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if value := look():
            return value
        time.sleep(0.02)
    sys.exit(f"{os.path.basename(sys.argv[0])}: no {what} within {LIMIT} s")


def require(path):
    """Ends the program if the kernel lacks a file."""
    if not os.path.exists(path):
        sys.exit(f"{os.path.basename(sys.argv[0])}: no {path} here: run it in the guest, beside with-accessories")


class Signals:
    """The signals as bytes of a pipe, so that a program waits for them together with its device."""

    def __init__(self):
        self._reader, writer = os.pipe()
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer)
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def wait(self, device=None):
        """Waits until a signal comes or `device`, a descriptor, can be read. Returns whether the device can be read, and the
        signals."""
        ready = select.select([self._reader] + ([] if device is None else [device]), [], [])[0]
        numbers = os.read(self._reader, 64) if self._reader in ready else b""
        return device in ready, [signal.Signals(number) for number in numbers]


def is_end(signals):
    return any(number in (signal.SIGTERM, signal.SIGINT) for number in signals)
