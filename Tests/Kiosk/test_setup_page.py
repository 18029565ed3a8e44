"""`countersign setup --page` as it was built: who may use the page, and a shop that is set up with it."""

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from browser import KioskCase, browsers, plain
from built_daemon import IS_BUILT, PROGRAMS, held_port
from stand_in import PAGES, ROOT

LOGO = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGMQULEDAAB+AE8ss7muAAAAAElFTkSuQmCC")

# The next commands at the end of the page.
STEPS = "[data-ending] ol:not([data-first], [data-leave]) > li"


class Served:
    """`countersign setup --page`, which writes into a folder of its own."""

    def __init__(self, case):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.config = self.folder / "countersignd.json"
        programs = self.programs(case)
        self.port = held_port(case.addCleanup)
        self.process = subprocess.Popen(
            [programs / "countersign", "setup", "--page", "--port", str(self.port), "--config", self.config, "--store",
             self.folder / "store"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        case.addCleanup(self.stop)
        self.said = ""
        while (found := re.search(r"(http://127\.0\.0\.1:\d+/setup)#code=([0-9a-f]{32})\n", self.said)) is None:
            line = self.process.stdout.readline()
            case.assertTrue(line, f"it ended: {self.said}")
            self.said += line
        self.address, self.code = found[0].strip(), found[2]

    def programs(self, case):
        """A folder with the programs and the pages beside them, as the package has them."""
        folder = tempfile.TemporaryDirectory(dir=PROGRAMS.resolve().parent)
        case.addCleanup(folder.cleanup)
        place = pathlib.Path(folder.name)
        for name in ("countersign", "countersignd"):
            os.link(PROGRAMS.resolve() / name, place / name)
        resources = place / "countersign_ReaderAPI.resources"
        resources.mkdir()
        (resources / "Kiosk").symlink_to(PAGES)
        return place

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()

    def ask(self, name, body, secret=None, **headers):
        """The status, the body and the headers of an answer."""
        own = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}", **headers}
        if secret is not None:
            own["Countersign-Setup"] = secret
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", f"/setup/{name}", json.dumps(body), {name: value for name, value in own.items() if value})
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read()), answer.headers
        connection.close()
        return found

    def ended(self):
        """The rest of what it says, and its exit code."""
        rest = self.process.stdout.read()
        return rest, self.process.wait(30)


class AnsweredPageTests(KioskCase):
    """The page over answers of the test, without the command."""

    ANSWERS = {
        "session": {"secret": "0" * 64}, "check": {"faults": [], "replaces": False},
        "facts": {"runsCommands": True, "readers": {"readers": []}, "doctor": {"checks": []}},
        "write": {"tokens": [{"name": "till", "token": "token-of-the-till"}], "next": ["countersign doctor"], "incomplete": []}}

    def form(self, lang="en-GB", **changes):
        """The questions; each change is an answer of the server in the place of another, or makes one of the request."""
        answers = {**self.ANSWERS, **changes}

        def answer(route):
            name = route.request.url.rsplit("/", 1)[1]
            found = answers.get(name)
            found = found(route.request.post_data_json) if callable(found) else found
            route.fulfill(json=found) if found is not None else route.fulfill(status=401, json={})
        page = self.context(locale=lang).new_page()
        page.route("**/setup/*", answer)
        page.goto(f"{self.stand_in.url}/kiosk/setup.html#code={'0' * 32}")
        page.wait_for_selector("body[data-screen=form][data-checked]")
        return page

    def ending(self, page):
        page.click("[type=submit]")
        page.click("[data-write]")
        page.wait_for_selector("body[data-screen=ending]")

    def written(self, *purposes, **more):
        return {"tokens": [{"name": "till", "token": "token-of-the-till"}], "next": [f"the command {purpose}" for purpose in purposes],
                "purposes": purposes, "incomplete": [], "order": ["curl --silent"], **more}

    def test_a_shop_does_its_next_steps_with_buttons_and_reads_how_to_check_first(self):
        asked = []

        def step(body):
            asked.append(body["step"])
            address = "http://127.0.0.1:8411/kiosk?lane=theke#code=00" if body["step"] == 2 else ""
            return {"status": 0, "output": address, "error": None}
        page = self.form("de-DE", write=self.written("start", "trust", "kiosk", "clerk", hasIssuer=False), step=step)
        self.ending(page)
        self.assertEqual(page.locator(STEPS).locator("strong").all_inner_texts(), [
            "Lesedienst starten", "Aussteller importieren", "Seite für die Kundschaft öffnen", "Seite für das Personal öffnen"])
        self.assertEqual(page.locator(STEPS).locator("button").all_inner_texts(), ["Ausführen"] * 2 + ["Adresse erstellen"] * 2)
        self.assertEqual(page.inner_text("[data-open-pages]"), "")
        page.click("[data-all]")
        page.wait_for_selector(f"{STEPS}:nth-child(2) [role=status]:has-text('Erledigt')")
        page.wait_for_selector(f"{STEPS}:nth-child(3) [data-open-pages]:has-text('Öffnen Sie jetzt die beiden Seiten')")
        page.wait_for_selector(f"{STEPS}:nth-child(3) button:focus")
        self.assertEqual(asked, [0, 1], "the addresses of pages are made when they are opened")
        page.click(f"{STEPS}:nth-child(3) button")
        page.wait_for_selector(f"{STEPS}:nth-child(3) a.main:has-text('Öffnen')")
        self.assertGreaterEqual(page.locator(f"{STEPS}:nth-child(3) a").bounding_box()["height"], 44)
        self.assertEqual(page.get_attribute(f"{STEPS}:nth-child(3) a", "href"), "http://127.0.0.1:8411/kiosk?lane=theke#code=00")
        first = plain(page.inner_text("[data-first]"))
        for words in ("Importieren Sie zuerst die Aussteller", "Drücken Sie „Ab 16“", "Halten Sie dann das obere Ende des Handys", "entscheiden Sie"):
            self.assertIn(words, first)
        self.assertNotIn("Software-Wallet", first)
        self.assertEqual(page.locator("[data-leave]").count(), 0)
        self.assertIn("Ein Kassenprogramm braucht dieses Token. Ohne Kassenprogramm brauchen Sie es nicht.\n", page.inner_text("[data-ending]"))
        self.assert_accessible(page)
        self.shot(page, "setup-first-check")

    def test_a_step_that_fails_ends_the_row_of_steps_with_its_reason(self):
        asked = []

        def step(body):
            asked.append(body["step"])
            return {"status": 1, "output": "", "error": "Unit trial-wallet.service already exists."}
        page = self.form("de-DE", write=self.written(
            "startWallet", "start", "kiosk", "desk", hasIssuer=False, leaveTrial=["systemctl stop trial-wallet", "countersign setup"]), step=step)
        page.check("[value=rental]")
        page.check("[name=trial]")
        self.ending(page)
        page.click("[data-all]")
        page.wait_for_selector(f"{STEPS}:nth-child(1) .fault")
        page.wait_for_selector("[data-all]:enabled")
        self.assertEqual(asked, [0])
        self.assertIn("Unit trial-wallet.service already exists.", page.inner_text(f"{STEPS}:nth-child(1)"))
        first = page.inner_text("[data-first]")
        for words in ("Buchungsnummer", "Software-Wallet antwortet sofort"):
            self.assertIn(words, first)
        for words in ("Handys an den Leser", "Importieren", "curl"):
            self.assertNotIn(words, first)
        self.assertEqual(page.inner_text("[data-open-pages]"), "", "the pages come after a success")
        ending = page.inner_text("[data-ending]")
        self.assertIn("Die Probe beenden", ending)
        self.assertIn("Ein Programm am Schalter braucht dieses Token.", ending)
        leaving = ["systemctl stop trial-wallet", "countersign setup"]
        self.assertEqual(page.locator("[data-leave] code").all_inner_texts(), leaving)
        # The button ends the page and not the trial: how to leave the trial stays, without the token.
        self.assertEqual(page.inner_text("[data-end]"), "Diese Seite schließen")
        page.click("[data-end]")
        page.wait_for_selector("body[data-screen=ended]")
        self.assertEqual(page.locator("[data-leave] code").all_inner_texts(), leaving)
        self.assertTrue(page.is_visible("[data-leave]"))
        self.assertNotIn("token-of-the-till", page.content())

    def test_a_page_without_a_trial_ends_empty(self):
        page = self.form("de-DE")
        self.ending(page)
        page.click("[data-end]")
        page.wait_for_selector("body[data-screen=ended]")
        self.assertFalse(page.is_visible("[data-ending]"))

    FINDINGS = [{"id": "pcsc.service", "outcome": "failed", "detail": "pcscd does not run", "fix": "systemctl start pcscd.socket"},
                {"id": "usb.power", "outcome": "warning", "detail": "the kernel may put it to sleep", "fix": None},
                {"id": "bluetooth.daemon", "outcome": "failed", "detail": "bluetoothd does not run", "fix": None},
                {"id": "reader.found", "outcome": "skipped", "detail": "pcscd does not run", "fix": None}]

    def test_findings_are_for_a_technician_and_a_trial_hides_those_that_do_no_harm(self):
        page = self.form("de-DE", facts={"doctor": {"checks": self.FINDINGS}})
        page.click("[data-findings] summary")
        found = page.inner_text("[data-findings]")
        for words in ("für eine technische Fachkraft", "Bei einer Probe ohne Leser und Handy schaden Zeilen nicht", "pcsc.service pcscd does not run",
                      "systemctl start pcscd.socket", "usb.power", "bluetooth.daemon"):
            self.assertIn(words, found)
        self.assertNotIn("reader.found", found, "what was not checked is no finding")
        self.assertEqual(page.eval_on_selector("[data-findings] ul", "(list) => [list.lang, list.dir]"), ["en", "ltr"])
        self.assert_accessible(page)
        page.check("[name=trial]")
        self.assertFalse(page.is_visible("[data-findings]"))
        page.uncheck("[name=trial]")
        self.assertTrue(page.is_visible("[data-findings]"))

    def test_a_finding_that_harms_a_trial_as_well_stays(self):
        clock = {"id": "clock.set", "outcome": "failed", "detail": "the clock shows 1970", "fix": "timedatectl set-ntp true"}
        page = self.form("de-DE", facts={"doctor": {"checks": [*self.FINDINGS, clock]}})
        page.check("[name=trial]")
        page.click("[data-findings] summary")
        self.assertIn("the clock shows 1970", page.inner_text("[data-findings]"))
        # The twin: without findings of readers and radio nothing is said about a trial.
        page = self.form("de-DE", facts={"doctor": {"checks": [clock]}})
        page.click("[data-findings] summary")
        self.assertNotIn("Probe", page.inner_text("[data-findings]"))

    def test_the_owner_of_a_kiosk_sees_and_chooses_the_ages_of_the_buttons(self):
        sent = []

        def check(body):
            sent.append(body)
            return {"faults": [{"question": "ages", "reason": "must be"}] if None in body.get("ages", []) else [], "replaces": False}
        page = self.form("de-DE", check=check)
        expect_sent = lambda ages: self.until(page, lambda: sent[-1].get("ages") == ages, f"{ages} is not sent")
        self.assertEqual((page.input_value("[name=ages]"), sent[-1]["ages"]), ("16, 18", [16, 18]))
        page.select_option("[name=language]", "fr")
        expect_sent([18, 21])
        self.assertEqual(page.input_value("[name=ages]"), "18, 21")
        page.fill("[name=ages]", "16 und 18")
        page.wait_for_selector("#fault-ages:not([hidden])")
        self.assertEqual(page.inner_text("#fault-ages"), "Geben Sie eine bis drei verschiedene Altersgrenzen von 12 bis 99 ein, etwa 16, 18.")
        page.fill("[name=ages]", "16 18,25")
        expect_sent([16, 18, 25])
        page.select_option("[name=language]", "de")
        self.assertEqual(page.input_value("[name=ages]"), "16 18,25", "another language changes no typed ages")
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]")
        self.assertIn("16, 18, 25", page.inner_text("[data-review]"))
        # The twin: a till has no buttons.
        page.click("[data-review] button:not([data-write])")
        page.check("[value=till]")
        self.assertFalse(page.is_visible("[name=ages]"))
        expect_sent(None)

    def test_the_words_of_a_busy_button_can_be_read(self):
        for scheme in ("light", "dark"):
            page = self.form(write=self.written("start", "kiosk", "clerk"))
            page.emulate_media(color_scheme=scheme)
            self.ending(page)
            for state in ("disabled", "enabled"):
                contrast = page.eval_on_selector("[data-all]", """(button, isDisabled) => {
                    button.disabled = isDisabled;
                    const { color, backgroundColor } = getComputedStyle(button);
                    const light = (text) => text.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
                        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
                        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0.05);
                    const [darker, lighter] = [light(color), light(backgroundColor)].sort((one, other) => one - other);
                    return lighter / darker;
                }""", state == "disabled")
                self.assertGreaterEqual(contrast, 4.5, f"{scheme} {state}")

    def test_the_privacy_notice_is_asked_of_the_owner(self):
        page = self.form("de-DE")
        notice = page.inner_text("fieldset:has([name=contact])")
        for words in ("Wen Ihre Kundinnen und Kunden fragen können", "Wofür Sie nach dem Ausweis fragen", "Was Sie speichern"):
            self.assertIn(words, notice)

    def test_no_step_begins_while_another_one_runs(self):
        page = self.form(write=self.written("start", "kiosk", "clerk"))
        self.ending(page)
        held = []
        page.route("**/setup/step", lambda route: held.append(route))
        page.click(f"{STEPS}:nth-child(1) button")
        while not held:
            page.wait_for_timeout(20)
        self.assertEqual(page.locator(f"{STEPS} button:enabled").count(), 0)
        self.assertTrue(page.is_disabled("[data-all]"))
        self.assertTrue(page.is_enabled("[data-end]"), "the page can end while a step runs")
        held[0].fulfill(json={"status": 0, "output": "", "error": None})
        page.wait_for_selector("[data-all]:enabled")
        self.assertEqual(page.locator(f"{STEPS} button:enabled").count(), 3)

    def test_a_step_without_an_answer_in_time_can_be_repeated_and_the_token_stays(self):
        page = self.form("de-DE", write=self.written("start", "kiosk", "clerk"), step={"status": 0, "output": "", "error": None})
        self.ending(page)
        page.evaluate("""() => {
            const timeout = AbortSignal.timeout;
            AbortSignal.timeout = () => {
                AbortSignal.timeout = timeout;
                return AbortSignal.abort(new DOMException("late", "TimeoutError"));
            };
        }""")
        page.click(f"{STEPS}:nth-child(1) button")
        page.wait_for_selector(f"{STEPS}:nth-child(1) .fault:has-text('ungewöhnlich lange')")
        self.assertEqual(page.get_attribute("body", "data-screen"), "ending")
        self.assertIn("token-of-the-till", page.content())
        page.click(f"{STEPS}:nth-child(1) button")
        page.wait_for_selector(f"{STEPS}:nth-child(1) [role=status]:has-text('Erledigt')")

    def test_issuers_of_an_earlier_run_are_not_asked_for_again(self):
        page = self.form("de-DE", write=self.written("start", "trust", "kiosk", "clerk", hasIssuer=True))
        self.ending(page)
        self.assertNotIn("Importieren Sie zuerst", page.inner_text("[data-first]"))

    def test_the_first_order_of_a_till_is_shown_with_its_token(self):
        page = self.form(write=self.written("start", "kiosk", "clerk"))
        page.check("[value=till]")
        self.ending(page)
        self.assertEqual(page.locator("[data-first] code").all_inner_texts(), ["TOKEN=token-of-the-till", "curl --silent"])

    def test_a_page_that_ended_by_itself_has_no_token(self):
        page = self.form()
        self.ending(page)
        self.assertIn("token-of-the-till", page.content(), "the twin: it is shown once")
        page.click("[data-ending] li button")
        page.wait_for_selector("body[data-screen=ended]")
        self.assertNotIn("token-of-the-till", page.content())

    def test_faults_are_in_the_language_of_the_page_and_english_where_it_has_no_words(self):
        reasons = {"lane": "must consist of letters", "country": "must be two letters", "language": "must be one of", "brand": "must begin with"}
        page = self.form("de-DE", check={"faults": [{"question": name, "reason": reason} for name, reason in reasons.items()], "replaces": False})
        self.assertEqual(page.text_content("#fault-lane"), "Verwenden Sie nur Buchstaben von a bis z und A bis Z (ohne Umlaute und ß), Ziffern, „-“ und "
                         "„_“, keine Leerzeichen, höchstens 64 Zeichen, etwa Kasse-1.")
        self.assertEqual(page.text_content("#fault-country"), "Geben Sie die zwei Buchstaben des Landes ein, etwa DE.")
        # The twins: an answer without words of the page, and one without a field.
        self.assertEqual(page.inner_text("#fault-language").split("\n"), ["Bitte verbessern Sie diese Antwort.", "must be one of"])
        self.assertEqual(page.inner_text("[data-details]"), "brand: must begin with")
        for name in ("lane", "country", "language"):
            self.assertEqual(page.get_attribute(f"[name={name}]", "aria-invalid"), "true")
        self.assertEqual(page.get_attribute("[name=shop]", "aria-invalid"), "false")

    def test_a_refused_certificate_is_said_beside_its_field_and_is_not_among_the_answers(self):
        page = self.form("de-DE", trust={"trust": "/run/page/trust"}, facts={"hasWallet": False})
        sent = []
        page.on("request", lambda request: sent.append(request.post_data_json) if request.url.endswith("/setup/check") else None)
        with page.expect_request(lambda request: request.url.endswith("/setup/check") and request.post_data_json.get("trust") == "/run/page/trust"):
            page.set_input_files("[name=trust]", [{"name": "root.pem", "mimeType": "", "buffer": b"root"}])
        page.wait_for_selector("[data-certificates]:has-text('Angenommene Dateien: 1')")
        self.assertTrue(page.locator("#fault-trust").is_hidden())
        # The twin: a file that is too large is not sent.
        page.set_input_files("[name=trust]", [{"name": "large.pem", "mimeType": "", "buffer": bytes(257 << 10)}])
        page.wait_for_selector("#fault-trust:not([hidden])")
        self.assertIn("Wurzelzertifikat", page.inner_text("#fault-trust"))
        self.assertNotIn("trust", sent[-1], "the new selection replaces the earlier one")
        self.assertIn("countersign-lab", page.inner_text("[data-form]"))
        page.check("[name=trial]")
        self.assertFalse(page.locator("[name=trust]").is_visible(), "a trial trusts the software wallet's issuer")
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]")
        self.assertNotIn("trust", sent[-1])
        self.assertNotIn("", page.locator("[data-review] dt").all_inner_texts())

    def test_a_new_selection_of_certificates_replaces_the_earlier_one_and_the_review_names_its_files(self):
        resets = []

        def trust(body):
            resets.append(body["reset"])
            return {"trust": "/run/page/trust"}
        page = self.form("de-DE", trust=trust)
        choose = lambda *names: page.set_input_files("[name=trust]", [{"name": name, "mimeType": "", "buffer": b"root"} for name in names])
        choose("wrong.pem")
        page.wait_for_selector("[data-certificates]:has-text('Angenommene Dateien: 1')")
        choose("one.pem", "two.pem")
        page.wait_for_selector("[data-certificates]:has-text('Angenommene Dateien: 2')")
        self.assertEqual(resets, [True, True, False])
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]")
        review = page.inner_text("[data-review]")
        for name in ("one.pem", "two.pem"):
            self.assertIn(name, review)
        self.assertNotIn("wrong.pem", review)

    def test_a_change_of_the_page_s_language_changes_no_answer_and_draws_form_and_review_anew(self):
        page = self.form("de-DE")
        page.select_option("[name=language]", "")
        page.check("[name=identity]")
        page.fill("[name=shop]", "Weinhandel Utopia")
        checking = lambda: page.expect_request(
            lambda request: request.url.endswith("/setup/check") and request.post_data_json.get("lane") == "theke")
        with checking() as checked:
            page.fill("[name=lane]", "theke")
        before = checked.value.post_data_json
        self.assertNotIn("language", before)
        with checking() as checked:
            page.select_option("header [data-languages]", "fr")
        self.assertEqual(checked.value.post_data_json, before)
        self.assertEqual((page.input_value("[name=language]"), page.input_value("[name=country]")), ("", ""))
        self.assertIn("Pays, deux lettres", page.inner_text("[data-form]"))
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]")
        page.select_option("header [data-languages]", "es")
        page.wait_for_selector("[data-review] dt:has-text('País, dos letras')")
        self.assertFalse(page.is_visible("[data-form]"))
        page.click("[data-review] button:not([data-write])")
        self.assertIn("País, dos letras", page.inner_text("[data-form]"))
        self.assertEqual(page.input_value("[name=shop]"), "Weinhandel Utopia")

    def test_a_configuration_that_was_not_written_is_said_with_its_reason(self):
        page = self.form("de-DE", write={"error": "the brand cannot be made"})
        page.click("[type=submit]")
        page.click("[data-write]")
        page.wait_for_selector("[data-details]:not([hidden])")
        self.assertEqual(page.inner_text("[data-message]"), "Die Konfiguration wurde nicht geschrieben. Der Grund steht darunter.")
        self.assertEqual((page.inner_text("[data-details]"), page.get_attribute("[data-details]", "lang")), ("the brand cannot be made", "en"))
        self.assertEqual(page.get_attribute("body", "data-screen"), "review")


@unittest.skipUnless(IS_BUILT, "countersignd is not built")
class AccessTests(unittest.TestCase):
    def test_the_code_works_once_and_another_host_or_origin_gets_nothing(self):
        served = Served(self)
        code = {"code": served.code}
        own = f"127.0.0.1:{served.port}"
        for headers in ({"Host": f"localhost:{served.port}"}, {"Host": "shop.example"}, {"Origin": "http://shop.example"},
                        {"Origin": ""}, {"Origin": "null"}, {"Origin": f"http://localhost:{served.port}"}):
            status, body, _ = served.ask("session", code, **headers)
            self.assertIn(status, (403, 421), (headers, body))
            self.assertNotIn("secret", body, headers)
        status, body, answered = served.ask("session", code)
        self.assertEqual((status, body.keys()), (200, {"secret"}))
        # A browser sends a cookie to the servers of other users on other ports too.
        self.assertNotIn("Set-Cookie", answered)
        secret = body["secret"]
        self.assertEqual(served.ask("check", {}, secret)[1]["faults"], [])
        self.assertEqual(served.ask("session", code)[0], 403)
        self.assertEqual(served.ask("check", {})[0], 401)
        self.assertEqual(served.ask("check", {}, "0" * 64)[0], 401)
        self.assertEqual(served.ask("check", {}, Cookie=f"countersign-setup={secret}")[0], 401)
        self.assertEqual(served.ask("check", {}, secret, Origin="")[0], 403)
        self.assertEqual(served.ask("check", {}, secret, Host=own)[0], 200)

    def test_paths_of_other_files_and_commands_of_the_page_are_refused(self):
        served = Served(self)
        secret = served.ask("session", {"code": served.code})[1]["secret"]
        self.assertEqual(served.ask("check", {"logo": "/etc/passwd"}, secret)[0], 400)
        self.assertEqual(served.ask("check", {"trust": "/etc"}, secret)[0], 400)
        for name in ("check", "write"):
            status, body, _ = served.ask(name, {"fix": True}, secret)
            self.assertEqual(status, 400, body)
            self.assertIn("fix", body["detail"])
        self.assertEqual(served.ask("logo", {"png": "bm8gcGljdHVyZQ"}, secret)[0], 400)
        self.assertEqual(served.ask("step", {"step": 0}, secret)[0], 404)
        self.assertEqual(served.ask("write", {"lane": "a b"}, secret)[1].keys(), {"error"})
        self.assertFalse(served.config.exists())

    def test_a_certificate_of_an_issuer_is_checked_as_the_command_checks_it(self):
        served = Served(self)
        secret = served.ask("session", {"code": served.code})[1]["secret"]
        encode = lambda content: base64.urlsafe_b64encode(content).decode().rstrip("=")
        read = lambda file: (ROOT / "TestVectors" / file).read_bytes()
        encoded = lambda file: encode(read(f"corpus/ok.nfc/{file}"))
        block = lambda label, content: f"-----BEGIN {label}-----\n{base64.b64encode(content).decode()}\n-----END {label}-----\n".encode()
        both = block("CERTIFICATE", read("corpus/ok.nfc/iaca.der")) + block("X509 CRL", read("rsa-root/crl.der"))
        # The twins: the certificate of a document signer, a CRL, a root beside a CRL, and no certificate.
        for content in (encoded("ds.der"), encode(read("rsa-root/crl.der")), encode(both), encoded("device_response.cbor"), "bm8gcGljdHVyZQ"):
            status, body, _ = served.ask("trust", {"file": content}, secret)
            self.assertEqual((status, body["id"]), (400, "bodyRefused"), body)
        status, body, _ = served.ask("trust", {"file": encoded("iaca.der")}, secret)
        self.assertEqual(status, 200, body)
        folder = pathlib.Path(body["trust"])
        # A new selection replaces the files of the earlier one.
        self.assertEqual(served.ask("trust", {"file": encoded("iaca.der")}, secret)[0], 200)
        self.assertEqual(len(list(folder.iterdir())), 2)
        self.assertEqual(served.ask("trust", {"file": encoded("iaca.der"), "reset": True}, secret)[0], 200)
        self.assertEqual([file.stat().st_mode & 0o777 for file in folder.iterdir()], [0o644])
        self.assertEqual(folder.parent.stat().st_mode & 0o777, 0o711)
        self.assertFalse((served.folder / "store").exists(), "nothing is imported before the review")
        self.assertEqual(served.ask("check", {"trust": body["trust"]}, secret)[1]["faults"], [])
        status, made, _ = served.ask("write", {"trust": body["trust"], "replace": True}, secret)
        self.assertEqual((status, made.get("purposes")), (200, ["start", "kiosk", "clerk"]), made)
        served.stop()
        self.assertFalse(folder.parent.exists(), "the uploaded files are deleted at the end")
        issuers = served.folder / "countersignd-issuers"
        self.assertEqual(json.loads((served.folder / "countersignd-answers.json").read_text())["trust"], str(issuers))
        self.assertEqual([file.read_bytes() for file in issuers.iterdir()], [read("corpus/ok.nfc/iaca.der")])

    def test_five_wrong_codes_end_it(self):
        served = Served(self)
        for _ in range(5):
            self.assertEqual(served.ask("session", {"code": "0" * 32})[0], 403)
        said, status = served.ended()
        self.assertIn("five wrong codes", said)
        self.assertEqual(status, 64)


@unittest.skipUnless(IS_BUILT, "countersignd is not built")
class SetupPageTests(KioskCase):
    def test_a_command_with_a_placeholder_has_no_button(self):
        served = Served(self)
        page = browsers.get().new_context(locale="en-GB").new_page()
        # As on a computer on which systemd runs the daemon.
        page.route("**/setup/facts", lambda route: route.fulfill(json={"readers": None, "doctor": None, "runsCommands": True}))
        page.goto(served.address)
        page.wait_for_selector("body[data-screen=form][data-checked]", timeout=60_000)
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]", timeout=60_000)
        page.click("[data-write]")
        page.wait_for_selector("body[data-screen=ending]", timeout=120_000)
        steps = [(step.inner_text(), step.locator("button").count()) for step in page.locator(STEPS).all()]
        self.assertTrue(any("FILE-OR-FOLDER" in text for text, _ in steps), steps)
        for text, buttons in steps:
            self.assertEqual(buttons, 0 if "FILE-OR-FOLDER" in text else 1, text)
        page.context.close()

    def test_a_reload_needs_the_command_again(self):
        served = Served(self)
        page = browsers.get().new_context(locale="en-GB").new_page()
        page.goto(served.address)
        page.wait_for_selector("body[data-screen=form][data-checked]", timeout=60_000)
        self.assertIn("Do not reload this page", page.inner_text("[data-form]"))
        self.assertEqual(page.context.cookies(), [])
        page.reload()
        page.wait_for_selector("body[data-screen=ended]")
        self.assertIn("Run it again", page.inner_text("[data-message]"))
        page.context.close()

    def test_a_german_shop_is_set_up_in_the_browser(self):
        served = Served(self)
        page = browsers.get().new_context(locale="de-DE", viewport={"width": 1280, "height": 900}).new_page()
        page.goto(served.address)
        page.wait_for_selector("body[data-screen=form][data-checked]", timeout=60_000)
        self.assertNotIn(served.code, page.url)
        page.fill("[name=shop]", "Weinhandel Utopia")
        page.check("[name=trial]")
        page.check("[name=colours]")
        page.fill("[name=ground]", "#7a1f3d")
        page.fill("[name=words]", "#7a1f3e")
        page.wait_for_selector("#fault-words:not([hidden])", timeout=60_000)
        page.fill("[name=lane]", "a b")
        page.wait_for_selector("#fault-lane:not([hidden])", timeout=60_000)
        self.assertTrue(page.locator("#fault-words").is_visible(), "all faults are shown at once")
        self.assertEqual(page.inner_text("[data-message]"), "Bitte verbessern Sie die markierten Antworten.")
        page.fill("[name=words]", "#ffffff")
        page.fill("[name=lane]", "theke")
        page.set_input_files("[type=file]", {"name": "logo.png", "mimeType": "image/png", "buffer": LOGO})
        # The preview is the customer's page itself, with its own styles, in the size of this window.
        page.wait_for_selector("[data-preview] [data-welcome] img")
        self.assertIn("Weinhandel Utopia", page.inner_text("[data-preview] [data-welcome]"))
        self.assertEqual(page.inner_text("[data-preview] [data-head]"), "Willkommen")
        shown = page.eval_on_selector("[data-preview]", """(node) => {
            const body = node.shadowRoot.querySelector("body"), style = getComputedStyle(body);
            return { ground: style.backgroundColor, width: body.offsetWidth, scaled: body.getBoundingClientRect().width / node.clientWidth };
        }""")
        self.assertEqual((shown["ground"], shown["width"]), ("rgb(122, 31, 61)", 1280))
        self.assertAlmostEqual(shown["scaled"], 1, places=2)
        self.assert_accessible(page)
        self.shot(page, "setup-form")
        page.click("[type=submit]")
        page.wait_for_selector("body[data-screen=review]", timeout=60_000)
        self.assertIn("theke", page.inner_text("[data-review]"))
        self.assertFalse(served.config.exists(), "nothing is written before the review")
        self.shot(page, "setup-review")
        page.click("[data-write]")
        page.wait_for_selector("body[data-screen=ending]", timeout=120_000)
        self.shot(page, "setup-ending")
        made = json.loads(served.config.read_text())
        lane, = made["lanes"]
        self.assertEqual((lane["name"], lane["brand"]["name"], lane["brand"]["colours"], lane["page"]),
                         ("theke", "Weinhandel Utopia", {"ground": "#7a1f3d", "words": "#ffffff"}, {"language": "de"}))
        self.assertEqual(pathlib.Path(lane["brand"]["logo"]).read_bytes(), LOGO)
        self.assertEqual([preset["intent"] for preset in made["presets"]],
                         [f"age over {age} with portrait for a human to compare" for age in (16, 18)])
        token = page.inner_text("[data-ending] .row code")
        self.assertEqual(page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])
        page.click("[data-end]")
        page.wait_for_selector("body[data-screen=ended]")
        self.assertNotIn(token, page.content())
        said, status = served.ended()
        self.assertIn(f"written: {served.config}", said)
        self.assertIn("the setup page was ended in the browser", said)
        self.assertNotIn(token, said)
        self.assertEqual(status, 0)
        page.context.close()
