"""A counter with accessories: the daemon, the software wallet and `countersign-accessories`, as they were built."""

import json
import os
import re
import time

from built_daemon import BuiltDaemon

LANE = "counter-1"
# The document of this wallet proves an age of 20: "age over 21" ends with `deny`, and "age over 18" with `allow`.
WALLET = ("--handover", "static", "--age", "20", "--attests", "18", "--attests", "21")
ALLOW, DENY = "age over 18", "age over 21"
# The longest wait for a condition, in seconds.
LIMIT = 180


def until(what, look):
    """Calls `look` until it returns a value that counts as true, and returns the value."""
    end = time.monotonic() + LIMIT
    while not (value := look()):
        assert time.monotonic() < end, f"not within {LIMIT} s: {what}"
        time.sleep(0.02)
    return value


class Counter:
    """One lane whose wallet answers each request at once. The program runs from `start` to `stop` or to the cleanup."""

    def __init__(self, case, *accessories, presets=()):
        """`accessories`: as in the configuration file."""
        self.daemon = BuiltDaemon(case.addCleanup, wallet=WALLET)
        self.socket = self.daemon.folder / "socket"
        self.daemon.serve(
            accessories=accessories, presets=presets, acceptTestDocuments=True,
            socket={"path": str(self.socket), "users": [{"uid": os.getuid(), "scopes": ["accessory"]}]})

    def start(self):
        self.program = self.daemon.start("countersign-accessories", "--socket", self.socket)
        return self

    def stop(self):
        """Ends the program as systemd does, and waits for its end."""
        self.program.terminate()
        assert self.program.wait(LIMIT) == 0

    def kill(self):
        self.program.kill()
        self.program.wait(LIMIT)

    def ask(self, method, path, body=None):
        return json.loads(self.daemon.ask(method, path, body))

    def state(self, accessory):
        """The state of an accessory, in the words of the API."""
        found = re.search(rf'accessory_state{{accessory="{accessory}",.*state="(\w+)"}} 1$',
                          self.daemon.ask("GET", "/metrics"), re.MULTILINE)
        return found and found[1]

    def wait(self, accessory, state):
        until(f"{accessory} is {state}", lambda: self.state(accessory) == state)

    def present(self, intent=ALLOW):
        """Orders a presentation with a receipt, and waits for its end. Returns its outcome."""
        order = {"kind": "display", "lane": LANE, "intent": intent, "retention": "receipt"}
        path = f"/v1/presentations/{self.ask('POST', '/v1/presentations', order)['id']}"
        return until("the end of the presentation",
                     lambda: (seen := self.ask("GET", path))["ended"] is not None and seen)["outcome"]

    def receipts(self):
        """The statements of all receipts about outputs, the oldest first."""
        statements = [one["statement"] for one in self.ask("GET", "/v1/receipts?limit=100")["receipts"]]
        return [one for one in statements if one["kind"] == "outputs"]

    def outputs(self, count=1):
        """Waits for this number of receipts about outputs, and returns the states in the last of them."""
        receipts = until(f"{count} receipts about outputs", lambda: len(found := self.receipts()) >= count and found)
        assert len(receipts) == count, receipts
        return [one["state"] for one in receipts[-1]["outputs"]]
