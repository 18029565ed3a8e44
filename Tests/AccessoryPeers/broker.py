"""Debian's mosquitto with its own clients, as a broker that accepts everyone on this computer."""

import pathlib
import socket
import subprocess
import tempfile
import threading

from built_daemon import held_port
from counter import until

PROGRAMS = ("/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", "/usr/bin/mosquitto_pub")


class Broker:
    """Runs from the beginning to the cleanup."""

    def __init__(self, case):
        self.case = case
        self.port = held_port(case.addCleanup)
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "mosquitto.conf"
        # With `user root` a mosquitto that root starts stays root, and can read its file.
        file.write_text(f"listener {self.port} 127.0.0.1\nuser root\npersistence false\nallow_anonymous true\n")
        process = subprocess.Popen([PROGRAMS[0], "-c", file], stderr=subprocess.DEVNULL)
        case.addCleanup(process.wait)
        case.addCleanup(process.terminate)
        until("mosquitto listens", self._is_there)

    def _is_there(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def subscriber(self, topic="#"):
        """A mosquitto_sub that has subscribed."""
        return Subscriber(self.case, self, topic)

    def publish(self, topic, payload, retained=False):
        """Publishes a message, and returns after the broker has accepted it."""
        subprocess.run([PROGRAMS[2], "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-t", topic, "-m", payload,
                        *(["-r"] if retained else [])], check=True)

    def accessory(self, **members):
        """The accessory `home`, which publishes at this broker."""
        return {"name": "home", "trial": True, **members,
                "out": {"mqtt": {"broker": f"mqtt://127.0.0.1:{self.port}", "base": "countersign",
                                 "discovery": "homeassistant", "buttons": True}}}


class Subscriber:
    """What mosquitto_sub receives, from its subscription to the cleanup."""

    # The topic of a message by which the subscriber knows that its subscription is there. Nobody else uses it.
    BEGIN = "of-the-test/begin"

    def __init__(self, case, broker, topic):
        self.messages = []
        process = subprocess.Popen(
            [PROGRAMS[1], "-h", "127.0.0.1", "-p", str(broker.port), "-q", "1", "-t", topic, "-t", self.BEGIN, "-F",
             "%r %t %p"], text=True, stdout=subprocess.PIPE)
        reading = threading.Thread(target=lambda: self.messages.extend(self._parsed(line) for line in process.stdout))
        reading.start()
        case.addCleanup(process.stdout.close)
        case.addCleanup(reading.join)
        case.addCleanup(process.wait)
        case.addCleanup(process.terminate)
        # The broker sends the retained messages of a topic before it sends what is published later.
        until("the subscription", lambda: broker.publish(self.BEGIN, "begin") or self.payloads(self.BEGIN))

    @staticmethod
    def _parsed(line):
        retained, topic, payload = line.rstrip("\n").split(" ", 2)
        return topic, payload, retained == "1"

    def payloads(self, topic):
        return [message[1] for message in list(self.messages) if message[0] == topic]

    def retained(self):
        """The messages that the broker had stored before this subscription, by topic."""
        return {topic: payload for topic, payload, is_retained in list(self.messages) if is_retained}

    def wait(self, topic, payload):
        """Waits until this is the last payload of the topic."""
        until(f"{payload} on {topic}", lambda: self.payloads(topic)[-1:] == [payload])
