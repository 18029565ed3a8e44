"""A system of its own for commands that change one; see `system`."""

import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT = 1200  # seconds, for a computer that does much else


def run(test, script):
    """Runs commands as root, in one shell, with the programs of .build/debug."""
    if os.geteuid() != 0:
        test.skipTest("these commands run as root, and this is not root")
    return subprocess.run(
        ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", HERE / "system", ROOT / ".build/debug"],
        input="set -euo pipefail\n" + script, capture_output=True, text=True, timeout=LIMIT)
