"""What run.py says of tests that pass, fail, are skipped, hang, or end their process."""

import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

RUN = pathlib.Path(__file__).with_name("run.py")


class RunTests(unittest.TestCase):
    def run_tests(self, body, processes=2, limit=60):
        """The status and the lines of a run of the tests that a class has."""
        with tempfile.TemporaryDirectory() as folder:
            source = "import os, time, unittest\n\nclass Tests(unittest.TestCase):\n" + textwrap.indent(
                textwrap.dedent(body), "    ")
            (pathlib.Path(folder) / "sample.py").write_text(source)
            ended = subprocess.run(
                [sys.executable, RUN, "--processes", str(processes), "--limit", str(limit), "sample"], cwd=folder,
                env={"PYTHONPATH": folder}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.stderr, "")
        return ended.returncode, ended.stdout.splitlines()

    def test_tests_are_counted_over_all_processes(self):
        status, lines = self.run_tests("""
            def test_one(self): print("said by one")
            def test_two(self): pass
            def test_three(self): pass
        """)
        self.assertEqual((status, lines[-1]), (0, "OK"))
        self.assertRegex(lines[-2], r"^Ran 3 tests in .* s \(\d in process 1, \d in process 2\)$")
        self.assertEqual(sum("said by one" in line for line in lines), 1)

    def test_a_failure_in_any_process_fails_the_run(self):
        status, lines = self.run_tests("""
            def test_good(self): pass
            def test_bad(self):
                with self.subTest(part="second"):
                    self.assertEqual(1, 2)
        """)
        self.assertEqual((status, lines[-1]), (1, "FAILED (1)"))
        cause = lines[lines.index("FAILED sample.Tests.test_bad (part='second')"):]
        self.assertIn("AssertionError: 1 != 2", cause)
        self.assertRegex(lines[-2], "^Ran 2 tests")

    def test_a_skip_is_not_counted_and_has_its_reason(self):
        status, lines = self.run_tests("""
            def test_one(self): pass
            def test_two(self): pass
            @unittest.skip("nothing is built")
            def test_unbuilt(self): self.fail()
        """)
        self.assertEqual(status, 0)
        self.assertIn("SKIPPED sample.Tests.test_unbuilt: nothing is built", lines)
        self.assertRegex(lines[-2], "^Ran 2 tests")

    def test_a_process_without_an_executed_test_fails_the_run(self):
        status, lines = self.run_tests("""
            @unittest.skip("nothing is built")
            def test_unbuilt(self): pass
        """)
        self.assertEqual((status, lines[-1]), (1, "FAILED (1)"))
        self.assertIn("FAILED process 1 executed no test", lines)

    def test_without_any_test_a_run_fails(self):
        status, lines = self.run_tests("pass")
        self.assertEqual((status, lines[-1]), (1, "FAILED (1)"))
        self.assertIn("FAILED no test was found", lines)

    def test_what_a_class_cannot_set_up_fails_the_run(self):
        status, lines = self.run_tests("""
            @classmethod
            def setUpClass(cls): raise OSError("no such thing")
            def test_one(self): pass
        """)
        self.assertEqual(status, 1)
        self.assertIn("FAILED setUpClass (sample.Tests)", lines)

    def test_a_test_that_hangs_ends_the_run_with_its_name(self):
        begun = time.monotonic()
        status, lines = self.run_tests("""
            def test_hangs(self): time.sleep(600)
            def test_other(self): time.sleep(600)
        """, limit=2)
        self.assertEqual(status, 1)
        self.assertLess(time.monotonic() - begun, 30)
        self.assertTrue(any(line.startswith("FAILED sample.Tests.test_") and "longer than 2.0 s" in line for line in lines))
        self.assertTrue(any("in test_hangs" in line or "in test_other" in line for line in lines), "where it stood")

    def test_a_test_that_ends_its_process_ends_the_run_with_its_name(self):
        status, lines = self.run_tests("""
            def test_crashes(self): os.abort()
        """)
        self.assertEqual(status, 1)
        self.assertTrue(any(line.startswith("FAILED sample.Tests.test_crashes: its process ended") for line in lines))
        self.assertRegex(lines[-2], "^Ran 0 tests")
