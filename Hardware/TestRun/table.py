"""The table of steps (`Hardware/test-steps.json`), and the comparison of what ran with it."""

import dataclasses
import json
import pathlib

import counting

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "Hardware/test-steps.json"

# Exit statuses of the benches and of install_packages: something is missing here, so nothing was tested.
NOT_TESTED = (69, 120, 121)


@dataclasses.dataclass(frozen=True)
class Skip:
    """Tests that may be skipped: those whose identifier begins with `tests`, for this reason."""
    tests: str
    reason: str
    # "without shared" where it is expected only without `../shared`; always where this is empty.
    when: str = ""


@dataclasses.dataclass(frozen=True)
class Step:
    """One line of the table. Times are in seconds."""
    name: str
    title: str
    run: str
    budget: int
    # Ended and failed after this time; see `patience` where the table does not say.
    deadline: int = 0
    after: tuple = ()
    # How much of the two cores it takes; a step at low priority takes what others leave.
    cores: float = 1
    low_priority: bool = False
    quick: bool = False
    # Runs in a guest, and may run once more after a named fault of the guest.
    guest: bool = False
    # How executed tests are counted: "swift", "unittest" or "" for a step that is one check.
    tests: str = ""
    skips: tuple = ()

    @property
    def patience(self):
        """A hang ends after this time. It decides nothing else: a step that still works on a slow or busy computer is let work."""
        return max(1800, (20 if self.low_priority else 10) * self.budget)


def load(path=TABLE):
    """The steps, in the table's order. A table that contradicts itself is an error."""
    steps = []
    for entry in json.loads(pathlib.Path(path).read_text())["steps"]:
        entry = dict(entry)
        entry["after"] = tuple(entry.get("after", ()))
        entry["skips"] = tuple(Skip(**skip) for skip in entry.get("skips", ()))
        step = Step(**entry)
        steps.append(dataclasses.replace(step, deadline=step.deadline or step.patience))
    known = set()
    for step in steps:
        if step.name in known:
            raise ValueError(f"{step.name} is in the table twice")
        if missing := set(step.after) - known:
            raise ValueError(f"{step.name} comes after {', '.join(sorted(missing))}, which is not above it in the table")
        if step.skips and not step.tests:
            raise ValueError(f"{step.name}: a step that counts no tests lets some be skipped")
        known.add(step.name)
    return steps


def suites_elsewhere(path=TABLE):
    """The suites that no step counts: what runs them stands beside each in the table."""
    return set(json.loads(pathlib.Path(path).read_text())["suitesElsewhere"])


def complaints(step, counted, shared):
    """What is wrong with the tests that a step executed and skipped, one line each."""
    found, used = [], set()
    if counted.executed <= 0:
        found.append("no test was executed")
    for test, reason in sorted(counted.skipped.items()):
        allowed = allowed_skip(step, test)
        if allowed is None:
            found.append(f"{test} was skipped, which the table does not allow: {reason or 'without a reason'}")
        elif not reason:
            found.append(f"{test} was skipped without a reason")
        elif allowed.when == "without shared" and shared:
            found.append(f"{test} was skipped although ../shared is here: {reason}")
        else:
            used.add(allowed)
    for skip in step.skips:
        if skip not in used and not (skip.when == "without shared" and shared):
            found.append(f"the table lets {skip.tests} be skipped, but it was not: remove that line")
    found += [f"{test} ran without an argument: its list of arguments is empty" for test in counted.empty]
    found += [f"{test} began and did not end" for test in counted.unfinished]
    return found


def allowed_skip(step, test):
    """The line of the table that lets the step skip this test, or None."""
    return next((skip for skip in step.skips if test.startswith(skip.tests)), None)


def unexecuted(expected, ran, shared):
    """The suites of the sources of which no step executed a test, in order.

    `ran` has pairs of a step and what it counted. A suite may be left out where all that is missing is `../shared`.
    """
    missing = set(expected)
    for _, counted in ran:
        missing -= counted.suites
    return sorted(missing if shared else missing - set(left_out_without_shared(ran)))


def left_out_without_shared(ran):
    """The suites of which no test ran because `../shared` is missing, in order."""
    skipped = {counting.suite(test) for step, counted in ran for test in counted.skipped
               if "(" in test and (skip := allowed_skip(step, test)) and skip.when == "without shared"}
    return sorted(skipped.difference(*(counted.suites for _, counted in ran)))
