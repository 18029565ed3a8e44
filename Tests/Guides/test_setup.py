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
get() { curl --silent --show-error --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
until get $CHECK | jq --exit-status .ended >/dev/null; do sleep 0.2; done
"""

# A person at a terminal: each answer is typed once its question is there.
PERSON = r"""
import os, pty, select, sys, time
answers = [("Replace the present configuration?", "y"), ("What is this computer for?", "x"), ("must be one of", "2"),
           ("Use the software wallet", "maybe"), ("answer yes or no", ""), ("A name for this lane", "a b"),
           ("must consist of letters", "bar"), ("The shop's name", "Utopia Wines"), ("File of the shop's logo", "/nowhere"),
           ("No such file", ""), ("Background colour", "red"), ("must be a colour", "#808080"),
           ("Colour of the words", "#909090"), ("the minimum for readable text", ""), ("Whom customers ask", ""),
           ("Language of the pages", "xx"), ("must be one of", ""), ("What is kept of a check?", "2"),
           ("Purpose of the checks", ""), ("What is kept, as customers", ""),
           ("File or folder with the certificates", "/nowhere"), ("the file or folder does not exist", ""),
           ("Make a reader identity", "n")]
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
            curl --silent --show-error --fail-with-body --unix-socket /run/countersign/countersignd.sock \\
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
            jq --compact-output '.lanes[0].page' /etc/countersign/countersignd.json
            jq --raw-output '.next[-1]' made.json
            post() { get http://127.0.0.1:8411/v1/$1 -H 'Content-Type: application/json' -d "$2"; }
            DESK=$(post lanes/desk-1/presentations '{"preset": "Rental", "reference": "booking-1"}' | jq --raw-output .id)
            until get http://127.0.0.1:8411/v1/presentations/$DESK | jq --exit-status .ended >/dev/null; do sleep 0.2; done
            get http://127.0.0.1:8411/v1/presentations/$DESK | jq --raw-output '"the desk: " + .outcome'
            """, RENTAL)
        self.assertIn('["allow",true]\n', said)
        self.assertRegex(said, r"http://127\.0\.0\.1:8411/desk\?lane=desk-1#code=[0-9a-f]{32}\n")
        self.assertIn("countersign page-code --page desk --lane desk-1\n", said)
        self.assertIn("the desk: allow\n", said)
        self.assertIn("retained: 1;", said)
        self.assertIn("\nnull\n", said)

    def test_a_person_at_a_terminal_is_asked_again_where_an_answer_is_wrong(self):
        said = self.run_with(f"cat > person.py <<'END'\n{PERSON}END\n" + """
            python3 person.py
            jq --compact-output '.lanes, .acceptTestDocuments' /etc/countersign/countersignd.json
            runuser -u countersign -- countersignd --check
            """)
        self.assertIn("It is not shown again", said)
        for words in ("lane: bar", "shop: Utopia Wines", "kept: receipt", "issuers: none yet", "may leave warnings as they are",
                      "runuser -u countersign -- countersign doctor --store /var/lib/countersign"):
            self.assertIn(words, said)
        self.assertNotIn("To leave the trial", said)
        self.assertIn('"colours":{"ground":"#808080","words":"#000000"}', said)
        self.assertNotIn('"page":', said)
        self.assertRegex(said, r'(?m)^\[\{"name":"bar","brand".*\]\nnull$')

    def test_a_second_run_offers_what_was_answered_before(self):
        again = PERSON.replace(PERSON[PERSON.index("answers = ["):PERSON.index("child, terminal")], """answers = [
            ("Replace the present configuration?", "y"), ("What is this computer for? [till; type - for kiosk]", ""),
            ("Use the software wallet", ""), ("A name for this lane", ""), ("[Utopia Wines; type - for The shop]", "-"),
            ("File of the shop's logo", ""), ("[#808080; type - for nothing]", "-"), ("Whom customers ask", ""),
            ("Language of the pages", "EN"), ("What is kept of a check? [receipt; type - for none]", ""), ("Purpose of the checks", ""),
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

    def test_a_wallet_whose_port_is_taken_fails_its_step_with_what_to_do(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            python3 -c 'import socket, time; held = socket.create_server(("127.0.0.1", 7000)); time.sleep(600)' &
            until (: < /dev/tcp/127.0.0.1/7000) 2>/dev/null; do sleep 0.1; done
            jq --raw-output '.next[2]' made.json > start.sh
            status=0; timeout 120 bash -euo pipefail start.sh 2>said || status=$?
            echo "status $status: $(tail --lines 1 said)"
            kill %1; wait %1 || true
            bash -euo pipefail start.sh
            stat -c %a /run/trial-root.der
            """)
        self.assertIn("status 1: the software wallet did not start within 20 s: read journalctl --unit trial-wallet", said)
        self.assertTrue(said.endswith("\n644\n"), said)

    def test_a_person_at_a_terminal_chooses_the_ages_of_a_kiosk(self):
        ages = PERSON.replace(PERSON[PERSON.index("answers = ["):PERSON.index("child, terminal")], """answers = [
            ("Replace the present configuration?", "y"), ("What is this computer for?", "kiosk"), ("Use the software wallet", ""),
            ("A name for this lane", ""), ("The shop's name", ""), ("File of the shop's logo", ""), ("Background colour", ""),
            ("Whom customers ask", ""), ("Language of the pages", "de"), ("such as 16, 18 [16, 18]: ", "16 und 18"),
            ("must be one to 3 different ages", "18 18"), ("must be one to 3 different ages", "21,16, 18"),
            ("What is kept of a check?", ""), ("Purpose of the checks", ""), ("What is kept, as customers", ""),
            ("File or folder with the certificates", ""), ("Make a reader identity", "n")]
""")
        again = ages.replace('("such as 16, 18 [16, 18]: ", "16 und 18"),\n', '("such as 16, 18 [16, 18, 21]: ", ""),\n').replace(
            '("must be one to 3 different ages", "18 18"), ("must be one to 3 different ages", "21,16, 18"),', "").replace(
            '"Language of the pages", "de"', '"Language of the pages", ""')
        self.assertEqual(again.count("such as 16, 18 [16, 18, 21]"), 1)
        said = self.run_with(f"cat > person.py <<'END'\n{ages}END\ncat > again.py <<'END'\n{again}END\n" + """
            python3 person.py
            python3 again.py > second
            jq --compact-output '[.presets[].intent]' /etc/countersign/countersignd.json
            jq --compact-output .ages /etc/countersign/countersignd-answers.json
            """)
        self.assertIn("ages of the buttons: 16, 18, 21", said)
        intents = ",".join(f'"age over {age} with portrait for a human to compare"' for age in (16, 18, 21))
        self.assertTrue(said.endswith(f"\n[{intents}]\n[16,18,21]\n"), said)

    def test_a_plugged_in_scanner_or_relay_board_is_used_only_after_a_yes(self):
        last = '("Make a reader identity", "n")]'
        scanner = "read the codes of phones at the lane bar? serial scanner Maker Reader 1"
        board = "open a lock or a turnstile at the lane bar? relay board HIDRelay with up to 2 contacts"
        answers = {
            "none": [], "no": [(scanner, ""), (board, "")],
            "yes": [(scanner, "y"), (board, "y"), ("The number of the contact", "3"), ("from 1 to 2", "2"),
                    ("For how many milliseconds", "50"), ("from 100 to 10000", ""), ("Does a scanned code open it too?", ""),
                    ("Is it in use already?", "")],
            "again": [(scanner + " (/dev/serial/by-id/usb-x-if00) [Y/n]", ""), (board, ""), ("contact on the board [2]", ""),
                      ("[800]", "900"), ("Does a scanned code open it too?", "y"), ("Is it in use already?", "y")],
            "unplugged": [("Keep the accessory qr of the earlier run?", ""), (board, "n")]}
        files = ""
        for name, more in answers.items():
            self.assertIn(last, PERSON)
            person = PERSON.replace(last, f'{last[:-1]}, {", ".join(map(repr, more))}]')
            files += f"cat > {name}.py <<'END'\n{person}END\n"
        said = self.run_with(files + """
            export COUNTERSIGN_SYSTEM_FOLDER=$PWD/fake
            usb=fake/sys/devices/pci0000:00/usb1
            mkdir -p fake/etc fake/dev/serial/by-id $usb/1-1/1-1:1.0 $usb/1-2/1-2:1.0/0003:1 \
                fake/sys/class/tty/ttyACM0 fake/sys/class/hidraw/hidraw0
            plug() { echo $2 > $usb/$1/idVendor; echo $3 > $usb/$1/idProduct; echo Maker > $usb/$1/manufacturer
                     echo "$4" > $usb/$1/product; }
            plug 1-1 0c2e 0b61 "Reader 1"
            plug 1-2 16c0 05df HIDRelay2
            touch fake/dev/ttyACM0
            ln -s ../../ttyACM0 fake/dev/serial/by-id/usb-x-if00
            ln -s $PWD/$usb/1-1/1-1:1.0 fake/sys/class/tty/ttyACM0/device
            ln -s $PWD/$usb/1-2/1-2:1.0/0003:1 fake/sys/class/hidraw/hidraw0/device
            show() { jq --compact-output '[.accessories, [.socket.users[].user]]' /etc/countersign/countersignd.json; }
            python3 none.py | grep "install the package countersign-accessories"; show
            grep countersign-accessories /etc/passwd > fake/etc/passwd
            python3 no.py > said; show
            python3 yes.py | grep "accessories: "; show
            python3 again.py > said; show
            rm fake/dev/serial/by-id/usb-x-if00
            python3 unplugged.py > said; show
            """)
        scanner = '{"name":"qr","lane":"bar","in":{"serial":{"device":"/dev/serial/by-id/usb-x-if00"}}}'
        lock = '{"name":"lock","lane":"bar",%s"out":{"relay":{"hidRelay":{"usbPath":"1-2","channel":2},"pulseMs":%d}}}'
        self.assertEqual(said.count("[null,[null]]\n"), 2, said)
        self.assertIn("accessories: qr (scanner), lock (output, trial)", said)
        users = '[null,"countersign-accessories"]'
        trial, used = lock % ('"trial":true,', 800), lock % ('"engagements":["nfc","qr"],', 900)
        self.assertIn(f"[[{scanner},{trial}],{users}]\n", said)
        self.assertIn(f"[[{scanner},{used}],{users}]\n", said)
        self.assertTrue(said.endswith(f"[[{scanner}],{users}]\n"), said)

    def test_issuers_that_another_user_can_have_replaced_are_not_offered_again(self):
        kept = PERSON.replace('("File or folder with the certificates", "/nowhere"), ("the file or folder does not exist", "")',
                              '("[/root/kept; type - for nothing]", "-")')
        self.assertNotEqual(kept, PERSON)
        offered = "echo '{{\"trust\": \"{0}\"}}' > /etc/countersign/countersignd-answers.json\n"
        self.run_with(f"cat > person.py <<'END'\n{PERSON}END\ncat > kept.py <<'END'\n{kept}END\n"
                      "chmod 1777 /var/tmp; mkdir /root/kept /var/tmp/uploaded\n"
                      + offered.format("/root/kept") + "python3 kept.py\n"
                      + offered.format("/var/tmp/uploaded") + "python3 person.py > said\n"
                      + "if grep --quiet /var/tmp/uploaded said; then cat said; exit 1; fi\n")

    def test_a_trial_is_left_by_the_commands_that_it_prints(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            """ + NEXT + """
            jq --raw-output '.leaveTrial[]' made.json | sed 's/; countersign setup$//' > leave.sh
            bash -euo pipefail leave.sh
            systemctl is-active trial-wallet || true
            runuser -u countersign -- countersign trust list --json --store /var/lib/countersign
            ls /run/trial-root.der /var/lib/trial-wallet 2>&1 || true
            """, {**ANSWERS, "language": "EN", "country": "ut"})
        self.assertIn('"roots": 0,', said)
        self.assertEqual(said.count("No such file"), 2, said)

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
                 ("ground", "red", "ground: must be a colour"), ("words", "#10243f", "words: the contrast of ground and words"),
                 ("logo", "answers.json", "logo: "), ("retention", "days", "retention: must be one of"),
                 ("ages", [18, 18], "ages: must be one to 3 different ages"), ("ages", [11], "ages: must be one to 3 different ages"),
                 ("ages", [16, 18, 21, 25], "ages: must be one to 3"), ("ages", "16, 18", "ages: must be one to 3"),
                 ("ages", [], "ages: must be one to 3"), ("trial", "yes", "trial: must be true or false"),
                 ("accessories", [{"name": "x", "lane": "bar"}], "accessories: must be accessories as in the daemon's"),
                 ("trust", "/nowhere", "trust: the file or folder does not exist")]
        script = "mkdir wrong\n"
        for number, (member, value, _) in enumerate(wrong):
            script += (f"cat > wrong/{number}.json <<'END'\n{json.dumps({**ANSWERS, member: value}, ensure_ascii=False)}\nEND\n"
                       f"status=0; countersign setup --answers wrong/{number}.json 2>said || status=$?\n"
                       f"echo \"{number} status $status: $(tail --lines 1 said)\"\n")
        said = self.run_with(script + "cmp /etc/countersign/countersignd.json /run/system/countersignd.json\nls /etc/countersign\n")
        for number, (_, _, fault) in enumerate(wrong):
            self.assertRegex(said, rf"(?m)^{number} status 65: .*wrong/{number}\.json:1:[0-9]+: " + fault)
        self.assertTrue(said.endswith("\ncountersignd.json\n"), said)

    def test_all_faults_are_reported_at_once_and_a_check_writes_nothing(self):
        wrong = {**ANSWERS, "lane": "a b", "rôle": "kiosk", "replace": "yes", "ground": "red", "ages": [18, 100], "country": "u1"}
        said = self.run_with("""
            for how in "" "--check" "--check --json"; do
                status=0; countersign setup --answers answers.json $how >said 2>&1 || status=$?
                echo "[$how] status $status"; cat said
            done
            status=0; echo '{"shop": "x"}' | countersign setup --answers - --check || status=$?
            echo '{"shop": "x"}' | countersign setup --answers - --check --json | jq --compact-output .
            countersign setup --check 2>&1 || echo "status $?"
            cmp /etc/countersign/countersignd.json /run/system/countersignd.json; ls /etc/countersign
            """, wrong)
        plain, checked, listed = said.split("] status ")[1:4]
        for part in (plain, checked):
            self.assertTrue(part.startswith("65\n"), said)
            for reason in ("lane: must consist of letters", 'the member "rôle" is not known', "replace: must be true or false",
                           "ground: must be a colour", "ages: must be one to 3", "country: must be two letters"):
                self.assertEqual(part.count(reason), 1, f"{reason}: {said}")
        found, rest = json.JSONDecoder().raw_decode(listed.partition("\n")[2])
        self.assertEqual(sorted(fault["question"] for fault in found["faults"]),
                         ["ages", "country", "ground", "lane", "replace", "rôle"])
        self.assertEqual(found["replaces"], True)
        self.assertIn('the answers have no fault\n{"faults":[],"replaces":true}\n', said)
        self.assertIn("Give --answers with --check", said)
        self.assertTrue(said.endswith("\ncountersignd.json\n"), said)

    def test_a_german_shop_gets_no_english_word(self):
        said = self.run_with("""
            countersign setup --answers answers.json --json > made.json
            jq --compact-output '[.presets, .lanes]' /etc/countersign/countersignd.json
            """, {"role": "kiosk", "trial": True, "language": "de", "replace": True})
        presets, lanes = json.loads(said)
        self.assertEqual([sorted(preset) for preset in presets], [["intent", "retention"]] * 2)
        self.assertEqual(lanes, [{"name": "counter-1", "benchLink": "tcp://127.0.0.1:7000", "brand": {"name": "Der Laden"},
                                  "page": {"language": "de"}}])

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
