"""The example tills, in each language, against the daemon with the software wallet."""

import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import unittest

from built_daemon import ROOT, TOKEN, BuiltDaemon, held_port

TILLS = ROOT / "Hardware/Examples/till"
PAGE = ROOT / "Documentation/your-till-in-fifteen-minutes.md"
LANGUAGES = {"python": "till.py", "javascript": "till.mjs", "go": "till.go"}


@functools.cache
def go_program():
    """The till in Go, built once."""
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(lambda: [file.unlink() for file in folder.iterdir()] + [folder.rmdir()])
    subprocess.run(["go", "build", "-o", folder / "till", TILLS / "till.go"], check=True, timeout=1800,
                   env={**os.environ, "GOCACHE": str(ROOT / ".build/go"), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})
    return folder / "till"


def command(language):
    interpreter = {"python": "python3", "javascript": "node"}.get(language)
    return [interpreter, TILLS / LANGUAGES[language]] if interpreter else [go_program()]


class TillCase(unittest.TestCase):
    def begin(self, language, daemon, reference, *intent, seconds=600):
        till = subprocess.Popen([*command(language), reference, *intent], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={**os.environ, "COUNTERSIGN_URL": daemon.url,
                                                               "COUNTERSIGN_TOKEN": TOKEN, "COUNTERSIGN_SECONDS": str(seconds)})
        self.addCleanup(till.stdout.close)
        self.addCleanup(till.wait)
        self.addCleanup(till.kill)
        return till

    def begin_until_consent(self, language, daemon, **options):
        """A till that waits for the phone."""
        till = self.begin(language, daemon, f"r-{language}", **options)
        while "Confirm" not in (line := till.stdout.readline()):
            self.assertTrue(line)
        return till

    def run_till(self, *arguments):
        """Its status, and what it said."""
        till = self.begin(*arguments)
        said, _ = till.communicate(timeout=600)
        return till.returncode, said.splitlines()

    def every_language(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                yield language


class OutcomeTests(TillCase):
    """Each ending, in each language, with the words for it and with the status 0 for allow alone."""

    def outcome(self, status, words, serving={}, intent=(), **stage):
        daemon = BuiltDaemon(self.addCleanup, **stage).serve(**{"acceptTestDocuments": True, **serving})
        for language in self.every_language():
            ended, said = self.run_till(language, daemon, f"r-{language}", *intent)
            self.assertEqual((ended, said[-1].strip()), (status, words), said)
            # The same reference again is the same sale: nobody is asked.
            self.assertEqual(self.run_till(language, daemon, f"r-{language}", *intent), (status, said[-1:]))
        return said

    def test_allow(self):
        said = self.outcome(0, "Yes. You may sell. (test document)", consent_time=300)
        self.assertIn("Confirm on your phone.", said)

    def test_deny(self):
        self.outcome(1, "No. Do not sell. (test document) answer.no", wallet=("--age", "20", "--attests", "18", "--attests", "21"))

    def test_the_words_say_why_and_what_may_be_done(self):
        """Those of the reason, and where a reason has none of its own those of the outcome."""
        for fault, words in {
                "mso.expired": "The document is not valid now. Refresh it on the phone, then begin a new check. (test document) validity",
                "device.signature_flipped": "The check failed. Begin a new check, once. (test document) device_authentication",
                "x509.ds_expired": "Not accepted. Check another document. (test document) issuer_certificate"}.items():
            self.outcome(1, words, wallet=("--fault", fault))

    def test_unclear(self):
        self.outcome(1, "Not proven. Check another document. (test document) document.test", serving={"acceptTestDocuments": False})

    def test_declined(self):
        for wallet in (("--decision", "returnsNothing"), ("--holds", "pid")):
            self.outcome(1, "Nothing was shared: declined, no such document, or a wallet that does not know this reader. "
                         "Check another document. declined", wallet=wallet)

    def test_cancelled_elsewhere(self):
        daemon = BuiltDaemon(self.addCleanup, consent_time=30_000).serve(acceptTestDocuments=True)
        for language in self.every_language():
            till = self.begin_until_consent(language, daemon)
            found = json.loads(daemon.ask("GET", f"/v1/presentations?reference=r-{language}"))
            daemon.ask("DELETE", f"/v1/presentations/{found['presentations'][0]['id']}")
            self.assertEqual(till.communicate(timeout=300)[0].splitlines()[-1], "The check was cancelled. Do not sell. cancelled")
            self.assertEqual(till.returncode, 1)

    def test_a_reader_that_is_not_there_is_said_to_be(self):
        daemon = BuiltDaemon(self.addCleanup)
        daemon.link = f"tcp://127.0.0.1:{held_port(self.addCleanup)}"
        daemon.serve(acceptTestDocuments=True)
        for language in self.every_language():
            status, said = self.run_till(language, daemon, f"r-{language}")
            self.assertEqual((status, said[-1]), (1, "The reader is not there. Call whoever looks after it. reader.unavailable"))

    def test_a_refusal_is_said_with_what_to_do(self):
        daemon = BuiltDaemon(self.addCleanup).serve(acceptTestDocuments=True)
        for language in self.every_language():
            status, said = self.run_till(language, daemon, f"r-{language}", "shoe size")
            self.assertEqual((status, len(said)), (1, 1))
            self.assertIn("shoe size", said[0])

    def test_a_fault_of_the_daemon_is_said_once_and_then_what_to_do(self):
        """503 is tried again, and not told again while it is the same."""
        daemon = BuiltDaemon(self.addCleanup).serve(acceptTestDocuments=True)
        daemon.run("trust", "remove", hashlib.sha256((daemon.folder / "root.der").read_bytes()).hexdigest()[:12])
        for language in self.every_language():
            till = self.begin(language, daemon, f"r-{language}", seconds=-26)
            said = till.communicate(timeout=600)[0].splitlines()
            self.assertEqual(till.returncode, 1)
            self.assertEqual(len(said), 2, said)
            self.assertIn("no issuer is trusted yet", said[0])
            self.assertIn("may still be open: order again with the same reference", said[1])


class DeadlineTests(TillCase):
    def test_a_till_whose_time_is_over_ends_the_check_and_says_so(self):
        """So that no customer is asked whom nobody waits for."""
        daemon = BuiltDaemon(self.addCleanup, consent_time=60_000).serve(acceptTestDocuments=True)
        for language in self.every_language():
            begun = time.monotonic()
            till = self.begin_until_consent(language, daemon, seconds=3)
            said, _ = till.communicate(timeout=300)
            self.assertEqual(said.splitlines()[-1], "The check was cancelled. Do not sell. cancelled")
            self.assertEqual(till.returncode, 1)
            self.assertLess(time.monotonic() - begun, 15)
            found = json.loads(daemon.ask("GET", f"/v1/presentations?reference=r-{language}"))["presentations"]
            self.assertEqual([one["outcome"] for one in found], ["cancelled"])

    def test_a_till_waits_for_a_lane_that_is_busy(self):
        daemon = BuiltDaemon(self.addCleanup, consent_time=2_000).serve(acceptTestDocuments=True)
        for language in self.every_language():
            daemon.ask("POST", "/v1/presentations", {"kind": "display", "intent": "age over 21", "lane": "counter-1"})
            self.assertEqual(self.run_till(language, daemon, f"r-{language}")[0], 0)


class RestartTests(TillCase):
    def test_a_till_that_is_killed_goes_on_with_the_same_presentation(self):
        daemon = BuiltDaemon(self.addCleanup, consent_time=2_000).serve(acceptTestDocuments=True)
        for language in self.every_language():
            till = self.begin_until_consent(language, daemon)
            till.kill()
            self.assertEqual(self.run_till(language, daemon, f"r-{language}")[0], 0)
            found = json.loads(daemon.ask("GET", f"/v1/presentations?reference=r-{language}"))
            self.assertEqual(len(found["presentations"]), 1)

    def test_a_daemon_that_is_started_again_has_failed_the_sale_and_the_till_says_so(self):
        daemon = BuiltDaemon(self.addCleanup, consent_time=30_000).serve(acceptTestDocuments=True)
        for language in self.every_language():
            till = self.begin_until_consent(language, daemon)
            daemon.process.kill()
            daemon.process.wait()
            daemon.serve(acceptTestDocuments=True)
            said, _ = till.communicate(timeout=600)
            self.assertEqual(said.splitlines()[-1], "No answer. Begin a new check, or check another document. restarted", language)
            self.assertEqual(till.returncode, 1)


    def test_a_check_that_ends_before_its_events_are_asked_for_has_its_outcome(self):
        """As where the daemon is started again between the order and the events: those are refused, the order is not."""
        for language in self.every_language():
            asked = []

            class Restarted(http.server.BaseHTTPRequestHandler):
                def answer(self):
                    self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    asked.append(self.command)
                    order = {"id": "1", "lane": "counter-1", "reference": "r-1", "state": "armed", "hint": None, "outcome": None,
                             "test": None, "reasons": [], "ended": None}
                    status, body = 200, {**order, "state": "failed", "outcome": "failed", "reasons": ["restarted"]}
                    if self.path.endswith("/events"):
                        status, body = 409, {"id": "presentationOver", "status": 409, "detail": "it is over"}
                    if len(asked) == 1:
                        status, body = 201, order
                    content = json.dumps(body).encode()
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

                do_POST = do_GET = answer

                def log_message(self, *_):
                    pass

            with http.server.HTTPServer(("127.0.0.1", 0), Restarted) as server:
                server.url = f"http://127.0.0.1:{server.server_port}"
                threading.Thread(target=server.serve_forever, daemon=True).start()
                status, said = self.run_till(language, server, "r-1")
                server.shutdown()
            self.assertEqual((status, said[-1]), (1, "No answer. Begin a new check, or check another document. restarted"))
            # The order or the presentation itself has the outcome.
            self.assertEqual(asked, ["POST", "GET", "POST" if language == "go" else "GET"])


class UsageTests(TillCase):
    def test_without_a_reference_or_a_token_it_says_what_to_give(self):
        for language in self.every_language():
            for arguments, token in (((), "t"), (("a", "b", "c"), "t"), (("a",), "")):
                done = subprocess.run([*command(language), *arguments], capture_output=True, text=True, timeout=600,
                                      env={**os.environ, "COUNTERSIGN_TOKEN": token})
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (64, "", 1), done.stderr)
                self.assertRegex(done.stderr, r"^usage: COUNTERSIGN_TOKEN=… till\S* REFERENCE \[INTENT\]$")


class PageTests(unittest.TestCase):
    def test_the_code_of_the_page_is_that_of_the_files(self):
        """And the test itself finds one letter that differs."""
        blocks = dict(re.findall(r"^```(python|javascript|go)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
        for language, name in LANGUAGES.items():
            code = (TILLS / name).read_text()
            self.assertEqual(blocks[language], code, f"{PAGE.name} differs from {name}")
            self.assertNotEqual(blocks[language], code.replace("You may sell", "you may sell"))

    def test_every_outcome_and_every_hint_for_a_person_has_words_in_each(self):
        document = json.loads((ROOT / "Sources/Service/ReaderAPI/OpenAPI/openapi.json").read_text())
        schemas = document["components"]["schemas"]
        outcomes = schemas["Outcome"]["enum"]
        # `openYourID` is said by the words of the state; the others come when nobody is asked any more.
        without = (None, "openYourID", "decided", "wiped")
        hints = [hint for hint in schemas["Presentation"]["properties"]["hint"]["enum"] if hint not in without]
        self.assertGreater(len(hints), 8)
        for name in LANGUAGES.values():
            code = (TILLS / name).read_text()
            for word in outcomes + hints:
                self.assertRegex(code, rf'"?\b{word}"?:\s+"', f"{name}: {word}")

    def test_the_words_of_an_ending_are_right_for_it(self):
        """An outcome is final for its reference, so that nothing is tried again; and who declined did answer."""
        for name in LANGUAGES.values():
            code = (TILLS / name).read_text()
            for wrong in ("Try again", "did not answer. Ask again"):
                self.assertNotIn(wrong, code, name)


if __name__ == "__main__":
    unittest.main()
