"""Runs a command with a deadline; if the deadline is missed, says what each of its programs was doing."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

OVERDUE = 124


def run(command, deadline, folder, **options):
    """The command's status, or 124 when it took longer than `deadline` seconds.

    Then `backtraces.txt` in `folder` has the stacks of all threads of each of its programs, and all of them are ended.
    """
    process = subprocess.Popen(command, start_new_session=True, preexec_fn=end_with_parent, **options)
    try:
        return status(process.wait(timeout=deadline))
    except subprocess.TimeoutExpired:
        write_backtraces(process.pid, pathlib.Path(folder) / "backtraces.txt")
        return OVERDUE
    finally:
        end(process)


def poll(process):
    """The status of a command that has ended and the seconds of a core that it and what it waited for took; None while it runs."""
    ended, encoded, usage = os.wait4(process.pid, os.WNOHANG)
    if not ended:
        return None
    process.returncode = os.waitstatus_to_exitcode(encoded)
    return status(process.returncode), usage.ru_utime + usage.ru_stime


def status(returncode):
    """As a shell tells it: 128 and the signal's number for a process that a signal ended."""
    return returncode if returncode >= 0 else 128 - returncode


def end(process):
    """Ends what is left of the command: first by TERM, so that benches tidy up, then by KILL."""
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        until = time.monotonic() + patience
        while time.monotonic() < until and _has_members(process.pid):
            process.poll()
            time.sleep(0.05)
    process.poll()


def write_backtraces(pid, path):
    """Writes the stacks of all threads of every program of this project below the process `pid`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        for process, program in _descendants(pid):
            if "/.build" not in program:
                continue
            file.write(f"== process {process}: {program}\n")
            file.flush()
            try:
                subprocess.run(
                    ["gdb", "-p", str(process), "-batch", "-nx", "-iex", "set complaints 0", "-iex", "set print thread-events off",
                     "-ex", "thread apply all backtrace 40"],
                    stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, timeout=120)
            except (OSError, subprocess.TimeoutExpired) as error:
                file.write(f"no backtrace: {error}\n")


def end_with_parent():
    """In the child: TERM when the process that started it ends."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM, 0, 0, 0)


# A third of what others get: at 19 a build beside eight minutes of tests did a tenth of its work.
LOW_PRIORITY = 5


def end_with_parent_at_low_priority():
    """The same, with a smaller share of the cores than others have."""
    end_with_parent()
    os.nice(LOW_PRIORITY)
    # Where the kernel shares the cores between sessions, a nice value counts inside its own session alone.
    try:
        pathlib.Path("/proc/self/autogroup").write_text(str(LOW_PRIORITY))
    except OSError:
        pass


def share(pid, priority):
    """Sets the priority of a process, its session and all that it has started. Only root may raise one."""
    try:
        pathlib.Path(f"/proc/{pid}/autogroup").write_text(str(priority))
        for process, _ in _descendants(pid):
            os.setpriority(os.PRIO_PROCESS, process, priority)
    except OSError:
        pass


def _processes():
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield int(folder.name), fields[0], int(fields[1]), int(fields[2])


def _has_members(group):
    return any(of == group and state != "Z" for _, state, _, of in _processes())


def _descendants(pid):
    """The process and everything below it, with the program of each."""
    children = {}
    for process, _, parent, _ in _processes():
        children.setdefault(parent, []).append(process)
    waiting, found = [pid], []
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, [])
        try:
            found.append((process, os.readlink(f"/proc/{process}/exe")))
        except OSError:
            continue
    return found
