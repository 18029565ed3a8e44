"""Which tests ran, from the records that the test runners leave."""

import collections
import dataclasses
import json
import pathlib
import re


@dataclasses.dataclass
class Counted:
    """The tests of one step, by identifier."""
    executed: int = 0
    failed: list = dataclasses.field(default_factory=list)
    # Each with its reason, or "" where none was given.
    skipped: dict = dataclasses.field(default_factory=dict)
    unfinished: list = dataclasses.field(default_factory=list)
    # What failed checks say, one line each.
    issues: list = dataclasses.field(default_factory=list)
    # The suites of which at least one test was executed.
    suites: set = dataclasses.field(default_factory=set)
    # The parameterised tests that had no argument to run with.
    empty: list = dataclasses.field(default_factory=list)

    @property
    def passed(self):
        return self.executed - len(self.failed)


def swift(path):
    """Reads Swift Testing's event stream: one JSON record a line. A file that is missing counts as no test."""
    functions, parameterised, began, ended, cancelled, counted = set(), set(), [], set(), set(), Counted()
    cases, cancelled_cases = collections.Counter(), collections.Counter()
    for record in _records(path):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                functions.add(payload["id"])
                if payload.get("isParameterized"):
                    parameterised.add(payload["id"])
            continue
        test = payload.get("testID")
        match payload["kind"]:
            case "testStarted" if test in functions:
                began.append(test)
            case "testEnded" if test in functions:
                ended.add(test)
            case "testCaseStarted":
                cases[test] += 1
            case "testSkipped":
                counted.skipped[_short(test)] = _reason(payload)
            case "testCancelled" | "testCaseCancelled":
                if payload["kind"] == "testCancelled":
                    cancelled.add(test)
                else:
                    cancelled_cases[test] += 1
                # The record has no reason; what the runner printed has.
                counted.skipped[_short(test)] = _text(payload) or "cancelled, or one of its cases"
            case "issueRecorded" if not payload.get("issue", {}).get("isKnown"):
                counted.issues.append(f"{_short(test) if test else 'outside of a test'}: {_text(payload)}")
                if test and _short(test) not in counted.failed:
                    counted.failed.append(_short(test))
    # A test that was cancelled, itself or in each of its cases, ends all the same.
    executed = ended - cancelled - {test for test, count in cancelled_cases.items() if count >= cases[test]}
    counted.executed = len(executed)
    counted.suites = {suite(test) for test in executed}
    counted.empty = sorted(_short(test) for test in executed & parameterised if not cases[test])
    counted.unfinished = [_short(test) for test in dict.fromkeys(began) if test not in ended]
    return counted


def unittest(log):
    """Reads what Python's unittest printed with -v, or Tests/Kiosk/run.py, which counts no skipped test as run."""
    counted, named = Counted(), []
    text = pathlib.Path(log).read_text(errors="replace") if pathlib.Path(log).exists() else ""
    for line in text.splitlines():
        if found := re.match(r"test_\w+ \((\S+)\)|\d+\| +[\d.]+ s  (?:FAILED )?(\S+)$", line):
            named.append(found[1] or found[2])
        if found := re.match(r"Ran (\d+) tests? in ", line):
            counted.executed += int(found[1])
        elif found := re.match(r"(?:FAIL|ERROR|FAILED):? (\w+(?: \(\S+\)|\.\S+).*)", line):
            counted.failed.append(found[1])
            counted.issues.append(line)
        elif found := re.match(r"(\S+ \(\S+\)).*\.\.\. skipped '(.*)'$", line):
            counted.skipped[found[1]] = found[2]
            counted.executed -= 1
        elif found := re.match(r"SKIPPED (\S+): (.*)$", line):
            counted.skipped[found[1]] = found[2]
    skipped = {re.sub(r".*\((\S+)\)$", r"\1", test) for test in counted.skipped}
    counted.suites = {suite(test) for test in named if test not in skipped}
    return counted


def suite(test):
    """The suite of a test: `Target.Suite` in Swift, `module.Class` in Python."""
    return test.partition("/")[0] if "/" in test or "(" in test else test.rpartition(".")[0]


def _records(path):
    try:
        lines = pathlib.Path(path).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        # The last line of a run that was ended may be cut.
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def _short(test):
    """Without the place in the source: `Target.Suite/function(_:)`."""
    return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)


def _text(payload):
    return " ".join(message["text"] for message in payload.get("messages", ()))


def _reason(payload):
    found = re.search(r'skipped: "?(.*?)"?$', _text(payload), re.DOTALL)
    return found[1] if found else ""


def read(kind, folder):
    """What ran in a step, by the record that its folder has."""
    match kind:
        case "swift":
            return swift(pathlib.Path(folder) / "events.jsonl")
        case "unittest":
            return unittest(pathlib.Path(folder) / "output.log")
        case _:
            return Counted()
