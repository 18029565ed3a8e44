"""What the phone says: one line a step on standard output, a stable word first, facts as name=value."""

import time

_began = time.monotonic()


def begin():
    """Starts the clock anew."""
    global _began
    _began = time.monotonic()


def tell(word, **facts):
    """Prints a step; ms counts from the start of the call."""
    milliseconds = round((time.monotonic() - _began) * 1000)
    line = [word] + [f"{name}={value}" for name, value in facts.items()] + [f"ms={milliseconds}"]
    print(*line, flush=True)


class Failure(Exception):
    """The session cannot continue; the text is a stable word or two."""


class Ended(Exception):
    """A fault has been carried out, or the session is over: nothing more to do."""
