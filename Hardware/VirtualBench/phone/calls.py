"""Keeps the host stack loaded and forks a phone for each call of bench-phone."""

import gc
import os
import signal
import sys


def serve(path, main):
    """Takes calls ("FOLDER PID") from a pipe for ever; main gets the arguments, and a file that ends with its caller."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    # Open for both: it shall not end with the first caller.
    with os.fdopen(os.open(path, os.O_RDWR), "r") as calls:
        for line in calls:
            if os.fork() == 0:
                _supervise(*line.split(), main)
                os._exit(0)


def _supervise(folder, caller, main):
    """Runs one call in a separate process, so that the caller gets a status whatever happens."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        os._exit(_run(folder, caller, main))
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        with open(os.open(f"{folder}/status", os.O_RDWR | os.O_NONBLOCK), "w") as file:
            file.write(f"{status if status >= 0 else 128 - status}\n")
            file.flush()
            signal.alarm(5)
            # Wait until the pipe is removed: the caller removes it once it has read.
            while os.path.exists(folder):
                signal.sigtimedwait([signal.SIGUSR1], 0.05)
    except FileNotFoundError:
        pass


def _run(folder, caller, main):
    try:
        for number in (1, 2):
            os.dup2(os.open(f"/proc/{caller}/fd/{number}", os.O_WRONLY | os.O_APPEND), number)
        with open(f"{folder}/arguments") as file:
            where, *arguments = file.read().split("\0")[:-1]
        os.chdir(where)
        return main(arguments, os.open(f"{folder}/alive", os.O_RDONLY | os.O_NONBLOCK))
    except SystemExit as leave:
        return leave.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
