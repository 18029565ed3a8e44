"""Runs the steps of the table, several at a time, and says what came of each."""

import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import counting
import guests
import table
import watched

# Given to a step beyond its deadline, so that what watches inside it can write its backtraces first.
GRACE = 180
# The complaints of each failed step that the last lines of the run repeat.
SHOWN_AT_END = 4


@dataclasses.dataclass
class Result:
    """What came of one step."""
    step: table.Step
    seconds: float
    status: int
    counted: counting.Counted
    complaints: list
    # Why nothing was tested, or "".
    not_tested: str = ""
    # Why it ran twice, or "".
    retried: str = ""
    # Seconds of a core.
    work: float = 0

    @property
    def passed(self):
        return not self.complaints and not self.not_tested


class Runner:
    """Starts each step when those it comes after have ended and there is room for it on the cores."""

    def __init__(self, steps, strict, logs, air, cores=2.0, out=sys.stdout, shared=None, suites=()):
        self.steps, self.strict, self.cores, self.out = steps, strict, cores, out
        self.logs, self.air = pathlib.Path(logs), pathlib.Path(air)
        self.shared = (table.ROOT / "../shared").exists() if shared is None else shared
        self.results, self.running, self.retried = {}, {}, {}
        # Every suite that the run has to execute; empty where only some of the steps run.
        self.suites = suites
        # The steps of low priority that have a normal one now.
        self.alone = set()

    def say(self, text):
        print(text, file=self.out, flush=True)

    def run(self):
        """Runs all steps to their ends; whether everything passed."""
        self.began = time.monotonic()
        waiting = list(self.steps)
        try:
            while waiting or self.running:
                for step in [step for step in waiting if self.may_start(step)]:
                    # Asked again: the one before it may have taken the room.
                    if self.may_start(step):
                        waiting.remove(step)
                        self.start(step)
                for step in [step for step in waiting if self.is_pointless(step)]:
                    waiting.remove(step)
                    self.leave_out(step)
                for name in list(self.running):
                    self.look_after(name)
                self.share_cores()
                time.sleep(0.1)
        finally:
            for process, *_ in self.running.values():
                watched.end(process)
        return not self.unexecuted() and all(
            result.passed or result.not_tested and not self.strict for result in self.results.values())

    def unexecuted(self):
        """The suites that ran in no step. A step that failed or tested nothing says so itself."""
        if not all(result.passed for result in self.results.values()):
            return []
        return table.unexecuted(
            self.suites, [(result.step, result.counted) for result in self.results.values()], self.shared)

    def may_start(self, step):
        if not all(name in self.results and self.results[name].passed for name in step.after if self.has(name)):
            return False
        taken = sum(step.cores for _, step, *_ in self.running.values() if not step.low_priority)
        return step.low_priority or taken == 0 or taken + step.cores <= self.cores

    def share_cores(self):
        """A step of low priority has a normal one while no other step is there that it would hold up."""
        is_alone = all(step.low_priority for _, step, _ in self.running.values())
        alone = {name for name, (_, step, _) in self.running.items() if step.low_priority and is_alone}
        for name in alone - self.alone:
            watched.share(self.running[name][0].pid, 0)
        for name in (self.alone - alone) & self.running.keys():
            watched.share(self.running[name][0].pid, watched.LOW_PRIORITY)
        self.alone = alone

    def is_pointless(self, step):
        return any(name in self.results and not self.results[name].passed for name in step.after)

    def leave_out(self, step):
        """What needs a step that could not be tested cannot be tested either; what needs a failed one fails."""
        needed = [self.results[name] for name in step.after if name in self.results]
        if any(result.complaints for result in needed):
            return self.finish(step, 0, 1, counting.Counted(), ["not run: a step that it needs failed"])
        missing = next(result.not_tested for result in needed if result.not_tested)
        self.finish(step, 0, 1, counting.Counted(), [], not_tested=missing)

    def has(self, name):
        return any(step.name == name for step in self.steps)

    def folder(self, step):
        return (self.air if step.guest else self.logs) / step.name

    def start(self, step):
        folder = self.folder(step)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.say(f"-- {self.clock()} {step.name} begins")
        environment = {**os.environ, "COUNTERSIGN_TEST_LOG": str(folder),
                       "COUNTERSIGN_TEST_DEADLINE": str(step.deadline)}
        command = ["bash", "-c", f". Hardware/steps.sh && {step.run}"]
        prepare = watched.end_with_parent_at_low_priority if step.low_priority else watched.end_with_parent
        with open(folder / "output.log", "wb") as output:
            process = subprocess.Popen(
                command, cwd=table.ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=prepare)
        self.running[step.name] = process, step, time.monotonic()

    def look_after(self, name):
        process, step, began = self.running[name]
        seconds = time.monotonic() - began
        status, work = watched.poll(process) or (None, 0)
        if status is None:
            if seconds < step.deadline + GRACE:
                return
            watched.write_backtraces(process.pid, self.folder(step) / "backtraces.txt")
            status = watched.OVERDUE
        # What it left running would disturb the next ones.
        watched.end(process)
        del self.running[name]
        self.judge(step, seconds, work, status)

    def judge(self, step, seconds, work, status):
        folder = self.folder(step)
        counted = counting.read(step.tests, folder)
        if status in table.NOT_TESTED:
            missing = last_line(folder / "output.log")
            return self.finish(step, seconds, status, counted, [], not_tested=missing, work=work)
        found = []
        if status == watched.OVERDUE:
            found.append(f"not done after {step.deadline} s: see {folder}/backtraces.txt")
        elif status != 0:
            found.append(f"exit status {status}")
        found += counted.issues
        if step.tests:
            found += table.complaints(step, counted, self.shared)
        if step.guest and found:
            found = guests.losses(folder) + found
        fault = guests.named_fault(folder) if step.guest and found else ""
        if fault and step.name not in self.retried:
            kept = folder.with_name(folder.name + "-first")
            shutil.rmtree(kept, ignore_errors=True)
            folder.rename(kept)
            self.retried[step.name] = f"{fault}; logs in {kept}"
            self.say(f"-- {self.clock()} {step.name} failed after a fault of its guest: {fault}")
            self.start(step)
            return
        self.finish(step, seconds, status, counted, found, work=work)

    def finish(self, step, seconds, status, counted, found, not_tested="", work=0):
        result = Result(step, seconds, status, counted, found, not_tested, self.retried.get(step.name, ""), work)
        self.results[step.name] = result
        self.say(f"== {self.clock()} {step.title}: {verdict(result)}")
        if found:
            for line in found[:40]:
                self.say(f"   {line[:600]}")
            self.tail(self.folder(step) / "output.log")

    def tail(self, path, lines=40):
        if path.exists():
            self.say(f"   the end of {path}:")
            for line in path.read_text(errors="replace").splitlines()[-lines:]:
                self.say(f"   | {line[:400]}")

    def clock(self):
        seconds = int(time.monotonic() - self.began)
        return f"{seconds // 60:2d}:{seconds % 60:02d}"

    def summary(self):
        """Time against budget of each step, then what a reader must not miss, then the tests' totals."""
        self.say("\n== Time, budget and work of a core of each step, in seconds")
        for step in self.steps:
            result = self.results[step.name]
            late = "  OVER BUDGET" if result.seconds > step.budget else ""
            tests = f"  {result.counted.executed} tests" if step.tests else ""
            self.say(f"{result.seconds:6.0f} of {step.budget:5d} {result.work:6.0f}  {step.title}{tests}{late}"
                     f"{'' if result.passed else '  ' + verdict(result)}")
        results = [self.results[step.name] for step in self.steps]
        self.say(f"{time.monotonic() - self.began:6.0f}          {sum(result.work for result in results):6.0f}  in all\n")
        for result in results:
            if result.not_tested:
                self.say(f"NOT tested: {result.step.title}: {result.not_tested}")
        if not self.shared:
            ran = [(result.step, result.counted) for result in results]
            left_out = ", ".join(table.left_out_without_shared(ran)) or "no suite"
            self.say(f"../shared is not here: {left_out} did not run, and the corpus of another implementation was not judged")
        retried = [result for result in results if result.retried]
        for number, result in enumerate(retried, 1):
            self.say(f"RETRIED {number}: {result.step.name}: {result.retried}")
        failed = [result for result in results if result.complaints]
        for result in failed:
            self.say(f"FAILED: {result.step.title}")
            for complaint in result.complaints[:SHOWN_AT_END]:
                self.say(f"   {complaint[:300]}")
        for suite in self.unexecuted():
            self.say(f"FAILED: {suite} ran in no step: name it in a filter of Hardware/test-steps.json")
        counts = [result.counted for result in results if result.step.tests]
        passed, wrong = sum(c.passed for c in counts), sum(len(c.failed) for c in counts)
        if counts:
            self.say(f"{passed} passed, {wrong} failed, {sum(len(c.skipped) for c in counts)} skipped")


def verdict(result):
    if result.not_tested:
        return f"NOT tested: {result.not_tested}"
    tests = f", {result.counted.passed} tests passed" if result.step.tests else ""
    return f"{'passed' if result.passed else 'FAILED'} in {result.seconds:.0f} s{tests}"


def last_line(path):
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"


def end_on_signals():
    """TERM and HUP end the run as Ctrl-C does, so that every step is ended with it."""
    def leave(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
