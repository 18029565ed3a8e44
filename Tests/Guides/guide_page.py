"""The commands and configurations in the text of a guide."""

import re
import unittest

import own_system

ROOT = own_system.ROOT
DOCUMENTATION = ROOT / "Documentation"


def blocks(page, kind="sh"):
    """The blocks of a kind in a page, each with the line at which it begins."""
    text = (DOCUMENTATION / page).read_text()
    return [(text[:found.start()].count("\n") + 1, found[1])
            for found in re.finditer(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


class GuideCase(unittest.TestCase):
    maxDiff = None

    def run_guide(self, page, before=None, after=""):
        """What each block printed, by its number; fails where a command fails.

        `before` has commands that run before the block of a number: what a reader does by hand there. What they print
        belongs to the block before."""
        done = own_system.run(self, "".join(f"{(before or {}).get(number, '')}\necho '== block {number}, {page}:{line}'\n{text}"
                                            for number, (line, text) in enumerate(blocks(page))) + after)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return re.split(r"^== block .*\n", done.stdout, flags=re.MULTILINE)[1:]
