"""The parts of the relay board in software that need no kernel: its protocols, its descriptors and its control requests."""

import importlib.machinery
import importlib.util
import io
import pathlib
import struct
import sys
import unittest
from contextlib import redirect_stdout

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Hardware/VirtualBench/guest/accessories"
sys.path.insert(0, str(FOLDER))
_LOADER = importlib.machinery.SourceFileLoader("relay_board", str(FOLDER / "relay-board"))
relay_board = importlib.util.module_from_spec(importlib.util.spec_from_loader(_LOADER.name, _LOADER))
_LOADER.exec_module(relay_board)


def said(action):
    """The lines that an action prints, and its value."""
    with redirect_stdout(io.StringIO()) as output:
        value = action()
    return output.getvalue().splitlines(), value


class Boards(unittest.TestCase):
    def test_a_usbrelay_closes_and_opens_its_contacts_and_reports_them(self):
        board = relay_board.Board("usbrelay", "HURTM", 2)
        lines, _ = said(lambda: board.receive(bytes.fromhex("ff02000000000000")))
        self.assertEqual(lines, ["report ff02000000000000", "closed 2"])
        self.assertEqual(said(lambda: board.feature(1)), (["asked 1"], b"HURTM\0\0\x02"))
        lines, _ = said(lambda: board.receive(bytes.fromhex("fd02000000000000")))
        self.assertEqual(lines[1], "closed none")
        self.assertEqual(said(lambda: board.feature(0))[1], b"HURTM\0\0\0")

    def test_a_hidrelay_has_one_byte_and_no_state(self):
        board = relay_board.Board("hidrelay", "", 2)
        self.assertEqual(said(lambda: board.receive(b"\xf1"))[0], ["report f1", "closed 1"])
        self.assertEqual(said(lambda: board.feature(1))[1], bytes(8))
        self.assertEqual(said(lambda: board.receive(b"\x01"))[0], ["report 01", "closed none"])

    def test_a_report_that_means_nothing_changes_nothing(self):
        for kind, reports in (("usbrelay", ("", "ff", "ff00", "ff03", "fe01", "00ff01")), ("hidrelay", ("", "f0", "f3", "81", "00"))):
            board = relay_board.Board(kind, "HURTM", 2)
            for report in reports:
                with self.subTest(kind, report=report):
                    self.assertEqual(said(lambda: board.receive(bytes.fromhex(report)))[0], [f"report {report}"])
            self.assertEqual(board.closed, set())


class Descriptors(unittest.TestCase):
    def setUp(self):
        self.descriptors = relay_board.Descriptors(relay_board.Board("usbrelay", "HURTM", 4))

    def test_every_descriptor_has_the_length_that_it_states(self):
        configuration = self.descriptors.descriptor(2, 0)
        self.assertEqual(struct.unpack("<H", configuration[2:4])[0], len(configuration))
        kinds = []
        while configuration:
            kinds.append(configuration[1])
            configuration = configuration[configuration[0]:]
        self.assertEqual(kinds, [2, 4, 0x21, 5])
        self.assertEqual(self.descriptors.descriptor(1, 0)[0], 18)
        self.assertEqual(len(self.descriptors.descriptor(0x22, 0)), 22)

    def test_the_texts_are_those_of_the_real_board_and_there_is_no_serial_number(self):
        device = self.descriptors.descriptor(1, 0)
        texts = [self.descriptors.descriptor(3, number)[2:].decode("utf-16-le") for number in device[14:16]]
        self.assertEqual(texts, ["www.dcttech.com", "USBRelay4"])
        self.assertEqual(device[16], 0)
        self.assertIsNone(self.descriptors.descriptor(3, 3))
        self.assertIsNone(self.descriptors.descriptor(6, 0))


class Requests(unittest.TestCase):
    """The control requests of the kernel's usbhid."""

    def setUp(self):
        self.device = relay_board.USBDevice.__new__(relay_board.USBDevice)
        self.device.board = relay_board.Board("usbrelay", "HURTM", 2)
        self.device.model = relay_board.Descriptors(self.device.board)

    def answer(self, setup, sent=b""):
        setup = bytes.fromhex(setup)
        request = relay_board.usbip.Request(1, 7, setup[0] & 0x80 != 0, setup[0] & 0x80, 0, setup[6], setup)
        lines, answer = said(lambda: self.device.answer(request, sent))
        return lines, struct.unpack(">i", answer[20:24])[0], answer[48:]

    def test_an_output_report_comes_by_set_report_and_the_state_by_get_report(self):
        lines, status, _ = self.answer("2109000200000800", bytes.fromhex("ff01000000000000"))
        self.assertEqual((lines[1], status), ("closed 1", 0))
        self.assertEqual(self.answer("a101010300000800"), (["asked 1"], 0, b"HURTM\0\0\x01"))
        self.assertEqual(self.answer("a101010300000500")[2], b"HURTM")

    def test_the_report_descriptor_is_answered_and_an_unknown_request_is_not(self):
        self.assertEqual(self.answer("8106002200004000"), ([], 0, relay_board.REPORTS))
        self.assertEqual(self.answer("210a000000000000")[1], 0)
        for setup in ("a103000000000100", "210b000000000000", "8106000600000a00"):
            self.assertEqual(self.answer(setup), ([], relay_board.usbip.STALLED, b""))


if __name__ == "__main__":
    unittest.main()
