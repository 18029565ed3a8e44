"""A guest of Hardware/Packaging/boot-deb --story, and how its commands are run."""

import base64
import pathlib
import socket
import time


class Guest:
    """COUNTERSIGN_GUEST is the folder that both see; in the guest it is `SHARED`."""

    SHARED = "/run/countersign-bench"
    # What anybody there may read.
    OPEN = "/run/story"
    # Emulated, beside whatever else this machine does.
    START, PATIENCE = 300, 120

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.line = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.line.connect(str(self.folder / "control"))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self.answers = self.line.makefile("rb")
        # It is obeyed once systemd has started everything.
        self.run("systemctl is-active multi-user.target", within=self.START)

    def run(self, script, within=PATIENCE):
        """What a script, run as root, says; one that fails is an error."""
        self.line.settimeout(within)
        self.line.sendall(base64.b64encode(f"set -eu\n{script}".encode()) + b"\n")
        answer = self.answers.readline().split(b" ", 1)
        if len(answer) != 2:
            raise ConnectionError("the guest has ended")
        status, output = int(answer[0]), base64.b64decode(answer[1]).decode(errors="replace")
        if status != 0:
            raise AssertionError(f"{script}\nended with {status}:\n{output}")
        return output.strip()

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
        self.line.close()
