"""The parts of the pages on their own: the table of words, the parser of events, the choice of a screen."""

import json
import re
import unittest

from browser import KioskCase
from stand_in import PAGES

TABLE = json.loads((PAGES / "strings.json").read_text())


class RequestTests(unittest.TestCase):
    def test_each_request_of_a_page_that_can_change_something_has_the_page_s_origin_in_every_browser(self):
        """By the Fetch standard a POST without a referrer has the origin `null`, as Firefox does it and Chromium does not."""
        posting = {file.name: calls for file in PAGES.glob("*.js")
                   if (calls := re.findall(r"\bfetch\((?=[^;]*\bmethod\b)[^;]*;", file.read_text()))}
        self.assertEqual(sorted(posting), ["daemon.js", "setup-server.js"])
        for name, calls in posting.items():
            for call in calls:
                self.assertIn('referrerPolicy: "same-origin"', call, name)


class StringsTests(unittest.TestCase):
    def test_every_language_has_every_key_with_words(self):
        self.assertEqual(sorted(TABLE), ["ar", "de", "en", "es", "fr", "it", "pt", "zh"])
        for language, entry in TABLE.items():
            self.assertEqual(set(entry["strings"]), set(TABLE["en"]["strings"]), language)
            self.assertIn(entry["direction"], ("ltr", "rtl"))
            for key, words in entry["strings"].items():
                self.assertTrue(words.strip(), f"{language} {key}")

    def test_placeholders_agree(self):
        for key, words in TABLE["en"]["strings"].items():
            expected = sorted(re.findall(r"\{\w+\}", words))
            for language, entry in TABLE.items():
                self.assertEqual(sorted(re.findall(r"\{\w+\}", entry["strings"][key])), expected, f"{language} {key}")

    def test_every_key_that_the_code_names_is_there_and_every_key_is_used(self):
        code = "\n".join(file.read_text() for file in PAGES.glob("*.js"))
        keys = set(TABLE["en"]["strings"])
        named = set(re.findall(r'strings\.text\(\s*"([^"]+)"', code))
        self.assertEqual(named - keys, set())
        templates = [re.escape(template) for template in re.findall(r"`((?=[a-z$])(?:[\w.]|\$\{[^`{}]*\})*)`", code)]
        patterns = [re.sub(r"\\\$\\\{[^`]*?\\\}", r"[\\w.]*", template) for template in templates]
        # The texts of a page that never change are named in its HTML.
        markup = "\n".join(file.read_text() for file in PAGES.glob("*.html"))
        literals = set(re.findall(r'"([a-z]+(?:\.\w+)+)"', code + markup)) | named | set(re.findall(r'data-words="(\w+)"', markup))
        unused = {key for key in keys if key not in literals and not any(re.fullmatch(p, key) for p in patterns if "." in p)}
        self.assertEqual(unused, set())

    def test_no_script_or_style_stands_in_the_pages_and_nothing_comes_from_elsewhere(self):
        for file in PAGES.glob("*.html"):
            text = file.read_text()
            self.assertNotRegex(text, r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=\"/kiosk/)")
        for file in PAGES.iterdir():
            found = re.findall(r"https?://[^\s\"')]+", file.read_text())
            self.assertEqual([address for address in found if "w3.org" not in address], [], file.name)


class ModuleTests(KioskCase):
    maxDiff = None

    def page(self):
        page = self.open("kiosk")
        return page

    def test_events_are_read_whatever_the_pieces(self):
        text = ("\ufeff: comment\r\n\r\nid: 1\nevent: state\ndata: {\"a\":\ndata: \"ü\"}\n\n"
                "data:no space\r\rid\ndata: cleared\n\nid: 7\0\ndata: kept\n\nevent: only\n\nretry: 5\nunknown: x\n"
                "data\n\ndata: unfinished")
        events = self.page().evaluate("""async text => {
            const { EventParser } = await import('/kiosk/event-stream.js');
            const bytes = new TextEncoder().encode(text), seen = [];
            for (let size = 1; size <= bytes.length; size += 1) {
                const parser = new EventParser(), events = [];
                for (let at = 0; at < bytes.length; at += size) events.push(...parser.take(bytes.slice(at, at + size)));
                seen.push(JSON.stringify(events.map(({ type, data, id }) => [type, data, id])));
            }
            return [...new Set(seen)]; }""", text)
        self.assertEqual([json.loads(entry) for entry in events], [[
            ["state", '{"a":\n"ü"}', "1"], ["message", "no space", "1"], ["message", "cleared", ""],
            ["message", "kept", ""], ["message", "", ""]]])

    def test_events_without_end_are_refused(self):
        refused = self.page().evaluate("""async () => {
            const { EventParser } = await import('/kiosk/event-stream.js');
            const feed = (piece) => { const parser = new EventParser(), bytes = new TextEncoder().encode(piece);
                try { for (let i = 0; i < 100; i += 1) parser.take(bytes); return 'taken' } catch (e) { return e.message } };
            return [feed('x'.repeat(1000)), feed('data: ' + 'x'.repeat(1000) + '\\n'), feed('data: x\\n\\n')]; }""")
        self.assertEqual(refused, ["line", "event", "taken"])

    def test_the_screen_is_chosen_by_what_is_known(self):
        screens = self.page().evaluate("""async () => {
            const { customerScreen, clerkScreen } = await import('/kiosk/screens.js');
            const known = (more) => ({ link: 'live', lane: { state: 'ready' }, presentation: null, hint: null, wiped: false, ...more });
            const both = (more) => [customerScreen(known(more)).name, clerkScreen(known(more)).name];
            const result = (outcome, state = 'verified', more = {}, reasons = [], asks = []) => both({ presentation: { id: '1', state,
                outcome, reasons, asks, result: { answers: [], ...more } } });
            const undecided = (reason) => customerScreen(known({ presentation: { id: '1', state: 'verified',
                outcome: 'unclear', reasons: [reason], result: { answers: [] } } })).name;
            return { connecting: both({ lane: null }), lost: both({ link: 'lost' }),
                refusedBeforeLane: both({ link: 'refused', lane: { state: 'readerMissing' } }),
                allow: result('allow'), no: result('deny', 'verified', {}, ['answer.no']), unclear: result('unclear'), odd: result('maybe'),
                yesOfDenied: result('deny', 'verified', { answers: [{ answer: 'yes' }] }, ['answer.no']),
                picture: result(null, 'awaitingDecision', { portrait: 'x' }, [], ['portrait']),
                acceptedTest: result(null, 'awaitingDecision', { issuer: { test: true } }, [], ['portrait']),
                noPicture: result(null, 'awaitingDecision', {}, [], ['age_over_21']),
                notAccepted: result('deny', 'verified', {}, ['decision.rejected'], ['age_over_21']),
                tooYoung: result('deny', 'verified', { answers: [{ ask: 'age_over_21', answer: 'no' }] }, ['answer.no'], ['age_over_21']),
                neitherSold: result('deny', 'verified', { answers: [{ ask: 'age_over_21', answer: 'no' }] }, ['answer.no'], ['age_over_21', 'drive:B']),
                otherPerson: result('deny', 'verified', { answers: [{ ask: 'age_over_21', answer: 'yes' }] }, ['decision.rejected'], ['portrait']),
                expiredTest: both({ presentation: { id: '1', state: 'rejected', outcome: 'deny', reasons: ['validity'],
                    result: { answers: [], issuer: { test: true } } } }),
                test: both({ presentation: { id: '1', state: 'rejected', outcome: 'unclear', reasons: ['document.test'],
                    result: { answers: [], issuer: { test: true } } } }),
                unknownRevocation: both({ presentation: { id: '1', state: 'rejected', outcome: 'unclear',
                    reasons: ['revocation'], result: { answers: [] } } }),
                otherHolder: both({ presentation: { id: '1', state: 'rejected', outcome: 'deny', reasons: ['document.other'],
                    result: { answers: [{ ask: 'age_over_21', answer: 'yes' }], reasons: [] }, then: { result: { answers: [] } } } }),
                undecided: ['decision.dismissed', 'decision.overdue', 'answer.unknown'].map(undecided),
                strangeState: both({ presentation: { id: '1', state: 'other' } }) }; }""")
        self.assertEqual(screens, {
            "connecting": ["connecting", "connecting"], "lost": ["unavailable", "daemonGone"],
            "refusedBeforeLane": ["refused", "refused"], "allow": ["yes", "verified"],
            "no": ["notConfirmed", "answerNo"], "unclear": ["cannotTell", "cannotTell"],
            "odd": ["notAccepted", "cannotTell"], "yesOfDenied": ["notConfirmed", "answerNo"],
            "expiredTest": ["notAccepted", "rejected"], "test": ["test", "test"],
            "unknownRevocation": ["cannotTell", "cannotTell"], "otherHolder": ["notAccepted", "rejected"],
            "tooYoung": ["notConfirmed", "tooYoung"], "neitherSold": ["notConfirmed", "answerNo"], "otherPerson": ["notAccepted", "otherPerson"],
            "picture": ["compare", "compare"], "acceptedTest": ["compare", "compare"],
            "noPicture": ["decide", "decide"], "notAccepted": ["notAccepted", "notAccepted"],
            "undecided": ["cancelled", "cancelled", "cannotTell"], "strangeState": ["receiving", "receiving"]})

    def test_the_question_is_answered_by_what_was_asked_first_and_next(self):
        states = self.page().evaluate("""async () => {
            const { outcomes } = await import('/kiosk/parts.js');
            const result = (answers, test) => answers && { answers: answers.map((answer) => ({ ask: 'portrait', answer })), parts: {},
                issuer: { test } };
            const of = (first, next, isFirstTest = false, isNextTest = false) => outcomes({ state: 'verified',
                result: result(first, isFirstTest), then: { result: result(next, isNextTest) } })
                .find(({ key }) => key === 'question').state;
            return [of(['yes', 'unknown'], ['yes']), of(['yes', 'unknown'], []), of(['yes'], ['unknown']), of(['no'], ['yes']),
                of(['unknown'], ['no']), of(['yes'], ['yes']), of(['yes'], []), of([], []), of(['yes'], null),
                of(['yes'], ['yes'], true), of(['yes'], ['yes'], false, true)]; }""")
        self.assertEqual(states, ["unknown", "unknown", "unknown", "failed", "failed", "passed", "passed", "notChecked", "passed", "test", "test"])

    def test_what_is_kept_is_said_of_all_that_is_asked(self):
        kept = self.page().evaluate("""async () => {
            const { keptTexts } = await import('/kiosk/asks.js');
            const strings = { text: (key) => key, duration: (seconds) => seconds };
            return [[], ['none'], ['none', 'none'], ['receipt'], ['none', 'days(3)'], ['age+id-number', 'days(3)']]
                .map(([retention, next]) => keptTexts({ retention, then: next && { retention: next } }, strings)); }""")
        self.assertEqual(kept, [[], ["kept.none"], ["kept.none"], ["kept.receipt"], ["kept.days", "kept.receipt"],
                                ["kept.ageAndNumber", "kept.days", "kept.receipt"]])

    def test_durations_countries_and_strange_words(self):
        made = self.page().evaluate("""async () => {
            const { Strings, plain } = await import('/kiosk/strings.js');
            const words = await Strings.load('de-CH');
            return [words.language, words.duration(59), words.duration(7300), words.duration(90000), words.duration(-4),
                words.country('FR'), words.country('nonsense!'), plain('a\\u202eb\\u0000'), plain('x'.repeat(900)).length,
                words.text('no.such.key')]; }""")
        self.assertEqual(made, ["de", "59 Sekunden", "2 Stunden", "1 Tag", "0 Sekunden", "Frankreich", "nonsense!",
                                "a\ufffdb\ufffd", 200, "no.such.key"])
