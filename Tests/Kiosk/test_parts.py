"""What the clerk's page says of each single check, for every verdict that there can be and for those of the corpus."""

import concurrent.futures
import itertools
import json
import pathlib
import subprocess
import tempfile
import unittest

from browser import KioskCase
from built_daemon import PROGRAMS
from stand_in import PAGES, ROOT, verdict

TABLE = json.loads((PAGES / "strings.json").read_text())
CORPUS = ROOT / "TestVectors/corpus"
STATES = ("yes", "no", "undetermined")
# State, cause and age of the list, as `RevocationFinding` has them.
REVOCATIONS = [("good", None, 7_300), ("good", None, None), ("revoked", "document_revoked", 60), ("undetermined", "document.list_absent", None),
               ("undetermined", "document.list_stale", 900_000), ("undetermined", "signer.nothing_published", None),
               ("undetermined", "document.not_checked", None), ("undetermined", None, None)]
# The rows that speak of the document: for a test document, none of them may pass.
OF_DOCUMENT = ("authentic", "inDate", "revocation", "holder", "question")
ROWS = """async presentations => {
    const { outcomes } = await import('/kiosk/parts.js');
    return presentations.map((presentation) => Object.fromEntries(outcomes(presentation).map((row) => [row.key, row])));
}"""


def presentation(authentic="yes", fresh="yes", current="yes", holder="yes", revocation=REVOCATIONS[0], is_test=False, policy="rental(3)", answer="yes"):
    result = verdict(answers=[("age_over_21", answer)], policy=policy, revocation=dict(zip(("state", "cause", "ageSeconds"), revocation)),
                     parts={"authentic": authentic, "fresh": fresh, "documentCurrent": current, "holderBound": holder},
                     issuer={"country": "UT", "name": "Any", "test": is_test})
    return {"id": "1", "kind": "display", "state": "verified", "outcome": "allow", "reasons": [], "asks": ["age_over_21"], "result": result}


# A row follows from its own part alone, so that each part is in each state once, for a document and for a test document.
EVERY = [presentation(**values, is_test=is_test) for is_test in (False, True) for values in [
    *({"authentic": one, "holder": other} for one, other in itertools.product(STATES, STATES)),
    *({"fresh": one, "current": other} for one, other in itertools.product(STATES, ("yes", "no", "unknown"))),
    *({"revocation": one, "policy": policy} for one, policy in itertools.product(REVOCATIONS, ("age", "rental(3)"))),
    *({"answer": answer} for answer in ("yes", "no", "unknown"))]]


def worst(*values):
    """`no` before everything, and `yes` only where nothing else is."""
    return "no" if "no" in values else "yes" if set(values) == {"yes"} else "unknown"


def known(result):
    """What is known of each row, from the parts alone."""
    parts = result["parts"]
    return {"authentic": worst(parts["authentic"]), "inDate": worst(parts["fresh"], parts["documentCurrent"]), "holder": worst(parts["holderBound"]),
            "revocation": {"good": "yes", "revoked": "no"}.get(parts["revocation"]["state"], "unknown"),
            "question": worst(*[answer["answer"] for answer in result["answers"]])}


class PartTests(KioskCase):
    maxDiff = 2_000

    def assert_true(self, presentations):
        """A no is failed, an unknown neither passed nor not asked, and nothing of a test document passes."""
        wrong, used = set(), set()
        for one, rows in zip(presentations, self.open("kiosk").evaluate(ROWS, presentations)):
            result = one["result"]
            for key, value in known(result).items():
                state, detail = rows[key]["state"], rows[key].get("detail")
                used.add((f"outcome.{rows[key].get('label', key)}", f"state.{state}", detail))
                allowed = {"yes": ("test",) if result["issuer"]["test"] else ("passed",), "no": ("failed",), "unknown": ("unknown", "partly", "notChecked")}
                if state not in allowed[value]:
                    wrong.add((key, value, result["issuer"]["test"], state))
        self.assertEqual(wrong, set())
        for language, entry in TABLE.items():
            for key in {key for keys in used for key in keys if key is not None}:
                self.assertTrue(entry["strings"].get(key), f"{language} {key}")
        return used

    def test_every_part_in_every_state_is_said_as_it_is(self):
        used = self.assert_true(EVERY)
        self.assertEqual({state for _, state, _ in used},
                         {f"state.{state}" for state in ("passed", "failed", "unknown", "partly", "notChecked", "test")})

    def test_what_was_not_looked_at_and_what_was_looked_for_in_vain_are_told_apart(self):
        causes = [("undetermined", cause, None) for cause in ("document.not_checked", "signer.nothing_published", "document.list_absent")]
        rows = self.open("kiosk").evaluate(ROWS, [presentation(revocation=cause) for cause in causes])
        self.assertEqual([(row["revocation"]["state"], row["revocation"]["detail"]) for row in rows],
                         [("notChecked", "outcome.notChecked"), ("unknown", "outcome.revocation.nothingPublished"), ("unknown", "outcome.revocation.unknown")])

    def test_without_a_document_nothing_is_said_to_be_known(self):
        nothing = {**presentation(), "outcome": "deny", "state": "rejected"}
        nothing["result"] = {**nothing["result"], "parts": None, "answers": []}
        bare = {**nothing, "result": None}
        for rows in self.open("kiosk").evaluate(ROWS, [nothing, bare]):
            self.assertEqual({rows[key]["state"] for key in OF_DOCUMENT}, {"notChecked"})

    def test_a_forged_test_document_is_shown_as_failed(self):
        clerk = self.open("clerk")
        self.stand_in.verify(self.stand_in.arm(), verdict="rejected", reasons=["digests"], answers=[("age_over_21", "unknown")], parts={"authentic": "no"},
                             issuer={"country": "UT", "name": "Any", "test": True})
        self.expect(clerk, "rejected")
        clerk.click("[data-opens]")
        states = {row.get_attribute("data-outcome"): row.get_attribute("data-state") for row in clerk.locator("[data-outcome]").all()}
        self.assertEqual((states["authentic"], states["holder"]), ("failed", "test"))
        self.assertEqual(clerk.locator('[data-state="passed"]').count(), 0)

    @unittest.skipUnless((PROGRAMS / "countersign").exists(), "the program countersign is not built")
    def test_each_verdict_of_the_corpus_is_said_as_it_is(self):
        manifest = json.loads((CORPUS / "manifest.json").read_text())
        with tempfile.TemporaryDirectory() as keys, concurrent.futures.ThreadPoolExecutor(2) as pool:
            verdicts = list(pool.map(lambda case: self.verified(case, manifest["verifyAt"], pathlib.Path(keys)), manifest["cases"]))
        documents = [(report["verdict"], document) for report in verdicts for document in report["documents"] if document.get("parts")]
        distinct = {json.dumps([kind, document["parts"], (document["issuer"] or {}).get("country", "UT")]) for kind, document in documents}
        presentations = []
        for kind, parts, country in map(json.loads, sorted(distinct)):
            one = presentation(is_test=country == "UT", answer="yes" if kind in ("verified", "mock") else "unknown")
            one["result"]["parts"] = parts
            presentations.append(one)
        print(f"{len(documents)} documents of the corpus have {len(distinct)} verdicts")
        self.assertGreater(len(distinct), 5)
        self.assert_true(presentations)

    def verified(self, case, at, keys):
        folder, key = CORPUS / case["name"], keys / case["name"]
        key.write_text(case["eReaderKeyPrivate"])
        run = subprocess.run([PROGRAMS / "countersign", "verify", "--json", "--trust", folder / "iaca.der", "--at", at, "--reader-key", key,
                              "--request", folder / "device_request.cbor", "--response", folder / "device_response.cbor",
                              "--transcript", folder / "session_transcript.cbor"], capture_output=True, check=False)
        return json.loads(run.stdout)
