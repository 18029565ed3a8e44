"""The parts of the USB reader in software that need no kernel: descriptors, messages, chains of them, T=1, its firmware."""

import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Hardware/VirtualBench/reader"))
import ccid
import t1
import usbip
from card import ANSWER_TO_RESET
from firmware import Firmware
from models import CONFIGURATION, DEVICE, EXTENDED, SHORT, STRING, TPDU, Interface, Model

NAMES = ("acr122u", "acr1252u", "acr1552u", "walletmate", "omnikey5022", "twn4", "tpdu")
ATR = bytes.fromhex("3b80800101")


class Descriptors(unittest.TestCase):
    def test_every_model_has_the_lengths_that_it_states(self):
        for model in map(Model.named, NAMES):
            device, configuration = model.descriptor(DEVICE, 0), model.descriptor(CONFIGURATION, 0)
            self.assertEqual(device[0], len(device))
            self.assertEqual(struct.unpack("<H", configuration[2:4])[0], len(configuration))
            kinds = []
            while configuration:
                kinds.append(configuration[1])
                self.assertEqual(configuration[0], {2: 9, 4: 9, 5: 7, 0x21: 54}[configuration[1]])
                configuration = configuration[configuration[0]:]
            self.assertEqual(kinds.count(4), len(model.interfaces))

    def test_the_sizes_and_levels_are_those_of_the_models(self):
        antennas = {name: Model.named(name).interfaces[0] for name in NAMES}
        self.assertEqual([antennas[name].level for name in NAMES], [SHORT, *[EXTENDED] * 5, TPDU])
        self.assertEqual([antennas[name].max_message for name in NAMES], [271, 522, 516, 522, 520, 64, 64])

    def test_strings_are_found_by_the_number_in_the_device(self):
        model = Model.named("acr1252u")
        number = model.descriptor(DEVICE, 0)[15]
        self.assertEqual(model.descriptor(STRING, number)[2:].decode("utf-16-le"), "ACR1252 Dual Reader")
        self.assertIsNone(model.descriptor(STRING, 9))

    def test_a_model_that_is_not_in_the_table_is_refused(self):
        self.assertRaises(KeyError, Model.named, "acr9")


class Messages(unittest.TestCase):
    def test_a_message_in_two_transfers_is_one(self):
        message = struct.pack("<BIBB3x", ccid.TRANSFER, 70, 0, 5) + bytes(70)
        collector = ccid.Collector()
        self.assertIsNone(collector.take(message[:64]))
        command = ccid.Command.read(collector.take(message[64:]))
        self.assertEqual((command.kind, command.sequence, len(command.data)), (ccid.TRANSFER, 5, 70))

    def test_a_chain_gives_the_pieces_in_their_order(self):
        chain = ccid.Chain(room=4)
        self.assertIsNone(chain.gather(ccid.FIRST, b"abcd"))
        self.assertIsNone(chain.gather(ccid.MIDDLE, b"efgh"))
        self.assertEqual(chain.gather(ccid.LAST, b"i"), b"abcdefghi")
        self.assertEqual(chain.begin(b"0123456789"), (b"0123", ccid.FIRST))
        self.assertEqual(chain.proceed(), (b"4567", ccid.MIDDLE))
        self.assertEqual(chain.proceed(), (b"89", ccid.LAST))

    def test_what_fits_is_not_cut_and_a_new_command_forgets_the_last(self):
        chain = ccid.Chain(room=4)
        chain.gather(ccid.FIRST, b"left")
        self.assertEqual(chain.gather(ccid.WHOLE, b"new"), b"new")
        self.assertEqual(chain.begin(b"0123"), (b"0123", ccid.WHOLE))

    def test_requests_of_the_kernel_and_their_answers_have_48_bytes_of_head(self):
        head = struct.pack(">6Ii4I8s", usbip.SUBMIT, 7, 0x10001, 1, 2, 0, 512, 0, 0, 0, 0, bytes(8))[:48]
        request = usbip.Request.read(head)
        self.assertEqual((request.number, request.endpoint, request.length), (7, 0x82, 512))
        self.assertEqual(len(usbip.submitted(7, 0, 3, b"abc")), usbip.HEAD + 3)
        self.assertEqual(struct.unpack(">i", usbip.unlinked(7, True)[20:24])[0], usbip.TAKEN_BACK)
        self.assertEqual(struct.unpack(">i", usbip.unlinked(7, False)[20:24])[0], 0)


class Blocks(unittest.TestCase):
    def setUp(self):
        self.commands = []
        self.card = t1.T1(lambda command: self.commands.append(command) or bytes(range(100)))

    def test_a_long_answer_comes_in_blocks_of_the_size_asked_for(self):
        self.assertEqual(self.card.receive(t1.block(0xC1, b"\x40")), t1.block(0xE1, b"\x40"))
        first = self.card.receive(t1.block(0x00, b"\x00\xA4"))
        self.assertEqual(first, t1.block(0x20, bytes(range(64))))
        self.assertEqual(self.card.receive(t1.block(0x90)), t1.block(0x40, bytes(range(64, 100))))
        self.assertEqual(self.commands, [b"\x00\xA4"])

    def test_a_request_for_a_protocol_is_agreed_to(self):
        self.assertEqual(self.card.receive(bytes.fromhex("FF1118F6")), bytes.fromhex("FF1118F6"))

    def test_a_long_command_is_put_together(self):
        self.assertEqual(self.card.receive(t1.block(0x20, b"one")), t1.block(0x90))
        self.card.receive(t1.block(0x40, b"two"))
        self.assertEqual(self.commands, [b"onetwo"])

    def test_a_block_that_was_lost_is_sent_again(self):
        sent = self.card.receive(t1.block(0x00, b"x"))
        self.assertEqual(self.card.receive(t1.block(0x80)), sent)

    def test_a_wrong_check_byte_is_refused_and_the_command_not_taken(self):
        broken = t1.block(0x00, b"x")[:-1] + b"\xAA"
        self.assertEqual(self.card.receive(broken), t1.block(0x81))
        self.assertEqual(self.commands, [])


class CardInField:
    """Answers each command with its own bytes; `gone` while it leaves."""

    present, gone = True, False

    def power(self, change): pass

    def exchange(self, command, every=0, more_time=None):
        if command == bytes([ANSWER_TO_RESET]): return ATR
        if command == b"slow": more_time()
        return None if self.gone else command

    def answer_to_reset(self): return ATR


class Answers(unittest.TestCase):
    def setUp(self):
        self.sent, self.noted, self.faults = [], [], {}
        self.firmware = Firmware(
            Interface(EXTENDED, 64), 0, self.faults, self.sent.append, self.sent.append, lambda *note: self.noted.append(note))
        self.firmware.card = CardInField()

    def ask(self, kind, data=b"", level=0):
        self.sent.clear()
        self.firmware.receive(struct.pack("<BIBBBH", kind, len(data), 0, 1, 0, level) + data)
        return [(m[0], m[7], m[8], m[10:]) for m in self.sent]

    def test_a_phone_gets_power_and_its_answer_comes_back(self):
        self.assertEqual(self.ask(ccid.SLOT_STATUS)[0][1], ccid.INACTIVE)
        self.assertEqual(self.ask(ccid.POWER_ON), [(ccid.DATA_BLOCK, ccid.ACTIVE, 0, ATR)])
        self.assertEqual(self.ask(ccid.TRANSFER, b"hello")[0][3], b"hello")
        self.assertEqual(self.ask(ccid.POWER_OFF)[0][1], ccid.INACTIVE)

    def test_without_power_and_with_too_many_bytes_nothing_reaches_the_phone(self):
        self.assertEqual(self.ask(ccid.TRANSFER, b"x")[0][1:3], (ccid.FAILED | ccid.INACTIVE, ccid.MUTE))
        self.ask(ccid.POWER_ON)
        self.assertEqual(self.ask(ccid.TRANSFER, bytes(55))[0][2], ccid.BAD_LENGTH)

    def test_a_mute_phone_is_there_and_a_ghost_too_and_neither_gets_power(self):
        self.faults["mute"] = 0
        self.assertEqual(self.ask(ccid.SLOT_STATUS)[0][1], ccid.INACTIVE)
        self.assertEqual(self.ask(ccid.POWER_ON)[0][1:3], (ccid.FAILED | ccid.INACTIVE, ccid.MUTE))
        self.firmware.card.present = False
        self.assertEqual(self.ask(ccid.SLOT_STATUS)[0][1], ccid.ABSENT)
        self.faults["ghost"] = 0
        self.assertEqual(self.ask(ccid.SLOT_STATUS)[0][1], ccid.INACTIVE)

    def test_more_time_is_asked_for_before_the_answer(self):
        self.ask(ccid.POWER_ON)
        extension, answer = self.ask(ccid.TRANSFER, b"slow")
        self.assertEqual((extension[1] & 0xC0, answer[3]), (ccid.MORE_TIME, b"slow"))

    def test_a_phone_that_left_is_an_error_and_a_hanging_reader_is_silence(self):
        self.ask(ccid.POWER_ON)
        self.firmware.card.gone = True
        self.assertEqual(self.ask(ccid.TRANSFER, b"x")[0][1] & 0xC0, ccid.FAILED)
        self.faults["hang"] = 0
        self.assertEqual(self.ask(ccid.SLOT_STATUS), [])

    def test_commands_to_the_reader_are_kept_and_do_not_reach_the_phone(self):
        self.ask(ccid.POWER_ON)
        self.ask(ccid.ESCAPE, b"\xE0\x00\x00\x21\x01\x0F")
        self.ask(ccid.TRANSFER, bytes.fromhex("FFC20001086A028103000000"))
        self.assertEqual([kind for kind, _ in self.noted], ["escape", "command"])

    def test_a_reader_keeps_its_byte_of_settings(self):
        self.ask(ccid.ESCAPE, b"\xE0\x00\x00\x21\x01\x77")
        self.assertEqual(self.ask(ccid.ESCAPE, b"\xE0\x00\x00\x21\x00")[0][3], b"\xE1\x00\x00\x00\x01\x77")


if __name__ == "__main__":
    unittest.main()
