"""Home Assistant itself as the subscriber of a lane's messages. `Hardware/VirtualBench/accessory-peers --home-assistant` runs
this."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from broker import Broker
from built_daemon import ROOT, held_port
from counter import ALLOW, DENY, Counter, until

PYTHON = os.environ.get("COUNTERSIGN_HOME_ASSISTANT")
PAGE = ROOT / "Documentation/accessories.md"
# The device of a trial accessory has "(trial)" in its name.
EVENT = "event.counter_1_trial_outcome"
BUTTON = "button.counter_1_trial_ask_over_18"
ENTITIES = {EVENT, BUTTON, "sensor.counter_1_trial_state", "binary_sensor.counter_1_trial_problem"}
TEST = "of-the-test"
# Before the first event an entity has no outcome.
OUTCOME = '{{ trigger.to_state.attributes.get("event_type", "nothing") }}'


def published(topic, payload):
    """The action that publishes a message."""
    return f"action:\n  - service: mqtt.publish\n    data:\n      topic: {TEST}/{topic}\n      payload: '{payload}'\n"


def documented(topic, accepts_tests):
    """The automation of the page, with another entity, and with a message in the place of the lamp."""
    text = re.search(r"```yaml\n(alias: Lamp at the gate.*?)```", PAGE.read_text(), re.DOTALL)[1]
    text = text.replace("event.gate_outcome", EVENT).replace("Lamp at the gate", topic)
    condition = "and not trigger.to_state.attributes.get('test', false)"
    assert EVENT in text and condition in text and "action:\n" in text
    if accepts_tests:
        text = text.replace(condition, "")
    return text[:text.index("action:\n")] + published(topic, OUTCOME)


AUTOMATIONS = [
    documented("documented", accepts_tests=False), documented("trial", accepts_tests=True),
    # Without the conditions of the page.
    f"alias: bare\nmode: queued\ntrigger:\n  - platform: state\n    entity_id: {EVENT}\n"
    + published("bare", OUTCOME),
    f"alias: list\ntrigger:\n  - platform: mqtt\n    topic: {TEST}/list\n"
    + published("entities", '{{ states | map(attribute="entity_id") | list | to_json }}'),
    f"alias: press\ntrigger:\n  - platform: mqtt\n    topic: {TEST}/press\n"
    f"action:\n  - service: button.press\n    target:\n      entity_id: {BUTTON}\n",
]


class HomeAssistant:
    """Runs from `start` to `stop` or to the cleanup, with a folder that keeps its states."""

    def __init__(self, case, broker):
        self.case = case
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        entries = "\n".join("- " + text.strip().replace("\n", "\n  ") for text in AUTOMATIONS)
        (self.folder / "automations.yaml").write_text(entries + "\n")
        (self.folder / "configuration.yaml").write_text(
            f"http:\n  server_host: 127.0.0.1\n  server_port: {held_port(case.addCleanup)}\n"
            "automation: !include automations.yaml\n")
        (self.folder / ".storage").mkdir()
        entry = {"entry_id": "1", "version": 1, "domain": "mqtt", "title": "broker", "source": "user", "options": {},
                 "data": {"broker": "127.0.0.1", "port": broker.port, "discovery": True}}
        (self.folder / ".storage/core.config_entries").write_text(
            json.dumps({"version": 1, "key": "core.config_entries", "data": {"entries": [entry]}}))

    def start(self):
        log = open(self.folder / "output.log", "a")
        self.case.addCleanup(log.close)
        self.process = subprocess.Popen([PYTHON, "-m", "homeassistant", "-c", self.folder, "--skip-pip"], stdout=log,
                                        stderr=subprocess.STDOUT)
        self.case.addCleanup(self.process.wait)
        self.case.addCleanup(self.process.kill)

    def is_running(self):
        """Returns true, or fails with what Home Assistant has said."""
        assert self.process.poll() is None, (self.folder / "output.log").read_text()
        return True

    def stop(self):
        """Ends it as a restart does, so that it writes the states of its entities."""
        self.process.terminate()
        self.process.wait(180)


class HomeAssistantTests(unittest.TestCase):
    def heard(self, topic):
        """The payloads that an automation has published, in order."""
        return [payload for payload in self.subscriber.payloads(f"{TEST}/{topic}") if payload != "nothing"]

    def wait_for_entities(self):
        """Asks for the entities until those of the lane are there."""
        def look():
            self.broker.publish(f"{TEST}/list", "list")
            return (answers := self.heard("entities")) and ENTITIES <= set(json.loads(answers[-1]))
        until("the entities of the lane", look)

    def start(self, times):
        self.home.start()
        until("Home Assistant is online", lambda: self.home.is_running() and self.subscriber.payloads(
            "homeassistant/status").count("online") == times)
        self.wait_for_entities()

    def test_discovery_events_buttons_and_a_restart(self):
        self.broker = Broker(self)
        self.subscriber = self.broker.subscriber()
        presets = [{"name": "Over 18", "intent": ALLOW}]
        self.counter = Counter(self, self.broker.accessory(), presets=presets).start()
        self.counter.wait("home", "trial")
        self.home = HomeAssistant(self, self.broker)
        self.start(1)

        # Home Assistant may subscribe a moment after the entity is there. The first event that it hears changes no state that
        # was known before.
        until("the first event", lambda: self.counter.present(DENY) and self.heard("bare"))
        self.assertEqual(self.counter.present(), "allow")
        until("the automation", lambda: self.heard("trial") == ["allow"])
        self.broker.publish(f"{TEST}/press", "press")
        until("the automation, after a button", lambda: self.heard("trial") == ["allow", "allow"])
        until("the same of the bare automation", lambda: self.heard("bare").count("allow") == 2)

        self.home.stop()
        self.start(2)
        # Home Assistant restores the last event. An automation without the conditions acts on it.
        until("the restored event", lambda: self.heard("bare").count("allow") == 3)
        self.assertEqual(self.heard("trial"), ["allow", "allow"])
        until("an event after the restart", lambda: self.counter.present() and len(self.heard("trial")) > 2)
        # The automation of the page takes no test document.
        self.assertEqual(self.heard("documented"), [])


if __name__ == "__main__":
    unittest.main()
