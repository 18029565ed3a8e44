"""A reader at a door controller, which libosdp plays at a pseudo terminal."""

import pathlib
import tempfile
import unittest

from counter import DENY, Counter, until
from panel import ACKNOWLEDGEMENT, CARD, FACILITY, KEY, OTHER_KEY, Panel, raw_card

CRYPTOGRAM, REFUSAL = 0x76, 0x41
# The security block of a handshake with the public default key, and the command CHLNG.
DEFAULT_CHALLENGE = "03110076"


class PanelTests(unittest.TestCase):
    def started(self, panel, **members):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Counter(self, panel.reader(pathlib.Path(folder.name), **members)).start()

    def refuses(self, counter, panel):
        """`allow` sends no card, and the receipt says so."""
        self.assertEqual(counter.present(), "allow")
        # An output that waits for a panel without a channel is ended by the daemon or by the program, whoever is first.
        self.assertIn(counter.outputs(), (["refused"], ["notGiven"]))
        self.assertEqual(panel.said("card"), [])

    def test_each_allow_is_one_card_in_the_secure_channel_and_deny_is_none(self):
        panel = Panel(self, "--key", KEY)
        counter = self.started(panel)
        panel.wait(online=True, secure=True)
        counter.wait("panel", "trial")
        # A card that the deny caused would come before those of the allows.
        self.assertEqual(counter.present(DENY), "deny")
        for count in (1, 2):
            self.assertEqual(counter.present(), "allow")
            self.assertEqual(counter.outputs(count), ["done"])
            cards = panel.cards(count)
            self.assertEqual([(card["bits"], card["data"]) for card in cards],
                             [(26, raw_card(FACILITY, CARD))] * count)
        counter.stop()

    def test_a_card_whose_reply_is_lost_is_sent_again_with_the_same_bytes_and_is_one_card(self):
        panel = Panel(self, "--key", KEY)
        counter = self.started(panel)
        panel.wait(online=True, secure=True)
        counter.wait("panel", "trial")
        before = len(panel.messages())

        def cards():
            return [reply for reply in panel.messages()[before:] if len(reply) > 2 * ACKNOWLEDGEMENT]

        panel.lose_next_card()
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(), ["done"])
        self.assertGreaterEqual(len(cards()), 2)
        self.assertEqual(len(set(cards())), 1)
        self.assertEqual(len(panel.cards(1)), 1)
        # The next card is another message, and the only further one.
        self.assertEqual(counter.present(), "allow")
        self.assertEqual(counter.outputs(2), ["done"])
        self.assertEqual(len(set(cards())), 2)
        self.assertEqual(len(panel.cards(2)), 2)

    def test_a_panel_with_another_key_is_never_online_and_gets_no_card(self):
        panel = Panel(self, "--key", OTHER_KEY)
        counter = self.started(panel)
        until("the reader's answer to the challenge", lambda: CRYPTOGRAM in panel.reply_codes())
        # libosdp then stays away for 300 s, which is silence for the reader.
        counter.wait("panel", "notAnswering")
        self.refuses(counter, panel)
        self.assertFalse(panel.was_ever("online") or panel.was_ever("secure"))

    def test_a_panel_that_falls_back_to_the_default_key_gets_no_card(self):
        panel = Panel(self, "--key", OTHER_KEY, "--lenient")
        counter = self.started(panel)
        counter.wait("panel", "misconfigured")
        self.refuses(counter, panel)
        self.assertFalse(panel.was_ever("secure"))
        self.assertTrue(any(DEFAULT_CHALLENGE in message for message in panel.messages("panel")))
        self.assertIn(REFUSAL, panel.reply_codes())

    def test_a_panel_that_speaks_in_the_clear_gets_no_card(self):
        panel = Panel(self)
        counter = self.started(panel)
        counter.wait("panel", "misconfigured")
        self.refuses(counter, panel)
        self.assertFalse(panel.was_ever("secure"))
        # The panel did hear the reader: it is not the line that is silent.
        self.assertTrue(panel.messages())

    def test_a_test_document_sends_no_card_where_there_is_no_trial(self):
        panel = Panel(self, "--key", KEY)
        counter = self.started(panel, trial=False)
        panel.wait(online=True, secure=True)
        counter.wait("panel", "ready")
        self.refuses(counter, panel)


if __name__ == "__main__":
    unittest.main()
