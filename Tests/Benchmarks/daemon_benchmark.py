#!/usr/bin/env python3
"""Measures countersignd at rest, and how fast it answers, with a lane at the virtual reader.

    Hardware/VirtualBench/with-pcscd -- daemon_benchmark.py FOLDER

FOLDER has the programs, built for release. Prints one JSON object; exits with 1 when a limit is missed. Without a phone:
how long a presentation takes is another benchmark's matter."""

import contextlib
import hashlib
import json
import os
import pathlib
import platform
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# Bound until the end, so that the system gives the port to nobody else; the daemon can listen at it, since both reuse
# addresses and this socket does not listen.
HELD = socket.socket()
HELD.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
HELD.bind(("127.0.0.1", 0))
PORT = HELD.getsockname()[1]
TOKENS = {"app": "app-of-the-benchmark", "clerk": "clerk-of-the-benchmark"}
STARTS, ROUNDS, LISTENERS, REST = 10, 60, 200, 20.0
PATIENCE = 20.0


def configuration(folder):
    return {
        "store": f"{folder}/store", "socket": {"path": f"{folder}/socket"}, "http": {"port": PORT},
        "limits": {"listeners": 1024},
        "tokens": [{"name": name, "scopes": [name], "sha256": hashlib.sha256(token.encode()).hexdigest()}
                   for name, token in TOKENS.items()],
        "acceptTestDocuments": True,
        "lanes": [{"name": "counter-1", "reader": "Virtual PCD 00 00", "transport": "nfc", "waitSeconds": 600}],
    }


class Daemon:
    """countersignd, started as systemd starts it; `ready` is how long it took from its exec, in seconds."""

    def __init__(self, programs, folder):
        path = f"{folder}/notify"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            notices.bind(path)
            notices.settimeout(PATIENCE)
            start = time.monotonic()
            self.process = subprocess.Popen(
                [f"{programs}/countersignd", "--config", f"{folder}/countersignd.json"],
                env={**os.environ, "NOTIFY_SOCKET": path, "COUNTERSIGND_LOG": "error"}, stdin=subprocess.DEVNULL)
            while b"READY=1" not in notices.recv(4096):
                pass
            self.ready = time.monotonic() - start

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def memory(self):
        """What of it is in memory, in MB."""
        return figure(f"/proc/{self.process.pid}/status", "VmRSS:") / 1024


def wakeups(process):
    """How often each thread of a process has waited for something so far."""
    tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
    return {task.name: figure(task / "status", "voluntary_ctxt_switches:") for task in tasks}


def figure(file, name):
    for line in pathlib.Path(file).read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise LookupError(name)


class Connection:
    """One connection to the daemon, which tells when bytes came."""

    def __init__(self, token):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.token = TOKENS[token]
        self.bytes = b""

    def send(self, method, path, body=None):
        body = b"" if body is None else json.dumps(body).encode()
        self.socket.sendall(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    def take(self):
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError("the daemon closed a connection")
        self.bytes += more

    def reply(self):
        """The reply that came whole, as status and JSON; nil before that."""
        head, end, rest = self.bytes.partition(b"\r\n\r\n")
        if not end:
            return None
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", b"0"))
        if len(rest) < length:
            return None
        self.bytes = rest[length:]
        return int(head.split()[1]), json.loads(rest[:length] or b"null")

    def ask(self, method, path, body=None):
        self.send(method, path, body)
        while (reply := self.reply()) is None:
            self.take()
        return reply


ORDER = {"kind": "display", "intent": "age over 21 with portrait for a human to compare"}


class Listeners:
    """Those who listen to the lane."""

    def __init__(self, count):
        self.connections = [Connection("clerk") for _ in range(count)]
        for connection in self.connections:
            connection.send("GET", "/v1/lanes/counter-1/events")
        for connection in self.connections:
            while b"event: " not in connection.bytes:
                connection.take()

    def close(self):
        for connection in self.connections:
            connection.socket.close()

    def times(self, asking, method, path, body, state):
        """Sends a request, and gives its reply, when that was there, and when each listener had its event."""
        for connection in self.connections:
            connection.bytes = b""
        waited = selectors.DefaultSelector()
        for connection in [asking, *self.connections]:
            waited.register(connection.socket, selectors.EVENT_READ, connection)
        mark, answered, heard = f'"state":"{state}"'.encode(), None, []
        start = time.monotonic()
        asking.send(method, path, body)
        while answered is None or len(heard) < len(self.connections):
            ready = waited.select(PATIENCE)
            now = time.monotonic() - start
            if not ready:
                raise TimeoutError(f"{len(heard)} of {len(self.connections)} heard of {state}")
            for key, _ in ready:
                key.data.take()
                if key.data is asking:
                    if answered is None and (reply := asking.reply()):
                        answered = now
                elif mark in key.data.bytes.replace(b" ", b""):
                    heard.append(now)
                    waited.unregister(key.fileobj)
        waited.close()
        return reply, answered, heard


def median(seconds):
    return statistics.median(seconds) * 1000


def prepare(programs, folder):
    """A store that trusts the software wallet."""
    pathlib.Path(folder, "countersignd.json").write_text(json.dumps(configuration(folder)))
    countersign = f"{programs}/countersign"
    with subprocess.Popen(
            [f"{programs}/countersign-lab", "wallet", "--listen", "tcp://127.0.0.1:0", "--root", f"{folder}/root.der"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as wallet:
        wallet.stdout.readline()
        wallet.terminate()
    subprocess.run([countersign, "trust", "import", f"{folder}/root.der", "--store", f"{folder}/store"],
                   check=True, stdout=subprocess.DEVNULL)


class Sheet:
    def __init__(self):
        self.figures = []

    def add(self, name, value, unit, most=None):
        figure = {"id": name, "value": round(value, 2), "unit": unit}
        if most is not None:
            figure |= {"most": most, "met": value <= most}
        self.figures.append(figure)

    @property
    def is_met(self):
        return all(figure.get("met", True) for figure in self.figures)

    def text(self, benchmark="daemon"):
        return json.dumps({"benchmark": benchmark, "machine": machine(), "figures": self.figures}, indent=1)


def machine():
    return {"system": platform.release(), "processor": platform.machine(), "processors": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2)}


def measure_start(programs, folder, sheet):
    starts = []
    for _ in range(STARTS):
        daemon = Daemon(programs, folder)
        starts.append(daemon.ready)
        daemon.stop()
    sheet.add("start.ready.median", median(starts), "ms", most=200)
    sheet.add("start.ready.longest", max(starts) * 1000, "ms")


def arm(asking):
    status, presentation = asking.ask("POST", "/v1/presentations", ORDER)
    if status != 201:
        raise AssertionError(presentation)
    return presentation["id"]


def measure_rest(daemon, sheet):
    sheet.add("rest.memory", daemon.memory(), "MB", most=40)
    identity = arm(Connection("app"))
    # What arming has started comes to rest.
    time.sleep(2)
    before = wakeups(daemon.process.pid)
    time.sleep(REST)
    # A thread that ended takes its count with it.
    count = sum(now - before.get(thread, 0) for thread, now in wakeups(daemon.process.pid).items())
    sheet.add("armed.wakeups", count / REST, "1/s", most=5)
    sheet.add("armed.memory", daemon.memory(), "MB", most=40)
    # A connection that nobody uses is closed.
    Connection("app").ask("DELETE", f"/v1/presentations/{identity}")


def measure_events(daemon, sheet, count):
    """From the sending of the request that causes an event to the event at its listeners: more than the event takes."""
    listeners, asking = Listeners(count), Connection("app")
    armed, heard, slowest = [], [], []
    for _ in range(ROUNDS):
        (status, presentation), answered, times = listeners.times(
            asking, "POST", "/v1/presentations", ORDER, "armed")
        if status != 201:
            raise AssertionError(presentation)
        armed.append(answered)
        heard += times
        slowest.append(max(times))
        _, _, times = listeners.times(
            asking, "DELETE", f"/v1/presentations/{presentation['id']}", None, "cancelled")
        heard += times
        slowest.append(max(times))
    name = f"listeners.{count}"
    sheet.add(f"{name}.order.median", median(armed), "ms", most=10)
    sheet.add(f"{name}.event.median", median(heard), "ms", most=20)
    sheet.add(f"{name}.event.last.median", median(slowest), "ms")
    sheet.add(f"{name}.memory", daemon.memory(), "MB")
    listeners.close()


def main(programs):
    sheet = Sheet()
    with tempfile.TemporaryDirectory() as folder:
        prepare(programs, folder)
        measure_start(programs, folder, sheet)
        daemon = Daemon(programs, folder)
        try:
            measure_rest(daemon, sheet)
            measure_events(daemon, sheet, 1)
            measure_events(daemon, sheet, LISTENERS)
        finally:
            daemon.stop()
    print(sheet.text())
    return 0 if sheet.is_met else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
