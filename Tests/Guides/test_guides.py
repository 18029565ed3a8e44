"""Runs the commands of the guides, from their own text, with the programs of .build/debug.

Each guide has a system of its own: namespaces of mounts, processes and network, a copy of /etc, empty /root, /run and
/var/lib, and stand-ins for apt-get, systemctl and systemd-run. Blocks that begin with ```sh run in one shell, in their
order; those that begin with ```sh by-hand need what nobody has here, and do not. Needs root, as the guides do.
"""

import json
import re
import unittest

import own_system

ROOT = own_system.ROOT
DOCUMENTATION = ROOT / "Documentation"


def blocks(page):
    """The blocks of commands in a page, each with the line at which it begins."""
    text = (DOCUMENTATION / page).read_text()
    return [(text[:found.start()].count("\n") + 1, found[1])
            for found in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


class Guide(unittest.TestCase):
    maxDiff = None

    def run_guide(self, page, before=""):
        """What each block printed, by its number; fails where a command fails."""
        done = own_system.run(self, before + "".join(f"echo '== block {number}, {page}:{line}'\n{text}"
                                        for number, (line, text) in enumerate(blocks(page))))
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return re.split(r"^== block .*\n", done.stdout, flags=re.MULTILINE)[1:]

    def test_a_kiosk_checks_an_age_and_keeps_nothing(self):
        said = self.run_guide("getting-started-kiosk.md")
        self.assertEqual(len(said), 8)
        self.assertIn('"ready"', said[3])
        self.assertRegex(said[4], r"http://127\.0\.0\.1:8411/kiosk\?lane=trial#code=[0-9a-f]{32}\n")
        self.assertIn('"awaitingDecision"\nnull\n"mock"\ntrue\n', said[5])
        self.assertEqual(said[5].count('"yes"'), 2, said[5])
        self.assertEqual(said[6], '"allow"\nnull\n')

    def test_setup_writes_what_a_first_check_needs(self):
        said = self.run_guide("getting-started.md")
        self.assertEqual(len(said), 2)
        self.assertRegex(said[1], r"http://127\.0\.0\.1:8411/kiosk\?lane=bar#code=[0-9a-f]{32}\n")
        self.assertRegex(said[1], r'"reference": ?"first-[0-9]+"')

    def test_a_rental_desk_keeps_what_it_may_and_deletes_it_in_time(self):
        said = self.run_guide("getting-started-rental.md")
        self.assertEqual(len(said), 11)
        self.assertIn('"verified"\n"allow"\n', said[5])
        self.assertIn("family_name", said[5])
        self.assertIn("retained: 1;", said[5])
        self.assertIn("family_name", said[6])
        self.assertTrue(said[6].endswith("\nnothing is retained any more\n"), said[6])
        self.assertIn("document_number", said[7])
        self.assertRegex(said[7], r"(?s)retained: 1;.*purged[^\n]*1")

    def test_a_till_is_written_in_fifteen_minutes(self):
        page = "your-till-in-fifteen-minutes.md"
        code = re.search(r"^```python\n(.*?)^```$", (DOCUMENTATION / page).read_text(), re.MULTILINE | re.DOTALL)[1]
        said = self.run_guide(page, before=f"cat > /root/till.py <<'END OF TILL'\n{code}END OF TILL\n")
        self.assertEqual(len(said), 3)
        self.assertIn('"ready":true', said[1])
        printed = re.search(r"It prints this.*?\n\n((?:    [^\n]*\n)+)", (DOCUMENTATION / page).read_text(), re.DOTALL)[1]
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
