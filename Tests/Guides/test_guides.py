"""Runs the commands of the guides, from their own text, with the programs of .build/debug.

Each guide has a system of its own: namespaces of mounts, processes and network, a copy of /etc, empty /root, /run and
/var/lib, and stand-ins for apt-get, systemctl and systemd-run. Blocks that begin with ```sh run in one shell, in their
order; those that begin with ```sh by-hand need what nobody has here, and do not. Needs root, as the guides do.
"""

import json
import re
import unittest

import own_system
from guide_page import DOCUMENTATION, GuideCase, blocks


class Guide(GuideCase):
    def test_a_kiosk_checks_an_age_and_keeps_nothing(self):
        said = self.run_guide("getting-started-kiosk.md")
        self.assertEqual(len(said), 8)
        self.assertIn('"ready"', said[3])
        self.assertRegex(said[4], r"http://127\.0\.0\.1:8411/kiosk\?lane=trial#code=[0-9a-f]{32}\n")
        self.assertIn('"awaitingDecision"\nnull\n"mock"\ntrue\n', said[5])
        self.assertEqual(said[5].count('"yes"'), 2, said[5])
        self.assertEqual(said[6], '"allow"\nnull\n')

    def test_a_refused_order_is_said_and_its_loop_ends(self):
        """An order that is not understood, in the guides of the kiosk and of the rental desk."""
        kiosk = [text for _, text in blocks("getting-started-kiosk.md")]
        order = kiosk[5].replace("age over 21 with portrait", "age 21 with portrait")
        done = own_system.run(self, "".join(kiosk[:4]) + f"({order}) || true\necho '== ended'\n")
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertRegex(done.stdout, r'"[^\n]*is not understood[^\n]*"\n(.*\n)*== ended\n')
        rental = [text for _, text in blocks("getting-started-rental.md")]
        order = rental[6].replace("rental: name,", "rental: nme,")
        done = own_system.run(self, "".join(rental[:6]) + f"({order}) || true\necho '== ended'\n")
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertRegex(done.stdout, r'"[^\n]*is not understood[^\n]*"\n(.*\n)*== ended\n')

    def test_a_shop_moves_to_another_computer(self):
        """The receipts go on where they ended, and root gets a new code. What was packed is all that the new computer has."""
        kiosk = "".join(text for _, text in blocks("getting-started-kiosk.md")[:7]).replace(
            '"reference": "till-7/4711",', '"reference": "till-7/4711", "retention": "receipt",')
        address, code, reload, stop, pack, unpack = [text for _, text in blocks("owner.md")]
        done = own_system.run(self, kiosk + f"""
            until countersign status --json | jq --exit-status '.receipts.count == 1'; do sleep 0.2; done
            countersign status --json | jq --raw-output .receipts.head > /root/head
            {code}{reload}{stop}{pack}
            rm -r /etc/countersign /var/lib/countersign /var/lib/countersign-keys
            {unpack}
            echo '== moved'
            countersign status --json | jq --raw-output .receipts.head | diff - /root/head && echo 'the same head'
            runuser -u countersign -- countersign receipt verify --store /var/lib/countersign
            {address}""")
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        moved = done.stdout.partition("== moved\n")[2]
        self.assertIn("the same head", moved)
        self.assertRegex(moved, r"http://127\.0\.0\.1:8411/owner#code=[0-9a-f]{32}\n")

    def test_setup_writes_what_a_first_check_needs(self):
        said = self.run_guide("getting-started.md")
        self.assertEqual(len(said), 2)
        self.assertRegex(said[1], r"http://127\.0\.0\.1:8411/kiosk\?lane=bar#code=[0-9a-f]{32}\n")
        self.assertRegex(said[1], r'"reference": ?"first-[0-9]+"')

    def test_a_rental_desk_keeps_what_it_may_and_deletes_it_in_time(self):
        said = self.run_guide("getting-started-rental.md")
        self.assertEqual(len(said), 12)
        self.assertRegex(said[4], r"http://127\.0\.0\.1:8411/desk\?lane=desk-1#code=[0-9a-f]{32}\n")
        self.assertIn('"verified"\n"allow"\n', said[6])
        self.assertTrue(said[6].count('["org.iso.18013.5.1/expiry_date"]'), said[6])
        self.assertIn("family_name", said[6])
        self.assertIn("retained: 1;", said[6])
        self.assertIn("family_name", said[7])
        self.assertTrue(said[7].endswith("\nnothing is retained any more\n"), said[7])
        self.assertIn("document_number", said[8])
        self.assertRegex(said[8], r"(?s)retained: 1;.*purged[^\n]*1")

    def test_a_till_sells_before_the_page_explains_it_and_its_wallet_is_trusted_after_a_restart(self):
        page = "your-till-in-fifteen-minutes.md"
        text = (DOCUMENTATION / page).read_text()
        self.assertLess(text.rindex("```sh\n"), text.index("## What happened"))
        wallet = next(line for line in text.splitlines() if line.startswith("systemd-run"))
        start = f"{wallet}\nuntil (: < /dev/tcp/127.0.0.1/7000) 2>/dev/null; do sleep 0.1; done\n"
        shortest = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
        self.assertLessEqual(len(shortest.splitlines()), 6)
        again = "python3 till.py sale-1"
        # A second terminal has the token from the file, as the page says.
        terminal = re.search(r"run `(export COUNTERSIGN_TOKEN=[^`]*)` first", text)[1]
        said = self.run_guide(page, after=f"echo '== shortest'\nstat -c '%a %U' ~/till.token\ncat > shortest.py <<'END'\n{shortest}END\n"
                              f"env --unset COUNTERSIGN_TOKEN python3 shortest.py\n(unset COUNTERSIGN_TOKEN\n{terminal}\n{again})\n"
                              f"echo '== restarted'\nsystemctl stop trial-wallet\n{start}python3 till.py sale-2\n"
                              f"systemctl stop trial-wallet\nrm -r /var/lib/trial-wallet\n{start}python3 till.py sale-3 || true\n")
        self.assertEqual(len(said), 3)
        said[2], shortest, restarted = re.split(r"== shortest\n|== restarted\n", said[2])
        self.assertEqual(shortest, "600 root\nsell\nYes. You may sell. (test document)\n")
        self.assertIn("Yes. You may sell. (test document)\n", restarted)
        # The twin: a new folder has an issuer that is not trusted.
        self.assertTrue(restarted.endswith("Not accepted. Check another document. (test document) issuer_certificate\n"), restarted)
        self.assertIn('"ready":true', said[1])
        printed = re.search(r"It prints this.*?\n\n((?:    [^\n]*\n)+)", text, re.DOTALL)[1]
        lines = [line.strip() for line in printed.splitlines()]
        # The wallet of the bench link is there before the till listens.
        self.assertEqual(said[2].splitlines(), lines[-len(said[2].splitlines()):])
        self.assertGreaterEqual(len(said[2].splitlines()), 2)

    def test_the_reader_of_the_readme_asks_its_wallet(self):
        wallet, request = (text.strip() for _, text in blocks("../README.md"))
        done = own_system.run(self, f"cd /root\n{wallet} >wallet.out &\n"
                                "until [ -s wallet.out ] || ! kill -0 %1; do sleep 0.1; done\n"
                                f"{request}\nkill %1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("TEST DOCUMENT: over 21 yes\n"), done.stdout)
        self.assertIn("over 21: yes", done.stdout)

    def test_a_command_that_fails_fails_the_guide(self):
        """The stand-ins hide nothing: a wrong configuration ends the shell."""
        done = own_system.run(self, "echo begun\necho '{}' > /etc/countersign/countersignd.json\n"
                                "runuser -u countersign -- countersignd --check\necho still here\n")
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertIn("begun", done.stdout)
        self.assertIn("countersignd.json", done.stderr)
        self.assertNotIn("still here", done.stdout)

    def test_every_example_of_a_configuration_is_json(self):
        text = (DOCUMENTATION / "configuration.md").read_text()
        examples = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(examples), 3)
        for example in examples:
            json.loads(example)


if __name__ == "__main__":
    unittest.main()
