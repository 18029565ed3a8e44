#!/usr/bin/env python3
"""Measures countersign-accessories with eight accessories: how soon outputs and codes come, and what it needs at rest.

    accessory_benchmark.py FOLDER [PRESENTATIONS [SECONDS-AT-REST]]

FOLDER has the programs, built for release. The daemon, the program and the software wallet are processes; pseudo terminals play an
LCUS board, a till at a serial line and six scanners. Prints one JSON object. Times depend on the machine and its disk, so they
fail nothing; exits with 1 when memory or wake-ups at rest miss their limit."""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import tty

from daemon_benchmark import PATIENCE, PORT, TOKENS, Connection, Daemon, Sheet, figure, median, wakeups

OFF, ON, TEXT = bytes.fromhex("a00100a1"), bytes.fromhex("a00101a2"), b"OK\r"
GATE, SCANNERS, CODES_AT_A_LANE = "gate", 6, 5
# The device engagement of ISO/IEC 18013-5, D.3.1, without the end of its UUID.
ENGAGEMENT = bytes.fromhex(
    "a30063312e30018201d818584ba4010220012158205a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b624343167fe225820b16e8cf858ddc769"
    "0407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc670281830201a300f401f50b5045efef742b2c4837a9a3b0e1d05a")


class Cable:
    """A serial device that is a pseudo terminal."""

    def __init__(self, name):
        self.name = name
        self.socket, self.terminal = os.openpty()
        tty.setraw(self.terminal)
        self.path = os.ttyname(self.terminal)
        self.bytes = b""

    def take(self):
        self.bytes += os.read(self.socket, 4096)


class Stage:
    """What is seen from outside, each with the time at which it was there."""

    def __init__(self, cables):
        self.selector = selectors.DefaultSelector()
        self.seen = {}
        self.cables = {cable.name: cable for cable in cables}
        for cable in cables:
            self.selector.register(cable.socket, selectors.EVENT_READ, cable)

    def listen(self, lane):
        connection = Connection("clerk")
        connection.name = lane
        connection.send("GET", f"/v1/lanes/{lane}/events")
        self.selector.register(connection.socket, selectors.EVENT_READ, connection)

    def forget(self):
        self.seen = {}
        for key in self.selector.get_map().values():
            key.data.bytes = b""

    def when(self, name, *marks):
        """Waits until one of the marks came from there; gives the time at which it was read."""
        limit = time.monotonic() + PATIENCE
        while True:
            for mark in marks:
                if (name, mark) in self.seen:
                    return self.seen[name, mark]
            ready = self.selector.select(max(0, limit - time.monotonic()))
            now = time.monotonic()
            if not ready:
                raise TimeoutError(f"{name} does not say {marks}: {[key.data.bytes for key in self.selector.get_map().values()]}")
            for key, _ in ready:
                key.data.take()
                text = key.data.bytes.replace(b" ", b"")
                for mark in (OFF, ON, ON + OFF, TEXT[:1], *STATES):
                    if mark in text:
                        self.seen.setdefault((key.data.name, mark), now)


def code(number):
    """Another code for each number: the same code counts once."""
    text = base64.urlsafe_b64encode(ENGAGEMENT + number.to_bytes(2, "big")).rstrip(b"=")
    return b"mdoc:" + text


def state(word):
    return f'"state":"{word}"'.encode()


STATES = [state(word) for word in ("armed", "verified", "failed", "idle")]


def configuration(folder, wallet, silent, cables):
    scanners = [f"scan-{number}" for number in range(1, SCANNERS + 1)]
    return {
        "store": f"{folder}/store", "http": {"port": PORT},
        "socket": {"path": f"{folder}/socket", "users": [{"uid": os.getuid(), "scopes": ["accessory"]}]},
        "tokens": [{"name": name, "scopes": [name], "sha256": hashlib.sha256(token.encode()).hexdigest()}
                   for name, token in TOKENS.items()],
        "acceptTestDocuments": True,
        "lanes": [{"name": GATE, "benchLink": wallet}]
                 + [{"name": name, "benchLink": f"tcp://127.0.0.1:{port}"} for name, port in zip(scanners, silent)],
        "accessories": [
            {"name": "lock", "lane": GATE, "trial": True,
             "out": {"relay": {"lcus": {"device": cables["lock"].path, "channel": 1}, "pulseMs": 100}}},
            {"name": "till", "lane": GATE, "trial": True,
             "out": {"line": {"device": cables["till"].path, "templates": {"allow": "OK{enter}"}}}},
            *({"name": name, "lane": name, "in": {"serial": {"device": cables[name].path}}} for name in scanners)],
    }


@contextlib.contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def start_wallet(programs, folder):
    wallet = subprocess.Popen(
        [f"{programs}/countersign-lab", "wallet", "--listen", "tcp://127.0.0.1:0", "--root", f"{folder}/root.der",
         "--handover", "static"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    address = wallet.stdout.readline().split()[0].decode()
    subprocess.run([f"{programs}/countersign", "trust", "import", f"{folder}/root.der", "--store", f"{folder}/store"],
                   check=True, stdout=subprocess.DEVNULL)
    return wallet, address


def order(asking, lane):
    """Orders a check, also while the lane still shows the result of the one before."""
    limit = time.monotonic() + PATIENCE
    while True:
        status, reply = asking.ask("POST", "/v1/presentations", {"kind": "display", "lane": lane, "intent": "age over 21"})
        if status == 201:
            return
        if status != 409 or time.monotonic() > limit:
            raise AssertionError(reply)
        time.sleep(0.05)


def wait_for_devices(count):
    """Waits until every accessory is there."""
    asking, limit = Connection("clerk"), time.monotonic() + PATIENCE
    names = [GATE, *(f"scan-{number}" for number in range(1, SCANNERS + 1))]
    while True:
        states = [accessory["state"] for name in names
                  for accessory in asking.ask("GET", f"/v1/lanes/{name}")[1].get("accessories", [])]
        if len(states) == count and set(states) <= {"ready", "trial"}:
            return
        if time.monotonic() > limit:
            raise TimeoutError(f"{states}")
        time.sleep(0.1)


def disk_syncs(folder):
    """What a write to the disk takes, as the daemon's commits wait for it."""
    times = []
    with open(f"{folder}/sync", "wb") as file:
        for _ in range(50):
            start = time.monotonic()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - start)
    return times


def measure_outputs(stage, presentations, sheet, folder):
    asking, contact, first = Connection("app"), [], []
    stage.listen(GATE)
    # The board was switched off at the start.
    stage.when("lock", OFF)
    for _ in range(presentations):
        stage.forget()
        order(asking, GATE)
        outcome = stage.when(GATE, state("verified"))
        contact.append(stage.when("lock", ON) - outcome)
        first.append(stage.when("till", TEXT[:1]) - outcome)
        # An output that comes while the contact is closed is refused.
        stage.when("lock", ON + OFF)
    sheet.add("disk.sync.median", median(disk_syncs(folder)), "ms")
    sheet.add("outcome.contact.median", median(contact), "ms")
    sheet.add("outcome.contact.longest", max(contact) * 1000, "ms")
    sheet.add("outcome.text.median", median(first), "ms")


def measure_codes(stage, sheet):
    """From the end of a code to the event with which its lane answers. The bench link takes no scanned code: the check ends."""
    asking, times = Connection("app"), []
    lanes = [f"scan-{number}" for number in range(1, SCANNERS + 1)]
    for lane in lanes:
        stage.listen(lane)
    for turn in range(CODES_AT_A_LANE):
        for number, lane in enumerate(lanes):
            order(asking, lane)
            stage.when(lane, state("armed"))
            # The program has heard of the lane's state, too.
            time.sleep(0.1)
            stage.forget()
            os.write(stage.cables[lane].socket, code(turn * SCANNERS + number))
            start = time.monotonic()
            os.write(stage.cables[lane].socket, b"\r")
            times.append(stage.when(lane, state("failed")) - start)
            stage.forget()
    sheet.add("code.event.median", median(times), "ms")
    sheet.add("code.event.longest", max(times) * 1000, "ms")


def processes_of(program):
    """The program, and its watchdog, which a thread of the program has started."""
    children = [(task / "children").read_text().split() for task in pathlib.Path(f"/proc/{program}/task").iterdir()]
    return [str(program), *sum(children, [])]


def private_memory(process):
    file = f"/proc/{process}/smaps_rollup"
    return (figure(file, "Private_Clean:") + figure(file, "Private_Dirty:")) / 1024


def measure_rest(program, seconds, sheet):
    # A lane's page shows the last result for 12 s, and the program hears of its end.
    time.sleep(15)
    processes = processes_of(program)
    before = {process: wakeups(process) for process in processes}
    time.sleep(seconds)
    count = sum(now - before[process].get(thread, 0)
                for process in processes for thread, now in wakeups(process).items())
    sheet.add("rest.wakeups", count / seconds, "1/s", most=2)
    sheet.add("rest.memory.private", private_memory(processes[0]), "MB", most=15)
    if len(processes) > 1:
        sheet.add("rest.memory.watchdog", private_memory(processes[1]), "MB")


def main(programs, presentations=50, seconds=30):
    sheet, cables = Sheet(), [Cable(name) for name in ("lock", "till", *(f"scan-{i}" for i in range(1, SCANNERS + 1)))]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder, contextlib.ExitStack() as stack:
        wallet, address = start_wallet(programs, folder)
        stack.enter_context(ended(wallet))
        # A wallet that says nothing keeps its lane armed.
        silent = [stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64)).getsockname()[1]
                  for _ in range(SCANNERS)]
        pathlib.Path(folder, "countersignd.json").write_text(json.dumps(
            configuration(folder, address, silent, {cable.name: cable for cable in cables})))
        stack.enter_context(ended(Daemon(programs, folder).process))
        program = stack.enter_context(ended(subprocess.Popen(
            [f"{programs}/countersign-accessories", "--socket", f"{folder}/socket"], stderr=subprocess.DEVNULL)))
        wait_for_devices(len(cables))
        stage = Stage(cables)
        measure_outputs(stage, presentations, sheet, folder)
        measure_codes(stage, sheet)
        measure_rest(program.pid, seconds, sheet)
    print(sheet.text("accessories"))
    return 0 if sheet.is_met else 1


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
