"""The daemon that was built, on a port of its own, with a software wallet at its lane."""

import hashlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

from stand_in import PAGES, ROOT

PROGRAMS = pathlib.Path(os.environ.get("KIOSK_PROGRAMS", ROOT / ".build/debug"))
IS_BUILT = (PROGRAMS / "countersignd").exists()
TOKEN = "token-of-the-tests"


def held_port(cleanup):
    """A port of loopback that is bound until `cleanup`, so that the system gives it to nobody else. The daemon can listen at
    it all the same: both reuse addresses, and this socket does not listen."""
    held = socket.socket()
    cleanup(held.close)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held.getsockname()[1]


class BuiltDaemon:
    """Ends, and goes with its folder, with what `cleanup` registers it at."""

    token = TOKEN

    def __init__(self, cleanup, consent_time=0, wallet=()):
        """`wallet`: further options of the software wallet."""
        self.cleanup = cleanup
        folder = tempfile.TemporaryDirectory()
        cleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "store"
        self.port = held_port(cleanup)
        self.url = f"http://127.0.0.1:{self.port}"
        phone = self.start("countersign-lab", "wallet", "--listen", "tcp://127.0.0.1:0", "--root",
                           self.folder / "root.der", "--consent-time", str(consent_time), *wallet)
        self.link = phone.stdout.readline().strip()
        self.run("trust", "import", self.folder / "root.der")

    def serve(self, **members):
        """Starts it, with further members of its file."""
        file = self.folder / "countersignd.json"
        scopes = ["app", "screen", "clerk", "readerTokens", "admin"]
        file.write_text(json.dumps({
            "store": str(self.store), "socket": None, "http": {"port": self.port}, "page": str(PAGES),
            "lanes": [{"name": "counter-1", "benchLink": self.link}],
            "tokens": [{"name": "all", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "scopes": scopes}],
            **members}))
        self.process = self.start("countersignd", "--config", file)
        while " ready" not in (line := self.process.stderr.readline()):
            assert line, "the daemon does not start"
        self.lines = []
        threading.Thread(target=self.listen, daemon=True).start()
        return self

    def listen(self):
        """Keeps what it says."""
        for line in self.process.stderr:
            self.lines.append(line)

    def reload(self):
        """Has it read its file again, and returns once it has."""
        count = self.reloads()
        self.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 180
        while self.reloads() == count:
            assert time.monotonic() < deadline, self.lines
            time.sleep(0.01)

    def reloads(self):
        return sum("read its configuration file again" in line for line in self.lines)

    def run(self, *arguments):
        """Runs `countersign` on its store; what that says."""
        return subprocess.run([PROGRAMS / "countersign", *arguments, "--store", self.store], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def start(self, name, *arguments):
        process = subprocess.Popen([PROGRAMS / name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)

        def end():
            process.terminate()
            process.communicate(timeout=120)

        self.cleanup(end)
        return process

    def reset(self):
        """As of a stand-in; what a test ordered stays."""

    def stop(self):
        """As of a stand-in; `cleanup` ends it."""

    def page_code(self, layout):
        """A code that lets a page in, once."""
        return json.loads(self.ask("POST", "/v1/page-codes", {"page": layout, "lane": "counter-1"}))["code"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.read().decode()
