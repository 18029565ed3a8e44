"""The run of all tests cannot be fooled: each of these would be a green run that proved nothing."""

import dataclasses
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Hardware/TestRun"))
import counting
import guests
import runner
import suites
import table
import watched


def event(kind, test, **more):
    return {"version": 0, "kind": "event", "payload": {"kind": kind, "testID": test, **more}}


def function(test):
    return {"version": 0, "kind": "test", "payload": {"kind": "function", "id": test}}


def stream(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


A, B = "FirstTests.Suite/a()/FirstTests.swift:3:4", "FirstTests.Suite/b()/FirstTests.swift:9:4"
PASSED = stream(function(A), event("testStarted", A), event("testEnded", A))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-test-run"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def step(self, run, **more):
        entry = {"name": "step", "title": "A step", "run": run, "budget": 20, **more}
        path = self.folder / "table.json"
        path.write_text(json.dumps({"steps": [entry]}))
        return table.load(path)[0]

    def run_steps(self, *steps, strict=True, shared=True, suites=()):
        """Whether the run passed, and what it printed."""
        out = io.StringIO()
        run = runner.Runner(steps, strict, self.folder / "logs", self.folder / "air", out=out, shared=shared, suites=suites)
        passed = run.run()
        run.summary()
        return passed, out.getvalue()

    def leaving(self, text, status=0):
        """A command that leaves this record of its tests, as a test bundle does."""
        (self.folder / "record").write_text(text)
        return f'cp {self.folder}/record "$COUNTERSIGN_TEST_LOG/events.jsonl"; exit {status}'


class Counting(Case):
    def counted(self, *records):
        path = self.folder / "events.jsonl"
        path.write_text(stream(*records))
        return counting.swift(path)

    def test_a_test_counts_when_it_ended(self):
        counted = self.counted(function(A), event("testStarted", A), event("testEnded", A))
        self.assertEqual((counted.executed, counted.unfinished, counted.failed), (1, [], []))

    def test_a_suite_is_no_test(self):
        suite = {"version": 0, "kind": "test", "payload": {"kind": "suite", "id": "FirstTests.Suite"}}
        counted = self.counted(suite, event("testStarted", "FirstTests.Suite"), event("testEnded", "FirstTests.Suite"))
        self.assertEqual(counted.executed, 0)

    def test_a_test_that_began_and_did_not_end_is_unfinished(self):
        counted = self.counted(function(A), event("testStarted", A))
        self.assertEqual((counted.executed, counted.unfinished), (0, ["FirstTests.Suite/a()"]))

    def test_a_failed_check_fails_its_test(self):
        counted = self.counted(
            function(A), event("testStarted", A),
            event("issueRecorded", A, issue={"isKnown": False}, messages=[{"text": "1 == 2"}]), event("testEnded", A))
        self.assertEqual((counted.failed, counted.passed), (["FirstTests.Suite/a()"], 0))
        self.assertIn("1 == 2", counted.issues[0])

    def test_a_skip_is_counted_with_its_reason(self):
        counted = self.counted(
            function(A), event("testSkipped", A, messages=[{"text": 'Test a() skipped: "no bench"'}]))
        self.assertEqual((counted.executed, counted.skipped), (0, {"FirstTests.Suite/a()": "no bench"}))

    def test_a_cancelled_case_counts_as_a_skip(self):
        counted = self.counted(
            function(A), event("testStarted", A), event("testCaseCancelled", A), event("testEnded", A))
        self.assertIn("FirstTests.Suite/a()", counted.skipped)

    def test_a_test_that_was_cancelled_is_not_executed(self):
        ends = function(A), event("testStarted", A), event("testCancelled", A), event("testEnded", A)
        counted = self.counted(*ends)
        self.assertEqual((counted.executed, counted.suites, counted.unfinished), (0, set(), []))
        self.assertIn("FirstTests.Suite/a()", counted.skipped)

    def test_a_test_is_executed_if_one_of_its_cases_was_not_cancelled(self):
        begins = function(A), event("testStarted", A), event("testCaseStarted", A), event("testCaseCancelled", A)
        ends = event("testCaseStarted", A), event("testEnded", A)
        self.assertEqual(self.counted(*begins, *ends).executed, 1)
        self.assertEqual(self.counted(*begins, event("testEnded", A)).executed, 0)

    def test_a_record_that_is_missing_or_cut_counts_what_it_has(self):
        self.assertEqual(counting.swift(self.folder / "none").executed, 0)
        path = self.folder / "cut"
        path.write_text(PASSED + '{"version":0,"kind":"ev')
        self.assertEqual(counting.swift(path).executed, 1)

    def test_the_suites_of_what_ended_are_known(self):
        counted = self.counted(
            function(A), function("FirstTests.Other/c()/x.swift:1:1"), event("testStarted", A), event("testEnded", A))
        self.assertEqual(counted.suites, {"FirstTests.Suite"})

    def test_a_parameterised_test_without_a_case_is_empty(self):
        test = "FirstTests.Suite/a(_:)/FirstTests.swift:3:4"
        known = function(test)
        known["payload"]["isParameterized"] = True
        ends = event("testStarted", test), event("testEnded", test)
        self.assertEqual(self.counted(known, *ends).empty, ["FirstTests.Suite/a(_:)"])
        self.assertEqual(self.counted(known, ends[0], event("testCaseStarted", test), ends[1]).empty, [])

    def test_unittest_is_counted_without_its_skips(self):
        log = self.folder / "output.log"
        log.write_text("test_a (x.T.test_a) ... ok\ntest_b (x.T.test_b) ... skipped 'no Chromium'\n\nRan 2 tests in 0.1s\n")
        counted = counting.unittest(log)
        self.assertEqual((counted.executed, counted.skipped), (1, {"test_b (x.T.test_b)": "no Chromium"}))
        self.assertEqual(counted.suites, {"x.T"})
        log.write_text("SKIPPED x.T.test_b: no Chromium\nFAILED x.T.test_a\nRan 2 tests in 0.1 s (2 in process 1)\nFAILED (1)\n")
        counted = counting.unittest(log)
        self.assertEqual((counted.executed, counted.passed, counted.skipped), (2, 1, {"x.T.test_b": "no Chromium"}))


class Comparing(Case):
    def complaints(self, counted, shared=True, **more):
        return table.complaints(self.step("true", tests="swift", **more), counted, shared)

    def test_a_step_that_executes_no_test_is_a_complaint(self):
        self.assertEqual(self.complaints(counting.Counted(executed=1)), [])
        self.assertEqual(self.complaints(counting.Counted()), ["no test was executed"])

    def test_a_test_whose_list_of_arguments_is_empty_is_a_complaint(self):
        empty = counting.Counted(executed=1, empty=["FirstTests.Suite/a(_:)"])
        self.assertIn("list of arguments is empty", self.complaints(empty)[0])

    def test_a_suite_that_ran_in_no_step_is_named(self):
        step = self.step("true", tests="swift")
        ran = [(step, counting.Counted(executed=1, suites={"FirstTests.Suite"}))]
        self.assertEqual(table.unexecuted({"FirstTests.Suite"}, ran, True), [])
        self.assertEqual(table.unexecuted({"FirstTests.Suite", "FirstTests.Other"}, ran, True), ["FirstTests.Other"])

    def test_a_suite_may_be_left_out_only_where_shared_is_missing(self):
        step = self.step("true", tests="swift", skips=[
            {"tests": "FirstTests.Suite", "reason": "vectors", "when": "without shared"},
            {"tests": "FirstTests.Bench", "reason": "needs a bench: step bench"}])
        skipped = counting.Counted(skipped={"FirstTests.Suite/a()": "no ../shared", "FirstTests.Bench/a()": "no bench"})
        expected = {"FirstTests.Suite", "FirstTests.Bench"}
        self.assertEqual(table.unexecuted(expected, [(step, skipped)], False), ["FirstTests.Bench"])
        self.assertEqual(table.unexecuted(expected, [(step, skipped)], True), ["FirstTests.Bench", "FirstTests.Suite"])
        self.assertEqual(table.left_out_without_shared([(step, skipped)]), ["FirstTests.Suite"])

    def test_a_suite_of_which_another_test_ran_was_not_left_out(self):
        step = self.step("true", tests="swift", skips=[
            {"tests": "FirstTests.", "reason": "vectors", "when": "without shared"}])
        skipped = counting.Counted(
            executed=1, suites={"FirstTests.Suite"},
            skipped={"FirstTests.Suite/a()": "no ../shared", "FirstTests.Other": "no ../shared", "FirstTests.Other/a()": "no ../shared"})
        self.assertEqual(table.left_out_without_shared([(step, skipped)]), ["FirstTests.Other"])

    def test_a_skip_is_allowed_only_by_the_table_and_with_a_reason(self):
        allowed = [{"tests": "FirstTests.", "reason": "needs a bench"}]
        skipped = counting.Counted(executed=1, skipped={"FirstTests.Suite/a()": "no bench"})
        self.assertEqual(self.complaints(skipped, skips=allowed), [])
        self.assertIn("does not allow", self.complaints(skipped)[0])
        silent = counting.Counted(executed=1, skipped={"FirstTests.Suite/a()": ""})
        self.assertIn("without a reason", self.complaints(silent, skips=allowed)[0])

    def test_a_skip_for_want_of_shared_is_not_allowed_where_shared_is(self):
        allowed = [{"tests": "FirstTests.", "reason": "vectors", "when": "without shared"}]
        skipped = counting.Counted(executed=1, skipped={"FirstTests.Suite/a()": "no ../shared"})
        self.assertEqual(self.complaints(skipped, shared=False, skips=allowed), [])
        self.assertIn("although ../shared is here", self.complaints(skipped, skips=allowed)[0])

    def test_a_line_of_the_table_that_nothing_uses_is_a_complaint(self):
        allowed = [{"tests": "FirstTests.", "reason": "needs a bench"}]
        self.assertIn("remove that line", self.complaints(counting.Counted(executed=1), skips=allowed)[0])

    def test_a_table_that_contradicts_itself_is_refused(self):
        for more in ({"after": ["nothing"]}, {"skips": [{"tests": "FirstTests.", "reason": "needs a bench"}]}):
            with self.assertRaises(ValueError):
                self.step("true", **more)

    def test_the_checked_in_table_is_sound_and_has_a_budget_for_every_step(self):
        steps = table.load()
        self.assertTrue(all(step.budget > 0 for step in steps))
        self.assertEqual([step.name for step in steps if step.guest and not step.tests and step.name != "try-air"], [])

    def test_the_sources_have_the_suites_that_the_table_says_run_elsewhere(self):
        everywhere = suites.of_sources()
        self.assertEqual(table.suites_elsewhere() - everywhere, set())
        self.assertIn("ArchitectureTests.ImportTests", everywhere)
        self.assertIn("countersign_hubTests.HubDoctorTests", everywhere)
        self.assertIn("test_run.Comparing", everywhere)
        self.assertNotIn("browser.KioskCase", everywhere)

    def test_no_step_of_the_checked_in_table_fails_for_being_slow(self):
        for step in table.load():
            with self.subTest(step.name):
                self.assertGreaterEqual(step.deadline, max(1800, 10 * step.budget))


class Running(Case):
    def test_what_passes_passes(self):
        passed, said = self.run_steps(self.step(self.leaving(PASSED), tests="swift"))
        self.assertTrue(passed, said)
        self.assertIn("1 passed, 0 failed, 0 skipped", said.splitlines())

    def test_a_status_other_than_zero_fails(self):
        passed, said = self.run_steps(self.step("exit 3"))
        self.assertFalse(passed)
        self.assertIn("exit status 3", said)

    def test_what_failed_is_said_again_in_the_last_lines(self):
        failing = stream(
            function(A), event("testStarted", A), event("issueRecorded", A, messages=[{"text": "1 == 2"}]),
            event("testEnded", A))
        _, text = self.run_steps(self.step(self.leaving(failing, status=1), tests="swift"))
        self.assertIn("1 == 2", text[text.index("FAILED: A step"):])

    def test_the_work_of_a_step_is_that_of_all_its_programs(self):
        run = runner.Runner([self.step("timeout 9 python3 -c 'while __import__(\"time\").process_time() < 0.5: pass'")],
                            True, self.folder / "logs", self.folder / "air", out=io.StringIO())
        self.assertTrue(run.run())
        self.assertGreaterEqual(run.results["step"].work, 0.5)

    def test_a_suite_that_executes_nothing_fails(self):
        passed, said = self.run_steps(self.step(self.leaving(""), tests="swift"))
        self.assertFalse(passed)
        self.assertIn("no test was executed", said)

    def test_a_run_without_a_suite_of_the_sources_fails(self):
        step = self.step(self.leaving(PASSED), tests="swift")
        passed, said = self.run_steps(step, suites={"FirstTests.Suite"})
        self.assertTrue(passed, said)
        passed, said = self.run_steps(step, suites={"FirstTests.Suite", "FirstTests.Other"})
        self.assertFalse(passed)
        self.assertIn("FAILED: FirstTests.Other ran in no step", said)

    def test_the_last_lines_name_the_suites_that_were_left_out_for_want_of_shared(self):
        other = "SecondTests.Suite/a()/SecondTests.swift:3:4"
        skipped = event("testSkipped", other, messages=[{"text": 'Test a() skipped: "no ../shared"'}])
        record = PASSED + stream(function(other), skipped)
        step = self.step(self.leaving(record), tests="swift", skips=[
            {"tests": "SecondTests.", "reason": "vectors", "when": "without shared"}])
        passed, said = self.run_steps(step, shared=False, suites={"FirstTests.Suite", "SecondTests.Suite"})
        self.assertTrue(passed, said)
        self.assertIn("../shared is not here: SecondTests.Suite did not run", said)
        _, said = self.run_steps(self.step(self.leaving(PASSED), tests="swift"), shared=False)
        self.assertIn("../shared is not here: no suite", said)
        _, said = self.run_steps(self.step(self.leaving(PASSED), tests="swift"))
        self.assertNotIn("../shared is not here", said)

    def test_a_guest_without_its_variable_executes_nothing_and_fails(self):
        skipped = stream(function(A), event("testSkipped", A, messages=[{"text": 'Test a() skipped: "no bench"'}]))
        passed, said = self.run_steps(self.step(self.leaving(skipped), tests="swift", guest=True))
        self.assertFalse(passed)
        self.assertIn("does not allow", said)

    def test_what_cannot_be_tested_fails_a_strict_run_and_is_said_in_any(self):
        for status in (69, 120, 121):
            step = self.step(f"echo not installed: postgresql; exit {status}", tests="swift")
            passed, said = self.run_steps(step)
            self.assertFalse(passed)
            self.assertIn("NOT tested: A step: not installed: postgresql", said)
            passed, said = self.run_steps(step, strict=False)
            self.assertTrue(passed)
            self.assertIn("NOT tested: A step: not installed: postgresql", said)

    def test_a_step_after_a_failed_one_is_not_run_and_fails(self):
        path = self.folder / "table.json"
        path.write_text(json.dumps({"steps": [
            {"name": "build", "title": "Build", "run": "false", "budget": 5},
            {"name": "check", "title": "Check", "run": f"touch {self.folder}/ran", "budget": 5, "after": ["build"]}]}))
        passed, said = self.run_steps(*table.load(path))
        self.assertFalse(passed)
        self.assertFalse((self.folder / "ran").exists())
        self.assertIn("a step that it needs failed", said)

    def test_a_step_after_one_that_cannot_be_tested_is_not_tested_either(self):
        path = self.folder / "table.json"
        path.write_text(json.dumps({"steps": [
            {"name": "kernel", "title": "Kernel", "run": "echo no kernel here; exit 121", "budget": 5},
            {"name": "air", "title": "Air", "run": f"touch {self.folder}/ran", "budget": 5, "after": ["kernel"]}]}))
        for strict in (True, False):
            passed, said = self.run_steps(*table.load(path), strict=strict)
            self.assertEqual(passed, not strict)
            self.assertFalse((self.folder / "ran").exists())
            self.assertIn("NOT tested: Air: no kernel here", said)

    def test_a_step_that_hangs_is_ended_and_fails(self):
        step = self.step(f"Hardware/TestRun/tests --deadline 1", tests="swift", deadline=5)
        program = self.folder / ".build" / "hangs"
        program.parent.mkdir()
        shutil.copy(shutil.which("sleep"), program)
        bundle = self.folder / "bundle"
        # As a bundle does: it records what began, and hangs.
        (self.folder / "record").write_text(stream(function(A), event("testStarted", A)))
        bundle.write_text(f'#!/bin/bash\ncp {self.folder}/record "$COUNTERSIGN_TEST_LOG/events.jsonl"\n{program} 3000\n')
        bundle.chmod(0o755)
        os.environ["COUNTERSIGN_TEST_BUNDLE"] = str(bundle)
        self.addCleanup(os.environ.pop, "COUNTERSIGN_TEST_BUNDLE")
        passed, said = self.run_steps(step)
        self.assertFalse(passed)
        self.assertIn("unfinished: FirstTests.Suite/a()", said)
        self.assertIn("began and did not end", said)
        self.assertIn("Thread 1", (self.folder / "logs/step/backtraces.txt").read_text())
        self.assertEqual(subprocess.run(["pgrep", "-f", str(program)], capture_output=True).stdout, b"")

    def test_what_a_step_leaves_running_is_ended(self):
        passed, _ = self.run_steps(self.step(f"sleep 3001 & echo $! > {self.folder}/pid"))
        self.assertTrue(passed)
        # Whoever adopted it may not have asked for its status yet.
        stat = pathlib.Path("/proc", (self.folder / "pid").read_text().strip(), "stat")
        self.assertTrue(not stat.exists() or ") Z " in stat.read_text())

    def test_two_steps_of_one_core_run_side_by_side_and_a_third_waits(self):
        entries = [{"name": f"s{n}", "title": f"S{n}", "budget": 9,
                    "run": f"date +%s.%N > {self.folder}/begin{n}; sleep 0.7"} for n in range(3)]
        path = self.folder / "table.json"
        path.write_text(json.dumps({"steps": entries}))
        self.assertTrue(self.run_steps(*table.load(path))[0])
        began = [float((self.folder / f"begin{n}").read_text()) for n in range(3)]
        self.assertLess(abs(began[1] - began[0]), 0.6)
        self.assertGreater(began[2] - began[0], 0.6)


    @unittest.skipUnless(os.geteuid() == 0, "only root may raise a priority")
    def test_a_step_of_low_priority_yields_to_others_and_to_nobody_else(self):
        seen = self.folder / "seen"
        low = self.step(f"for i in $(seq 30); do nice; sleep 0.1; done >{seen}", low_priority=True)
        other = dataclasses.replace(self.step("sleep 1.5"), name="other")
        passed, said = self.run_steps(low, other)
        self.assertTrue(passed, said)
        priorities = seen.read_text().split()
        self.assertEqual((priorities[0], priorities[-1]), (str(watched.LOW_PRIORITY), "0"))
        self.assertEqual(sorted(set(priorities)), ["0", "5"])


class Repeating(Case):
    def failing_once(self, log, text):
        """Fails with this in a log of the guest, and passes in a second guest."""
        (self.folder / "record").write_text(PASSED)
        return (f'cp {self.folder}/record "$COUNTERSIGN_TEST_LOG/events.jsonl"; [ -e {self.folder}/second ] && exit 0; '
                f'touch {self.folder}/second; echo "{text}" > "$COUNTERSIGN_TEST_LOG/{log}"; exit 1')

    def test_a_named_fault_of_the_guest_allows_one_repetition_and_the_run_says_so(self):
        for log, text in (("dmesg.log", "[ 12.3] BUG: kernel NULL pointer dereference, hci_chan_del"),
                          ("bluetoothd-ends.log", "bluetoothd 97 ended by signal 11"),
                          ("pcscd.log", "pcscd: io.c:1497: libusb_submit_transfer: Assertion \`transfer->dev_handle' failed.")):
            (self.folder / "second").unlink(missing_ok=True)
            step = self.step(self.failing_once(log, text), tests="swift", guest=True)
            passed, said = self.run_steps(step)
            self.assertTrue(passed, said)
            self.assertIn("RETRIED 1: step: ", said)
            self.assertTrue((self.folder / "air/step-first" / log).exists())

    def test_without_a_named_fault_nothing_is_repeated(self):
        for log, text in (("dmesg.log", "all is well"),
                          ("bluetoothd-ends.log", "bluetoothd 97 ended by signal 9, as asked"),
                          ("bluetoothd-ends.log", "bluetoothd 97 ended with status 0"),
                          ("pcscd.log", "00000089 ccid_usb.c:899:WriteUSB() write failed (1/22): LIBUSB_ERROR_NO_DEVICE")):
            (self.folder / "second").unlink(missing_ok=True)
            passed, said = self.run_steps(
                self.step(self.failing_once(log, text), tests="swift", guest=True))
            self.assertFalse(passed)
            self.assertNotIn("RETRIED", said)

    def test_a_daemon_of_the_bench_that_was_lost_is_named_first_and_repeats_nothing(self):
        run = 'echo "btvirt 83 ended by signal 13" > "$COUNTERSIGN_TEST_LOG/btvirt-ends.log"; exit 1'
        passed, said = self.run_steps(self.step(run, tests="swift", guest=True))
        self.assertFalse(passed)
        self.assertNotIn("RETRIED", said)
        self.assertRegex(said, r"FAILED: .*\n +btvirt 83 ended by signal 13 \(btvirt-ends.log\)")

    def test_outside_of_a_guest_nothing_is_repeated(self):
        step = self.step(self.failing_once("dmesg.log", "BUG: kernel"), tests="swift")
        self.assertFalse(self.run_steps(step)[0])

    def test_a_second_failure_fails(self):
        run = f'echo "BUG: kernel" > "$COUNTERSIGN_TEST_LOG/dmesg.log"; echo x >> {self.folder}/times; exit 1'
        passed, said = self.run_steps(self.step(run, tests="swift", guest=True))
        self.assertFalse(passed)
        self.assertEqual((self.folder / "times").read_text().split(), ["x", "x"])


class Watching(Case):
    def test_the_status_of_a_command_is_passed_on(self):
        self.assertEqual(watched.run(["bash", "-c", "exit 42"], 10, self.folder), 42)
        self.assertEqual(watched.run(["bash", "-c", "kill -ABRT $$"], 10, self.folder), 134)

    def test_a_command_that_ignores_term_is_killed_with_what_it_started(self):
        began = time.monotonic()
        status = watched.run(["bash", "-c", "trap '' TERM; sleep 3002 & wait; sleep 3002"], 1, self.folder)
        self.assertEqual(status, watched.OVERDUE)
        self.assertLess(time.monotonic() - began, 40)
        self.assertEqual(subprocess.run(["pgrep", "-f", "^sleep 3002"], capture_output=True).stdout, b"")


if __name__ == "__main__":
    unittest.main()
