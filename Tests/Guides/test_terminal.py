"""The command line as a person has it: on a terminal, and with the examples of its help pasted."""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/countersign"
LAB = PROGRAM.with_name("countersign-lab")
RED, YELLOW, END = "\x1b[1;31m", "\x1b[1;33m", "\x1b[0m"


def on_terminal(*arguments, **environment):
    """What a terminal shows that is the program's standard output and standard error; and its exit code."""
    written, status = written_to_terminal(PROGRAM, *arguments, **environment)
    return re.sub(r"\r[^\r\n]*\x1b\[K", "", written), status


def written_to_terminal(program, *arguments, **environment):
    """The same with the line of progress, which a slow computer shows."""
    controller, terminal = pty.openpty()
    child = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                             env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment})
    os.close(terminal)
    written = b""
    try:
        while part := os.read(controller, 4096):
            written += part
    except OSError:  # The program closed the terminal.
        pass
    os.close(controller)
    return written.decode().replace("\r\n", "\n"), child.wait(600)


def piped(*arguments, program=PROGRAM, **environment):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600,
                          env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment})


class TerminalTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="countersign-terminal.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def verify(self, policy, age=40):
        """The arguments that verify a test document of this age under this policy."""
        case, store = self.folder / "case", self.folder / "store"
        self.assertEqual(piped("wallet", "--write", str(case), "--age", str(age), program=LAB).returncode, 0)
        store.mkdir()
        (store / "policy.json").write_text(json.dumps(policy))
        return ["verify", "--response", str(case / "device_response.cbor"), "--transcript",
                str(case / "session_transcript.cbor"), "--request", str(case / "device_request.cbor"),
                "--trust", str(case / "iaca.der"), "--store", str(store)]

    def test_a_test_document_that_is_accepted_is_yellow_and_never_green(self):
        written, status = on_terminal(*self.verify({"acceptTestDocuments": True}))
        self.assertEqual(status, 0, written)
        self.assertRegex(written, rf"^{re.escape(YELLOW)}TEST DOCUMENT: .*{re.escape(END)}\n")
        self.assertEqual(written.count("\x1b"), 2)

    def test_a_no_is_red_of_a_test_document_too(self):
        written, status = on_terminal(*self.verify({"acceptTestDocuments": True}, age=20))
        self.assertEqual(status, 1, written)
        self.assertTrue(written.startswith(RED + "TEST DOCUMENT: over 18 yes, over 21 no, in date yes" + END), written)

    def test_what_is_refused_is_red(self):
        written, status = on_terminal(*self.verify({}))
        self.assertEqual(status, 2, written)
        self.assertTrue(written.startswith(RED + "TEST DOCUMENT: it proves nothing" + END), written)

    def test_a_pipe_NO_COLOR_a_dumb_terminal_and_json_have_no_colour(self):
        command = self.verify({"acceptTestDocuments": True})
        for written in (piped(*command).stdout, on_terminal(*command, NO_COLOR="1")[0],
                        on_terminal(*command, TERM="dumb")[0], on_terminal(*command, "--json")[0]):
            self.assertNotIn("\x1b", written)
            self.assertIn("TEST DOCUMENT" if not written.startswith("{") else '"mock"', written)

    def test_work_of_more_than_a_second_counts_its_seconds_and_leaves_nothing_behind(self):
        work = ["bench", *self.verify({})[1:5], "--trust", str(self.folder / "case/iaca.der"), "--rounds", "1",
                "--per-round", "400"]
        written, status = written_to_terminal(LAB, *work)
        self.assertEqual(status, 0, written)
        self.assertIn("\rMeasuring… 1 s\x1b[K", written)
        self.assertRegex(written, r"\r\x1b\[K\{")
        for quiet in (piped(*work, program=LAB).stderr, written_to_terminal(LAB, *work, TERM="dumb")[0]):
            self.assertNotIn("Measuring", quiet)

    def test_errors_of_every_kind_begin_in_the_same_way(self):
        for arguments in (["verfy"], ["request", "shoe size"], ["request", "--potrait"], ["request"],
                          ["identity", "csr", "counter", "--subject", "CN=x", "--store", str(self.folder)]):
            written, status = on_terminal(*arguments)
            self.assertNotEqual(status, 0)
            self.assertTrue(written.startswith(f"{RED}error:{END} "), written)
            self.assertTrue(piped(*arguments).stderr.startswith("error: "), arguments)


def commands(command):
    """A command and all below it."""
    yield command
    for below in command.get("subcommands", []):
        yield from commands(below)


def examples(command):
    text = command.get("discussion", "").replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if re.match(r" +countersign(d|-lab)? \S", line)]


def takes_something(command):
    return any(not argument["isOptional"] for argument in command.get("arguments", []))


# In place of an exit status: it was ended while it waited.
WAITS = 124
PATIENCE = 600  # seconds


def ends_or_waits(process):
    """Whether the program waits: all its threads sleep in twenty looks in a row. One that still works is waited for."""
    until, looks = time.monotonic() + PATIENCE, 0
    while process.poll() is None:
        if time.monotonic() > until:
            raise TimeoutError("the example neither ends nor waits")
        looks = looks + 1 if is_asleep(process.pid) else 0
        if looks == 20:
            return True
        time.sleep(0.05)
    return False


def is_asleep(pid):
    """Whether this is one of our programs and no thread of it runs or would run."""
    try:
        if not pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("countersign"):
            return False
        states = [(thread / "stat").read_text().rpartition(")")[2].split()[0]
                  for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return False
    return set(states) == {"S"}


class ExampleTests(unittest.TestCase):
    # Folders of the system that an example may write, empty or copied.
    SYSTEM = """mount --make-rprivate / && mount -t tmpfs copy /mnt && cp -a /etc/. /mnt && mount --bind /mnt /etc &&
        mount -t tmpfs empty /var/lib && mount -t tmpfs empty /run && ip link set lo up || exit 126"""

    def run_pasted(self, example, folder):
        """Runs it with no network and in a system that is thrown away, to its end or until it waits: what waits for a phone
        has understood its arguments."""
        script = f"{self.SYSTEM}\nPATH={PROGRAM.parent}:$PATH exec {example}"
        with open(f"{folder}/said", "w+") as said:
            process = subprocess.Popen(
                ["unshare", "--net", "--mount", "bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
                env={**os.environ, "COUNTERSIGN_STORE": f"{folder}/store", "HOME": folder})
            is_waiting = ends_or_waits(process)
            if is_waiting:
                os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
            said.seek(0)
            return WAITS if is_waiting else status, said.read()

    def help(self, program=PROGRAM):
        shown = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, timeout=600)
        return json.loads(shown.stdout)["command"]

    def test_every_command_that_needs_an_argument_has_an_example(self):
        without = [command["commandName"] for program in (PROGRAM, LAB) for command in commands(self.help(program))
                   if not command.get("subcommands") and takes_something(command) and not examples(command)]
        self.assertEqual(without, [])

    # What the examples call the files of a presentation.
    FILES = {"response.cbor": "device_response.cbor", "transcript.cbor": "session_transcript.cbor",
             "request.cbor": "device_request.cbor", "iaca.der": "iaca.der", "iaca.pem": "iaca.der",
             "roots/iaca.pem": "iaca.der"}
    # The exit codes of those that need no more than these; 2: it is a test document, or an identity has no certificate yet.
    STATUS = {"countersign inspect response.cbor": 0, "countersign inspect --full transcript.cbor": 0,
              "countersign verify --response": 2, "countersign trust import roots/": 0, "countersign trust lint": 0,
              "countersign trust list": 0, "countersign identity authority init": 0, "countersign identity csr": 0,
              "countersign identity choose": 0, "countersign identity lint": 2, "countersign receipt list": 0,
              "countersign receipt export": 0, "countersign retained list": 0, "countersign token instance": 0,
              "countersign-lab wallet --write": 0, "countersignd token new": 0}

    def write_files(self, folder):
        self.assertEqual(piped("wallet", "--write", f"{folder}/presentation", program=LAB).returncode, 0)
        os.mkdir(f"{folder}/roots")
        for name, source in self.FILES.items():
            shutil.copy(f"{folder}/presentation/{source}", f"{folder}/{name}")

    def test_every_example_of_the_help_is_understood_as_it_is(self):
        if os.geteuid() != 0:
            self.skipTest("a separate network needs root, and this is not root")
        programs = [PROGRAM, LAB, PROGRAM.with_name("countersignd")]
        known = [command for program in programs for command in commands(self.help(program))]
        found = [example for command in known for example in examples(command)]
        self.assertIn("countersignd token new --scope app --name till", found)
        self.assertIn("countersign-lab wallet --write case --portrait-size 22600", found)
        self.assertGreater(len(found), 80)
        with tempfile.TemporaryDirectory() as folder:
            self.write_files(folder)
            for example in found:
                with self.subTest(example):
                    status, said = self.run_pasted(example, folder)
                    expected = [self.STATUS[start] for start in self.STATUS if example.startswith(start)]
                    self.assertIn(status, expected or range(126), said)
                    for refusal in ("Usage:", "has no command", "has no option", "not understood"):
                        self.assertNotIn(refusal, said)

    def test_an_example_with_an_option_that_does_not_exist_fails(self):
        if os.geteuid() != 0:
            self.skipTest("a separate network needs root, and this is not root")
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("has no option", self.run_pasted("countersign inspect --fully trace.txt", folder)[1])

    def test_an_example_that_waits_is_ended_and_one_that_ends_is_not(self):
        if os.geteuid() != 0:
            self.skipTest("a separate network needs root, and this is not root")
        with tempfile.TemporaryDirectory() as folder:
            waiting, said = self.run_pasted("countersign-lab wallet --listen tcp://127.0.0.1:0 --root root.der", folder)
            self.assertEqual(waiting, WAITS, said)
            self.assertEqual(self.run_pasted("countersign --version", folder)[0], 0)


if __name__ == "__main__":
    unittest.main()
