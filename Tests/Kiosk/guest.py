"""A guest of Hardware/Packaging/boot-deb --story, and how its commands are run."""

import base64
import os
import pathlib
import select
import time


class Guest:
    """COUNTERSIGN_GUEST is the folder that both see; in the guest it is `SHARED`."""

    SHARED = "/run/countersign-bench"
    # What anybody there may read.
    OPEN = "/run/story"
    START, PATIENCE = 1800, 600

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        # Opened both ways, a pipe waits for nobody; the end of the guest shows in its answers.
        self.orders = os.open(self.folder / "orders", os.O_RDWR)
        self.answers = os.open(self.folder / "answers", os.O_RDONLY)
        self.unread = b""
        # It listens once systemd has started everything.
        if self.answer(self.START) != b"ready":
            raise ConnectionError("the guest has ended")
        self.run("systemctl is-active multi-user.target")

    def run(self, script, within=PATIENCE):
        """What a script, run as root, says; one that fails is an error."""
        os.write(self.orders, base64.b64encode(f"set -eu\n{script}".encode()) + b"\n")
        answer = self.answer(within).split(b" ", 1)
        if len(answer) != 2:
            raise ConnectionError("the guest has ended")
        status, output = int(answer[0]), base64.b64decode(answer[1]).decode(errors="replace")
        if status != 0:
            raise AssertionError(f"{script}\nended with {status}:\n{output}")
        return output.strip()

    def answer(self, within):
        """The next line; less than a line where the guest has ended."""
        deadline = time.monotonic() + within
        while b"\n" not in self.unread:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the guest did not answer within {within} s")
            if not (read := os.read(self.answers, 1 << 16)):
                return b""
            self.unread += read
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def put(self, name, content):
        """Gives the guest a file that anybody there may read; its path."""
        (self.folder / name).write_bytes(content)
        self.run(f"install -D --mode 644 {self.SHARED}/{name} {self.OPEN}/{name}")
        return f"{self.OPEN}/{name}"

    def files(self, *folders):
        """All that is in files of these folders, as one heap of bytes."""
        self.run(f"tar --create --file {self.SHARED}/files.tar --ignore-failed-read {' '.join(folders)} 2>/dev/null")
        return (self.folder / "files.tar").read_bytes()

    def close(self):
        os.close(self.orders)
        os.close(self.answers)
