"""Runs `countersign setup` as a program, in a system of its own: with a file of answers, and at a terminal.

What it wrote has to be enough: the daemon starts with it, and what it prints as the next steps checks the software wallet.
"""

import base64
import json
import struct
import subprocess
import unittest
import zlib

import own_system


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


LOGO = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0\x10\x24\x3e")) + chunk(b"IEND", b""))

ANSWERS = {
    "role": "kiosk", "trial": True, "lane": "bar", "shop": "Utopia Wines", "logo": "logo.png", "ground": "#10243e",
    "contact": "privacy@wines.example", "language": "en", "retention": "none", "identity": True, "country": "UT",
    "replace": True}
RENTAL = {"role": "rental", "trial": True, "shop": "Utopia Cars", "days": 3, "replace": True}

# Everything that `setup` says is to be done next, and the first check.
NEXT = """
export TOKEN=$(jq --raw-output '.tokens[0].token' made.json)
if grep -q "$TOKEN" /etc/countersign/countersignd.json; then exit 1; fi
jq --raw-output '.next[]' made.json > next.sh
bash -euo pipefail next.sh
jq --raw-output '.order[]' made.json > order.sh
CHECK=http://127.0.0.1:8411/v1/presentations/$(bash -euo pipefail order.sh | jq --raw-output .id)
get() { curl --silent --show-error --fail -H "Authorization: Bearer $TOKEN" "$@"; }
until get $CHECK | jq --exit-status .ended >/dev/null; do sleep 0.2; done
"""

# A person at a terminal: each answer is typed once its question is there.
PERSON = r"""
import os, pty, select, sys, time
answers = [("Replace the present configuration?", "y"), ("What is this computer for?", "x"), ("must be one of", "2"),
           ("Use the software wallet", "maybe"), ("answer yes or no", ""), ("A name for this lane", "a b"),
           ("must consist of letters", "bar"), ("The shop's name", "Utopia Wines"), ("File of the shop's logo", "/nowhere"),
           ("No such file", ""), ("Background colour", "red"), ("must be a colour", "#808080"),
           ("Colour of the words", "#909090"), ("the least that can be read", ""), ("Whom customers ask", ""),
           ("Language of the pages", "xx"), ("must be one of", ""), ("What is kept of a check?", "2"),
           ("Purpose of the checks", ""), ("What is kept, as customers", ""),
           ("File or folder with the certificates", "/nowhere"), ("it does not exist", ""), ("Make a reader identity", "n")]
child, terminal = pty.fork()
if child == 0:
    os.execvp("countersign", ["countersign", "setup", *sys.argv[1:]])
said, place, deadline = "", 0, time.monotonic() + 600
def read():
    global said
    if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
        sys.exit(f"no answer comes:\n{said}")
    try:
        said += os.read(terminal, 4096).decode(errors="replace")
    except OSError:
        return False
    return True
for question, answer in answers:
    while question not in said[place:]:
        if not read():
            sys.exit(f"{question} is not asked:\n{said}")
    place = said.index(question, place) + len(question)
    os.write(terminal, answer.encode() + b"\n")
while read():
    pass
print(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


class Setup(unittest.TestCase):
    maxDiff = None

    def run_with(self, script, answers=ANSWERS):
        """Runs commands where answers.json and logo.png are, and fails where one of them does."""
        files = (f"cd /root\necho {base64.b64encode(LOGO).decode()} | base64 --decode > logo.png\n"
                 f"cat > answers.json <<'END'\n{json.dumps(answers)}\nEND\n")
        done = own_system.run(self, files + script)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_answers_of_a_file_become_a_kiosk_that_checks_an_age(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            stat -c '%a %U %G' /etc/countersign/countersignd.json /etc/countersign/logo-*.png
            cmp /etc/countersign/logo-*.png logo.png
            cmp $(jq --raw-output .former made.json) /run/system/countersignd.json
            openssl req -in $(jq --raw-output .request made.json) -noout -subject
            jq --compact-output '.lanes[0].brand.colours' /etc/countersign/countersignd.json
            """ + NEXT + """
            get $CHECK | jq --compact-output '[.state, .outcome, .result.verdict]'
            curl --silent --show-error --fail --unix-socket /run/countersign/countersignd.sock \\
                http://localhost/v1/presentations/${CHECK##*/}/decision -H 'Content-Type: application/json' \\
                -d '{"decision": "approved"}' | jq --compact-output .outcome
            """)
        self.assertEqual(said.count("640 root countersign\n"), 2, said)
        self.assertRegex(said, r"subject=.*Utopia Wines")
        self.assertIn('{"ground":"#10243e","words":"#ffffff"}\n', said)
        self.assertRegex(said, r"http://127\.0\.0\.1:8411/clerk\?lane=bar#code=[0-9a-f]{32}\n")
        self.assertIn('["awaitingDecision",null,"mock"]\n"allow"\n', said)

    def test_a_rental_desk_asks_in_the_name_of_its_brand_and_keeps_for_the_days_that_were_answered(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            """ + NEXT + """
            get $CHECK | jq --compact-output '[.outcome, (.result.documents[0].elements | tostring | contains("family_name"))]'
            runuser -u countersign -- countersign retained list --store /var/lib/countersign
            jq --raw-output '.lanes[0].page.notice.kept' /etc/countersign/countersignd.json
            """, RENTAL)
        self.assertIn('["allow",true]\n', said)
        self.assertIn("retained: 1;", said)
        self.assertIn("What you agree to share, for 3 days.\n", said)

    def test_a_person_at_a_terminal_is_asked_again_where_an_answer_is_wrong(self):
        said = self.run_with(f"cat > person.py <<'END'\n{PERSON}END\n" + """
            python3 person.py
            jq --compact-output '.lanes, .acceptTestDocuments' /etc/countersign/countersignd.json
            runuser -u countersign -- countersignd --check
            """)
        self.assertIn("It is not shown again", said)
        for words in ("lane: bar", "shop: Utopia Wines", "kept: receipt", "issuers: none yet", "A warning may stay",
                      "runuser -u countersign -- countersign doctor --store /var/lib/countersign"):
            self.assertIn(words, said)
        self.assertNotIn("To leave the trial", said)
        self.assertIn('"colours":{"ground":"#808080","words":"#000000"}', said)
        self.assertIn('"kept":"A receipt of the check, without data about you."', said)
        self.assertRegex(said, r'(?m)^\[\{"name":"bar","brand".*\]\nnull$')

    def test_a_second_run_offers_what_was_answered_before(self):
        again = PERSON.replace(PERSON[PERSON.index("answers = ["):PERSON.index("child, terminal")], """answers = [
            ("Replace the present configuration?", "y"), ("What is this computer for? [till; - for kiosk]", ""),
            ("Use the software wallet", ""), ("A name for this lane", ""), ("[Utopia Wines; - for The shop]", "-"),
            ("File of the shop's logo", ""), ("[#808080; - for nothing]", "-"), ("Whom customers ask", ""),
            ("Language of the pages", "EN"), ("What is kept of a check? [receipt; - for none]", ""), ("Purpose of the checks", ""),
            ("What is kept, as customers", ""), ("File or folder with the certificates", ""), ("Make a reader identity", "n")]
""")
        self.assertNotEqual(again, PERSON)
        said = self.run_with(f"cat > person.py <<'END'\n{PERSON}END\ncat > again.py <<'END'\n{again}END\n" + """
            python3 person.py >first
            stat -c '%a %U %G' /etc/countersign/countersignd-answers.json
            python3 again.py >second
            jq --compact-output '.lanes' /etc/countersign/countersignd.json
            """)
        self.assertIn("640 root countersign\n", said)
        self.assertRegex(said, r'(?m)^\[\{"name":"bar","brand":\{"name":"The shop"\},"page":\{"language":"en"')

    def test_a_trial_is_left_by_the_commands_that_it_prints(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            """ + NEXT + """
            jq --raw-output '.leaveTrial[]' made.json | sed 's/; countersign setup$//' > leave.sh
            bash -euo pipefail leave.sh
            systemctl is-active trial-wallet || true
            runuser -u countersign -- countersign trust list --json --store /var/lib/countersign
            ls /run/trial-root.der 2>&1 || true
            """, {**ANSWERS, "language": "EN", "country": "ut"})
        self.assertIn('"roots": 0,', said)
        self.assertIn("No such file", said)

    def test_settings_that_the_doctor_misses_are_shown_and_written_with_consent_alone(self):
        said = self.run_with("""
            settings=/etc/modprobe.d/countersign-nfc.conf
            mkdir -p fake/proc && echo 'pn533 61440 0 - Live 0x0' > fake/proc/modules
            export COUNTERSIGN_SYSTEM_FOLDER=$PWD/fake
            countersign setup --answers answers.json 2>&1 >made
            if [ -e fake$settings ]; then echo "written without consent"; fi
            jq '.fix = true' answers.json > agreed.json
            countersign setup --answers agreed.json 2>&1 >made
            cat fake$settings
            """)
        self.assertEqual(said.count("+blacklist pn533_usb\n"), 2, said)
        self.assertEqual(said.count("\nblacklist pn533_usb\n"), 1, said)
        self.assertNotIn("written without consent", said)

    def test_nothing_is_replaced_without_consent(self):
        said = self.run_with("""
            status=0; countersign setup --answers answers.json 2>&1 || status=$?
            echo "status $status"
            cmp /etc/countersign/countersignd.json /run/system/countersignd.json
            ls /etc/countersign
            """, {**ANSWERS, "replace": False})
        self.assertIn("stays as it is", said)
        self.assertIn("status 64\ncountersignd.json\n", said)

    def test_each_wrong_answer_is_named_and_writes_nothing(self):
        wrong = [("lane", "a b", "lane: must consist of letters"), ("role", "bar", 'role: must be one of "kiosk"'),
                 ("rôle", "kiosk", 'the member "rôle" is not known'), ("shop", "x" * 81, "shop: must be a text of 1 to 80"),
                 ("language", "xx", "language: must be one of"), ("country", "u1", "country: must be two letters"),
                 ("ground", "red", "ground: must be a colour"), ("words", "#10243f", "words: ground and words have a contrast"),
                 ("logo", "answers.json", "logo: "), ("retention", "days", "retention: must be one of"),
                 ("trial", "yes", "trial: must be true or false"), ("trust", "/nowhere", "trust: it does not exist")]
        script = "mkdir wrong\n"
        for number, (member, value, _) in enumerate(wrong):
            script += (f"cat > wrong/{number}.json <<'END'\n{json.dumps({**ANSWERS, member: value}, ensure_ascii=False)}\nEND\n"
                       f"status=0; countersign setup --answers wrong/{number}.json 2>said || status=$?\n"
                       f"echo \"{number} status $status: $(tail --lines 1 said)\"\n")
        said = self.run_with(script + "cmp /etc/countersign/countersignd.json /run/system/countersignd.json\nls /etc/countersign\n")
        for number, (_, _, fault) in enumerate(wrong):
            self.assertRegex(said, rf"(?m)^{number} status 65: .*wrong/{number}\.json:1:[0-9]+: " + fault)
        self.assertTrue(said.endswith("\ncountersignd.json\n"), said)

    def test_without_a_terminal_and_without_answers_it_says_what_to_give(self):
        said = self.run_with("status=0; countersign setup </dev/null 2>&1 || status=$?\necho \"status $status\"\n")
        self.assertIn("give --answers FILE", said)
        self.assertIn("status 64\n", said)

    def test_its_languages_are_those_of_the_pages(self):
        run = lambda *words: subprocess.run(words, check=True, capture_output=True, text=True).stdout
        programs = own_system.ROOT / ".build/debug"
        lane = json.loads(run(programs / "countersignd", "schema"))["properties"]["lanes"]["items"]["properties"]
        pattern = lane["page"]["properties"]["texts"]["propertyNames"]["pattern"]
        languages = pattern.strip("^$()").split("|")
        self.assertGreater(len(languages), 5)
        asked = " ".join(run(programs / "countersign", "setup", "--help").split())
        self.assertIn(f"Language of the pages: {', '.join(languages)}, or nothing", asked)


if __name__ == "__main__":
    unittest.main()
