"""The messages of a lane at a real mosquitto, as its own clients see them."""

import json
import unittest

from broker import PROGRAMS, Broker
from counter import ALLOW, DENY, Counter, until

BASE = "countersign"
LANE = f"{BASE}/counter-1"
PRESETS = [{"name": "Over 18", "intent": ALLOW}, {"name": "Over 21", "intent": DENY}]
# The lane as a part of a topic of discovery.
NODE = "countersign__counter-1"
ENTITIES = {f"homeassistant/{part}/config" for part in (
    f"event/{NODE}/outcome", f"sensor/{NODE}/state", f"binary_sensor/{NODE}/problem", f"button/{NODE}/ask_Over_2018",
    f"button/{NODE}/ask_Over_2021")}


class BrokerTests(unittest.TestCase):
    def setUp(self):
        self.broker = Broker(self)

    def started(self, **members):
        """A counter whose program has published everything that a new subscriber needs."""
        self.counter = Counter(self, self.broker.accessory(**members), presets=PRESETS).start()
        self.counter.wait("home", "trial" if self.broker.accessory(**members)["trial"] else "ready")
        self.early.wait(f"{BASE}/available", "online")
        self.early.wait(f"{LANE}/available", "online")

    def events(self, subscriber):
        return [json.loads(payload) for payload in subscriber.payloads(f"{LANE}/event")]

    def outcomes(self, count):
        """Waits for this number of events. Returns the outcomes of all that have come."""
        until(f"{count} events", lambda: len(self.events(self.early)) >= count)
        return [event["event_type"] for event in self.events(self.early)]

    def test_an_event_arrives_once_and_a_late_subscriber_gets_none(self):
        self.early = self.broker.subscriber()
        self.started()
        for intent, outcomes in ((DENY, ["deny"]), (ALLOW, ["deny", "allow"])):
            self.assertEqual(self.counter.present(intent), outcomes[-1])
            self.assertEqual(self.counter.outputs(len(outcomes)), ["done"])
            self.assertEqual(self.outcomes(len(outcomes)), outcomes)
        self.assertTrue(all(event.keys() == {"event_type", "id", "test"} for event in self.events(self.early)))
        self.early.wait(f"{LANE}/state", "idle")
        late = self.broker.subscriber()
        self.assertEqual(late.retained().keys(), ENTITIES | {f"{BASE}/available", *(
            f"{LANE}/{topic}" for topic in ("available", "state", "problem"))})
        self.assertEqual(self.events(late), [])
        # The late subscriber hears the next event.
        self.assertEqual(self.counter.present(), "allow")
        until("the event of the late subscriber", lambda: self.events(late))
        self.assertEqual(self.events(late), self.events(self.early)[-1:])

    def test_the_discovery_names_the_topics_that_are_used(self):
        self.early = self.broker.subscriber()
        self.started()
        found = self.broker.subscriber("homeassistant/#").retained()
        self.assertEqual(found.keys(), ENTITIES)
        event = json.loads(found[f"homeassistant/event/{NODE}/outcome/config"])
        self.assertEqual(event["state_topic"], f"{LANE}/event")
        self.assertEqual([one["topic"] for one in event["availability"]],
                         [f"{BASE}/available", f"{LANE}/available"])
        button = json.loads(found[f"homeassistant/button/{NODE}/ask_Over_2018/config"])
        self.assertEqual((button["command_topic"], button["payload_press"], button["retain"]),
                         (f"{LANE}/ask", "Over 18", False))

    def test_the_will_says_offline_after_a_kill_and_an_end_says_so_too(self):
        self.early = self.broker.subscriber()
        self.started()
        self.counter.kill()
        self.early.wait(f"{BASE}/available", "offline")
        self.assertEqual(self.broker.subscriber().retained()[f"{BASE}/available"], "offline")
        self.counter.start()
        self.early.wait(f"{BASE}/available", "online")
        self.counter.stop()
        self.early.wait(f"{BASE}/available", "offline")
        self.assertEqual(self.events(self.early), [])

    def test_a_retained_command_is_not_obeyed_and_a_live_one_is(self):
        self.broker.publish(f"{LANE}/ask", "Over 21", retained=True)
        self.early = self.broker.subscriber()
        self.assertEqual(self.early.retained(), {f"{LANE}/ask": "Over 21"})
        self.started()
        # If the program had obeyed the retained command, it would drop this one, which comes within 2 s.
        self.broker.publish(f"{LANE}/ask", "Over 18")
        self.assertEqual(self.outcomes(1), ["allow"])
        self.assertEqual(self.counter.present(DENY), "deny")
        self.assertEqual(self.outcomes(2), ["allow", "deny"])

    def test_a_test_document_has_no_event_where_there_is_no_trial(self):
        self.early = self.broker.subscriber()
        self.started(trial=False)
        for count, (intent, outcome) in enumerate(((ALLOW, "allow"), (DENY, "deny")), start=1):
            self.assertEqual(self.counter.present(intent), outcome)
            self.assertEqual(self.counter.outputs(count), ["refused"])
        # A message that is published now comes after all that the program has sent for these presentations.
        self.counter.stop()
        self.early.wait(f"{BASE}/available", "offline")
        self.assertEqual(self.events(self.early), [])


if __name__ == "__main__":
    unittest.main()
