"""The suites that stand in the sources of the tests, so that a run can be compared with them."""

import pathlib
import re

import table

# Swift's types of the first column, and Python's classes. An extension adds tests to the suite that it extends.
TYPE = re.compile(r"(?:@\S+ )*(?:(?:final|package|private|fileprivate|indirect) )*(?:struct|class|actor|enum|extension) (\w+)")
CLASS = re.compile(r"class (\w+)\(")


def of_sources(root=table.ROOT / "Tests"):
    """The names of all suites: `Target.Suite` in Swift, `module.Class` in Python."""
    found = set()
    for path in sorted(pathlib.Path(root).rglob("*.swift")):
        folders = path.relative_to(root).parts[:-1]
        # `Tests/Mdoc/MdocTrustTests`, but `Tests/Interop`: that target is InteropTests.
        target = next((part for part in folders if part.endswith("Tests")), f"{folders[0]}Tests").replace("-", "_")
        found |= {f"{target}.{name}" for name in _with_tests(path, TYPE, re.compile(r"\s+@Test\b"))}
    for path in sorted(pathlib.Path(root).rglob("test_*.py")):
        found |= {f"{path.stem}.{name}" for name in _with_tests(path, CLASS, re.compile(r"    (?:async )?def test_"))}
    return found


def _with_tests(path, beginning, test):
    """The types of the first column that have a test in this file."""
    current, found = None, set()
    for line in path.read_text().splitlines():
        if begun := beginning.match(line):
            current = begun[1]
        elif current and test.match(line):
            found.add(current)
    return found
