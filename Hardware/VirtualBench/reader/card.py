"""The phone in the field: whoever connects to a port and speaks vpcd's protocol, as `countersign-lab wallet --card` does."""

import socket
import struct
import threading
import time

OFF, ON, RESET, ANSWER_TO_RESET = 0, 1, 2, 4


class Card:
    """`changed(present)`, if there is one, is called when a phone comes into the field and when it leaves."""

    def __init__(self, port: int):
        self.changed = None
        self.link: socket.socket | None = None
        self.received = bytearray()
        self.condition = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def present(self) -> bool:
        return self.link is not None

    def _accept(self) -> None:
        while True:
            link, _ = self.listener.accept()
            if self.present:
                link.close()
                continue
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.condition:
                self.received.clear()
                self.link = link
            threading.Thread(target=self._receive, args=(link,), daemon=True).start()
            self._tell(True)

    def _receive(self, link: socket.socket) -> None:
        try:
            while piece := link.recv(65536):
                with self.condition:
                    self.received += piece
                    self.condition.notify_all()
        except OSError:
            pass
        with self.condition:
            self.link = None
            self.condition.notify_all()
        link.close()
        self._tell(False)

    def _tell(self, present: bool) -> None:
        if self.changed:
            self.changed(present)

    def leave(self) -> None:
        """The phone is taken away."""
        if link := self.link:
            link.shutdown(socket.SHUT_RDWR)

    def power(self, change: int) -> None:
        self._send(bytes([change]))

    def answer_to_reset(self) -> bytes | None:
        return self.exchange(bytes([ANSWER_TO_RESET]))

    def exchange(self, command: bytes, every: float = 0.5, more_time=lambda: None) -> bytes | None:
        """The answer, None when the phone leaves without one. `more_time` is called in these intervals until then."""
        with self.condition:
            self.received.clear()
            if not self._send(command):
                return None
            due = time.monotonic() + every
            while (answer := self._answer()) is None and self.present:
                if not self.condition.wait(max(0, due - time.monotonic())):
                    due += every
                    more_time()
            return answer

    def _answer(self) -> bytes | None:
        if len(self.received) < 2:
            return None
        length = struct.unpack(">H", self.received[:2])[0]
        return bytes(self.received[2:2 + length]) if len(self.received) >= 2 + length else None

    def _send(self, message: bytes) -> bool:
        try:
            self.link.sendall(struct.pack(">H", len(message)) + message)
        except (AttributeError, OSError):
            return False
        return True
