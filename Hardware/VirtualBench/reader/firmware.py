"""What a reader's firmware does: answers the messages of one interface, for the phone in front of its first slot."""

import threading
import time

import ccid
from card import OFF, ON, RESET, Card
from models import EXTENDED, TPDU, Interface
from t1 import T1

# T=1 with the values of an answer to reset that names none.
_PARAMETERS = bytes([0x11, 0x10, 0x00, 0x4D, 0x00, 0xFE, 0x00])


class Firmware:
    """`faults` says what goes wrong, by name, with a number; `send` and `notify` bring messages to the computer; `note`
    keeps what a test may ask for."""

    def __init__(self, interface: Interface, slow_status: float, faults: dict[str, float], send, notify, note):
        self.interface, self.slow_status, self.faults = interface, slow_status, faults
        self.send, self.notify, self.note = send, notify, note
        self.card: Card | None = None
        self.powered = self.away = False
        self.parameters, self.settings = _PARAMETERS, b"\x7F"
        self.t1 = T1(self._exchange)
        self.chain = ccid.Chain(interface.max_message - ccid.HEAD)
        self.command: ccid.Command | None = None
        self.actions = {
            ccid.POWER_ON: self._power_on, ccid.POWER_OFF: self._power_off, ccid.SLOT_STATUS: self._slot_status,
            ccid.TRANSFER: self._transfer, ccid.ESCAPE: self._escape, ccid.GET_PARAMETERS: self._give_parameters,
            ccid.RESET_PARAMETERS: self._give_parameters, ccid.SET_PARAMETERS: self._take_parameters,
            ccid.ABORT: self._slot_status}

    # Presence

    @property
    def present(self) -> bool:
        """In front of the first slot. A ghost is a phone that is not there."""
        if self.card is None or self.away:
            return False
        return self.card.present or "ghost" in self.faults

    def changed(self, present: bool) -> None:
        self.powered = self.powered and present
        if "no-interrupt" not in self.faults:
            self.notify(bytes([ccid.SLOT_CHANGE, 2 | present] + [0] * (self.interface.max_slot // 4)))

    @property
    def _state(self) -> int:
        if self.command.slot or not self.present:
            return ccid.ABSENT
        return ccid.ACTIVE if self.powered else ccid.INACTIVE

    # Messages

    def receive(self, message: bytes) -> None:
        self.command = command = ccid.Command.read(message)
        if "hang" in self.faults:
            return
        if command.slot > self.interface.max_slot:
            return self._fail(ccid.STATUS, ccid.BAD_SLOT)
        action = self.actions.get(command.kind)
        if action is None:
            return self._fail(ccid.STATUS, ccid.NOT_SUPPORTED)
        action(command)

    def _answer(self, kind: int, data: bytes = b"", last: int = 0) -> None:
        self.send(self.command.answer(kind, self._state, data=data, last=last))

    def _fail(self, kind: int, error: int) -> None:
        self.send(self.command.answer(kind, ccid.FAILED | self._state, error))

    def _slot_status(self, _) -> None:
        if self.slow_status and self._state == ccid.ABSENT:
            time.sleep(self.slow_status)
        self._answer(ccid.STATUS)

    def _give_parameters(self, _) -> None:
        self._answer(ccid.PARAMETERS, self.parameters, last=1)

    def _take_parameters(self, command: ccid.Command) -> None:
        self.parameters = command.data or self.parameters
        self._give_parameters(command)

    # Power

    def _power_on(self, _) -> None:
        answer = None
        if "mute" not in self.faults and self.card is not None and self._state != ccid.ABSENT:
            self.card.power(RESET if self.powered else ON)
            answer = self.card.answer_to_reset()
        # What is no answer to reset (ISO/IEC 7816-3, 8.2) is none at all.
        self.powered = answer is not None and 2 <= len(answer) <= 33
        if not self.powered:
            return self._fail(ccid.DATA_BLOCK, ccid.MUTE)
        self.t1.reset()
        self._answer(ccid.DATA_BLOCK, answer)

    def _power_off(self, _) -> None:
        if self.powered:
            self.card.power(OFF)
        self.powered = False
        self._answer(ccid.STATUS)
        if "polls" in self.faults:
            threading.Timer(self.faults["polls"], self._poll).start()

    def _poll(self) -> None:
        """The reader looks for phones by itself: one that lies there without power leaves and comes again."""
        if self.powered or not self.present or "polls" not in self.faults:
            return
        for self.away in (True, False):
            self.changed(self.present)
            time.sleep(0.1)
        threading.Timer(self.faults["polls"], self._poll).start()

    # Commands

    def _escape(self, command: ccid.Command) -> None:
        self.note("escape", command.data)
        self._answer(ccid.ESCAPED, self._own(command.data))

    def _own(self, command: bytes) -> bytes:
        """The reader's answer to a command to itself; ACS's E0 00 00 21 reads and writes its byte of settings."""
        if command[:4] == b"\xE0\x00\x00\x21":
            self.settings = command[5:6] or self.settings
            return b"\xE1\x00\x00\x00\x01" + self.settings
        return b"\xC0\x03\x00\x00\x00\x90\x00" if command[:2] == b"\xFF\xC2" else b"\x90\x00"

    def _transfer(self, command: ccid.Command) -> None:
        if self._state != ccid.ACTIVE:
            return self._fail(ccid.DATA_BLOCK, ccid.MUTE)
        if self.interface.level == TPDU:
            return self._answer_with(self.t1.receive(command.data))
        if len(command.data) > self.chain.room:
            return self._fail(ccid.DATA_BLOCK, ccid.BAD_LENGTH)
        if self.interface.level == EXTENDED:
            return self._transfer_extended(command)
        answer = self._exchange(command.data)
        if answer is not None and len(answer) > self.chain.room:
            return self._fail(ccid.DATA_BLOCK, ccid.OVERRUN)
        self._answer_with(answer)

    def _transfer_extended(self, command: ccid.Command) -> None:
        if command.level == ccid.ANSWER_WANTED:
            return self._answer(ccid.DATA_BLOCK, *self.chain.proceed())
        whole = self.chain.gather(command.level, command.data)
        if whole is None:
            return self._answer(ccid.DATA_BLOCK, last=ccid.ANSWER_WANTED)
        answer = self._exchange(whole)
        self._answer_with(*((None,) if answer is None else self.chain.begin(answer)))

    def _answer_with(self, answer: bytes | None, last: int = 0) -> None:
        if answer is None:
            return self._fail(ccid.DATA_BLOCK, ccid.MUTE)
        self._answer(ccid.DATA_BLOCK, answer, last)

    def _exchange(self, command: bytes) -> bytes | None:
        """The phone's answer, or the reader's own to a command of its class (PC/SC part 3)."""
        if command[:1] == b"\xFF":
            self.note("command", command)
            return self._own(command)
        return self.card.exchange(command, self.faults.get("extends", 0.5), self._more_time)

    def _more_time(self) -> None:
        self.note("extension", b"")
        self.send(self.command.answer(ccid.DATA_BLOCK, ccid.MORE_TIME, error=1))
