"""Runs tests in several processes, each with a browser of its own: python run.py [--processes N] [--limit SECONDS] test…

Prints each test with its time, each skip with its reason, and each failure; then the line `Ran N tests`, where N counts
what was executed. Fails where a test fails, where one takes longer than the limit or ends its process (which ends the
run), and where a process has executed no test."""

import argparse
import collections
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest

import greenlet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Hardware/TestRun"))
import watched  # noqa: E402  (how a process ends with all that it has started)


class Reports(unittest.TestResult):
    """Of the tests of one worker. Where one takes longer than the limit, its process ends, and says where it stood."""

    def __init__(self, send, limit):
        super().__init__()
        self.send = send
        self.limit = limit
        self.times = []
        self.timer = threading.Timer(limit, lambda: None)

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.watch()
        self.send({"running": test.id()})

    def stopTest(self, test):
        super().stopTest(test)
        self.times.append((test.id(), time.monotonic() - self.begun))
        self.watch()

    def watch(self):
        """Starts the time anew."""
        self.timer.cancel()
        self.timer = threading.Timer(self.limit, self.give_up, [greenlet.getcurrent(), threading.get_ident()])
        self.timer.daemon = True
        self.timer.start()

    def give_up(self, test, thread):
        # While Playwright waits, the test is not what its thread runs.
        frame = test.gr_frame or sys._current_frames()[thread]
        print(f"longer than {self.limit} s:\n", *traceback.format_stack(frame), sep="", file=sys.stderr, flush=True)
        os._exit(1)

    def faults(self):
        found = [(test.id(), text) for test, text in self.failures + self.errors]
        return found + [(test.id(), "succeeded unexpectedly\n") for test in self.unexpectedSuccesses]


def work(limit):
    """Takes names of tests from standard input, one unit a line, and reports on what was its standard output."""
    reports = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def send(report):
        reports.write(json.dumps(report) + "\n")

    for line in sys.stdin:
        result = Reports(send, limit)
        result.watch()
        unittest.defaultTestLoader.loadTestsFromNames(json.loads(line)).run(result)
        result.timer.cancel()
        sys.stdout.flush()
        send({"times": result.times, "faults": result.faults(),
              "skipped": [(test.id(), reason) for test, reason in result.skipped]})


class Worker:
    """A process that runs one unit after the other; what it prints is passed on line by line."""

    def __init__(self, number, limit):
        self.number = number
        self.current = "no test yet"
        self.executed = 0
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--limit", str(limit), "--worker"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.printing = threading.Thread(target=self.print, daemon=True)
        self.printing.start()

    def print(self):
        for line in self.process.stderr:
            self.say(line.rstrip("\n"))

    def say(self, words):
        for line in words.rstrip("\n").split("\n"):
            print(f"{self.number}| {line}", flush=True)

    def run(self, unit):
        """What became of a unit, or nothing where the process ended."""
        try:
            self.process.stdin.write(json.dumps(unit) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        for line in self.process.stdout:
            report = json.loads(line)
            if "running" not in report:
                return report
            self.current = report["running"]
        return None

    def end(self, within):
        """Lets it close its browsers; whether it did so."""
        try:
            self.process.stdin.close()
            return self.process.wait(within) == 0
        except (OSError, subprocess.TimeoutExpired):
            return False
        finally:
            self.kill()

    def kill(self):
        """Ends it with all that it has started; the driver of its browsers ends those."""
        watched.end(self.process)
        self.printing.join(10)


class Run:
    def __init__(self, names, processes, limit):
        units = units_of(names)
        self.limit = limit
        self.units = queue.SimpleQueue()
        self.faults, self.skipped = [], []
        self.lock = threading.Lock()
        self.is_over = threading.Event()
        for unit in units:
            self.units.put(unit)
        # Each worker has its first unit before any has a second one.
        self.firsts = [self.units.get() for _ in range(min(processes, len(units)))]
        self.workers = []

    def __call__(self):
        begun = time.monotonic()
        try:
            self.workers = [Worker(number + 1, self.limit) for number in range(len(self.firsts))]
            threads = [threading.Thread(target=self.drive, args=pair) for pair in zip(self.workers, self.firsts)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for worker in self.workers:
                worker.kill()
        return self.close(time.monotonic() - begun)

    def drive(self, worker, unit):
        while not self.is_over.is_set():
            report = worker.run(unit)
            with self.lock:
                if report is None:
                    return self.stop(worker)
                self.take(worker, report)
            try:
                unit = self.units.get_nowait()
            except queue.Empty:
                break
        if not worker.end(within=self.limit):
            with self.lock:
                self.faults.append(f"process {worker.number} did not end by itself after {worker.current}")

    def stop(self, worker):
        """A process that has ended in a test ends the run."""
        if not self.is_over.is_set():
            self.is_over.set()
            worker.printing.join(10)
            self.faults.append(f"{worker.current}: its process ended, or the test took longer than {self.limit} s")
            for other in self.workers:
                other.kill()

    def take(self, worker, report):
        skipped, failed = dict(report["skipped"]), {name for name, _ in report["faults"]}
        for name, seconds in report["times"]:
            if name in skipped:
                continue
            worker.executed += 1
            worker.say(f"{seconds:6.1f} s  {'FAILED ' if any(name in fault for fault in failed) else ''}{name}")
        for name, text in report["faults"]:
            worker.say(f"FAILED {name}\n{text}")
            # Told again at the end, which is what the record of a whole run has.
            self.faults.append(f"{name}\n{text}")
        for name, reason in skipped.items():
            worker.say(f"SKIPPED {name}: {reason}")
            self.skipped.append(f"{name}: {reason}")

    def close(self, seconds):
        for worker in self.workers:
            if worker.executed == 0:
                self.faults.append(f"process {worker.number} executed no test")
        if not self.workers:
            self.faults.append("no test was found")
        print()
        for skipped in self.skipped:
            print(f"SKIPPED {skipped}")
        for fault in self.faults:
            print(f"FAILED {fault}")
        shares = ", ".join(f"{worker.executed} in process {worker.number}" for worker in self.workers)
        print(f"Ran {sum(worker.executed for worker in self.workers)} tests in {seconds:.1f} s ({shares})")
        print(f"FAILED ({len(self.faults)})" if self.faults else "OK")
        return 1 if self.faults else 0


def units_of(names):
    """Each test is a unit; but a class with a setUpClass of its own is one, as what that starts is slow."""
    units = collections.OrderedDict()
    suites = [unittest.defaultTestLoader.loadTestsFromNames(names)]
    while suites:
        test = suites.pop()
        if isinstance(test, unittest.TestSuite):
            suites.extend(reversed(list(test)))
        elif isinstance(test, unittest.loader._FailedTest):
            units[test.id()] = [test.id().removeprefix("unittest.loader._FailedTest.")]
        else:
            kind = type(test)
            of_class = f"{kind.__module__}.{kind.__qualname__}"
            units.setdefault(of_class if "setUpClass" in vars(kind) else test.id(), []).append(test.id())
    return list(units.values())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--limit", type=float, default=1200)
    arguments.add_argument("--worker", action="store_true")
    arguments.add_argument("tests", nargs="*")
    given = arguments.parse_args()
    if given.worker:
        return work(given.limit)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    return Run(given.tests, given.processes, given.limit)()


if __name__ == "__main__":
    sys.exit(main())
