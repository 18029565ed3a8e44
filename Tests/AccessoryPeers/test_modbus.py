"""A lock at a relay board of Modbus, which the server of pymodbus plays in the network and at a serial line."""

import functools
import unittest

from counter import ALLOW, DENY, Counter, until
from relay import Relay

OFF, PULSE = ("off", "read"), ("on", "off", "read")


def with_each_carrier(test):
    """Runs a test with a board in the network, and again with a board at a serial line."""
    @functools.wraps(test)
    def run(case):
        for carrier in ("TCP", "serial"):
            with case.subTest(carrier=carrier):
                test(case, Relay(case, carrier))
    return run


class ModbusTests(unittest.TestCase):
    def ready(self, relay, **members):
        """A counter whose lock was switched off and read back."""
        counter = Counter(self, relay.contact(**members)).start()
        counter.wait("lock", "trial" if relay.contact(**members)["trial"] else "ready")
        relay.asked(*OFF)
        return counter

    def refuses(self, counter, relay, count):
        """`allow` closes nothing, and the receipt says so."""
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(count), ["refused"])
        self.assertNotIn("on", relay.requests)

    @with_each_carrier
    def test_allow_closes_the_contact_once_and_deny_does_not(self, relay):
        counter = self.ready(relay)
        # A request that the deny caused would come before that of the allow.
        self.assertEqual(counter.present(DENY), "deny")
        self.assertEqual(counter.present(ALLOW), "allow")
        self.assertEqual(counter.outputs(), ["done"])
        relay.asked(*PULSE)
        self.assertEqual(counter.present(ALLOW), "allow")
        self.assertEqual(counter.outputs(2), ["done"])
        relay.asked(*PULSE)
        counter.stop()
        relay.asked(*OFF)
        self.assertFalse(relay.is_closed)

    @with_each_carrier
    def test_a_test_document_closes_nothing_that_is_no_trial(self, relay):
        counter = self.ready(relay, trial=False)
        self.refuses(counter, relay, 1)
        counter.stop()
        relay.asked(*OFF)

    @with_each_carrier
    def test_a_board_that_answers_wrong_is_never_ready(self, relay):
        relay.fault = "opposite"
        counter = Counter(self, relay.contact()).start()
        faults = [("opposite", "notAnswering"), ("address", "misconfigured"), ("failure", "notAnswering"),
                  ("address", "misconfigured"), ("busy", "notAnswering"), ("address", "misconfigured"),
                  ("stuck", "notAnswering")]
        for count, (fault, state) in enumerate(faults, start=1):
            relay.fault = fault
            counter.wait("lock", state)
            self.refuses(counter, relay, count)
        # The same board without a fault closes the contact.
        relay.fault = None
        counter.wait("lock", "trial")
        relay.requests.clear()
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(len(faults) + 1), ["done"])
        relay.asked(*PULSE)
        counter.stop()
        self.assertFalse(relay.is_closed)

    @with_each_carrier
    def test_a_contact_whose_closing_is_not_confirmed_is_opened_and_not_closed_again(self, relay):
        counter = self.ready(relay)
        for count, fault in enumerate(("failure at on", "opposite at on"), start=1):
            relay.fault = fault
            self.assertEqual(counter.present(), "allow")
            self.assertEqual(counter.outputs(count), ["unknown"])
            relay.asked(*PULSE)
            counter.wait("lock", "trial")
        relay.fault = None
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(3), ["done"])
        relay.asked(*PULSE)

    @with_each_carrier
    def test_a_board_that_is_gone_gets_nothing_of_an_earlier_check(self, relay):
        counter = self.ready(relay)
        relay.leave()
        # The end of a connection is noticed at once, and the silence of a serial line by the next request.
        if relay.carrier == "TCP":
            counter.wait("lock", "absent")
            self.refuses(counter, relay, 1)
        else:
            self.assertEqual(counter.present(), "allow")
            self.assertEqual(counter.outputs(), ["unknown"])
            counter.wait("lock", "notAnswering")
        self.assertEqual(relay.requests, [])
        relay.come()
        counter.wait("lock", "trial")
        self.assertNotIn("on", relay.requests)
        relay.requests.clear()
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(2), ["done"])
        relay.asked(*PULSE)

    @with_each_carrier
    def test_a_board_that_is_lost_while_the_contact_is_closed_is_switched_off_first(self, relay):
        relay.pulse = 5000
        counter = self.ready(relay)
        self.assertEqual(counter.present(), "allow")
        relay.asked("on")
        relay.leave()
        self.assertTrue(relay.is_closed)
        self.assertEqual(counter.outputs(), ["unknown"])
        until("the lock is not ready", lambda: counter.state("lock") != "trial")
        relay.come()
        counter.wait("lock", "trial")
        self.assertNotIn("on", relay.requests)
        self.assertFalse(relay.is_closed)

    @with_each_carrier
    def test_a_program_that_is_killed_closes_nothing_again(self, relay):
        relay.pulse = 10_000
        counter = self.ready(relay)
        self.assertEqual(counter.present(), "allow")
        relay.asked("on")
        counter.kill()
        until("the watchdog opens the contact", lambda: not relay.is_closed)
        self.assertEqual(counter.outputs(), ["unknown"])
        counter.start().wait("lock", "trial")
        self.assertNotIn("on", relay.requests)


if __name__ == "__main__":
    unittest.main()
