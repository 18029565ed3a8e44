"""A phone for the virtual air of with-bluez: bumble's host stack between the radio and a wallet on the TCP bench link.

It prints one line a step, a stable word first: ready, engaged, advertising, heard, found, connected, mtu, discovered, ident,
subscribed, started, psm, channel, request, response, status, state, disconnected, storm, second, never-ending, fault,
failed, done. Exit status: 0 the session (or the fault) went to its end, 1 it did not, 2 wrong options, 3 --timeout,
143 ended by a signal, after disconnecting.
"""

import argparse
import asyncio
import contextlib
import logging
import sys

import calls
import central
import journal
import peripheral
import radio
from faults import Faults
from journal import Ended, Failure, tell
from session import Echo, Session
from wallet import Greeting, Wallet


def advertised_flags(text):
    return b"" if text == "none" else bytes([int(text, 16)])


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="bench-phone", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--wallet", metavar="HOST:PORT", help="the holder, listening on the TCP bench link")
    add("--raw-echo", metavar="SIZE", type=int, help="no wallet: answer each message with SIZE bytes (0: itself)")
    add("--greeting", metavar="FILE", help="write the wallet's greeting there")
    add("--mode", choices=("central", "peripheral"), required=True)
    add("--uuid", required=True, help="the service, or from-greeting")
    add("--uuid16", action="store_true", help="peripheral: advertise and serve the 16-bit form of the UUID")
    add("--flags", type=advertised_flags, default=b"\x06",
        help="peripheral: the flags in its advertisement, hexadecimal, or none")
    add("--strict-scanner", action="store_true",
        help="ignores advertisements that are not general discoverable, as some phones may; says the flags it hears")
    add("--mtu", type=int, default=517, help="23 to 517; asked for as client, the most allowed as server")
    add("--address", default="random:F2:C1:22:33:44:55", help="public or random:F2:..")
    add("--ident", help="central: hexadecimal or from-greeting; leaves when the reader's is another one")
    add("--l2cap-psm", type=lambda text: int(text, 0), help="peripheral: serve an L2CAP channel there too")
    add("--psm-characteristic", type=int, choices=(2, 4), help="peripheral: show the PSM, in so many bytes")
    add("--psm-shown", type=lambda text: int(text, 0), help="peripheral: show that one, served or not")
    add("--l2cap", action="store_true", help="central: take the L2CAP channel that the reader's characteristic names")
    add("--chunk", type=int, help="the largest value to send, prefix included")
    add("--end", choices=("status20", "state02", "disconnect", "none", "both"), default="none",
        help="what the phone does after its response")
    add("--connected-elsewhere", action="store_true",
        help="has a connection already; needed by the second of two phones that are to be connected at once")
    add("--linger", action="store_true", help="after the end, let the reader disconnect")
    add("--start-before-cccd", action="store_true")
    add("--fault", help="see faults.py: a name, disconnect-at=STEP or connect-storm=N")
    add("--timeout", type=float, default=60, help="seconds, for all")
    add("--verbose", action="store_true", help="bumble's own log on standard error")
    add("--transport", default="unix:/tmp/bt-server-le", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        options.faults = Faults(options.fault, options.mode)
    except ValueError as error:
        parser.error(str(error))
    if (options.wallet is None) == (options.raw_echo is None):
        parser.error("give one of --wallet and --raw-echo")
    if not 23 <= options.mtu <= 517:
        parser.error("--mtu takes 23 to 517")
    if options.wallet is None and "from-greeting" in (options.uuid, options.ident):
        parser.error("from-greeting needs --wallet")
    options.psm_shown = options.psm_shown or options.l2cap_psm
    if options.psm_characteristic and not options.psm_shown:
        parser.error("--psm-characteristic needs --l2cap-psm or --psm-shown")
    return options


async def engage(options):
    """The wallet, and what its greeting says; the options then hold the UUID and the Ident."""
    given = options.ident and options.ident != "from-greeting" and bytes.fromhex(options.ident)
    if options.wallet is None:
        return Echo(options.raw_echo), given
    wallet = await Wallet.connect(options.wallet)
    frame = await wallet.receive()
    if frame is None:
        raise Failure("wallet-closed")
    if options.greeting:
        with open(options.greeting, "wb") as file:
            file.write(frame)
    if "from-greeting" not in (options.uuid, options.ident):
        return wallet, given
    greeting = Greeting(frame)
    if options.uuid == "from-greeting":
        options.uuid = greeting.service(options.mode)
    tell("engaged", handover=greeting.handover, uuid=options.uuid)
    return wallet, greeting.ident() if options.ident == "from-greeting" else given


async def run(options):
    wallet, ident = await engage(options)
    faults = options.faults
    async with contextlib.AsyncExitStack() as stack:
        async def another(name, address):
            return await stack.enter_async_context(radio.device(argparse.Namespace(
                **{**vars(options), "address": address}), name))

        made = await stack.enter_async_context(radio.device(options))
        tell("ready", address=radio.own_address(made).to_string(False),
             type="random" if options.address.startswith("random") else "public")
        notifications = None
        if faults.name == "second-phone":
            notifications = await central.second_phone(
                await another("second", "random:F2:C1:22:33:44:66"), options)
        if options.connected_elsewhere or notifications:
            await central.connect_elsewhere(made, await another("third", "random:F2:C1:22:33:44:77"))
        try:
            await unless_lost(made, present(made, wallet, ident, options))
        finally:
            if notifications:
                tell("second", notifications=notifications())
            wallet.close()


async def present(made, wallet, ident, options):
    if options.mode == "central":
        link = await central.open_link(made, options, options.faults, ident)
    else:
        link = await peripheral.open_link(made, options, options.faults)
    await Session(link, wallet, options, options.faults).run()


async def unless_lost(made, work):
    """Does the work as long as the controller is there."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task, made.lost}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Failure("air-lost")
        task.result()
    finally:
        task.cancel()


async def until_end(options, alive):
    """Until the session's end, the timeout or the caller's; the exit status."""
    task = asyncio.ensure_future(run(options))
    loop = asyncio.get_running_loop()
    loop.add_reader(alive, lambda: (loop.remove_reader(alive), task.cancel()))
    try:
        with contextlib.suppress(Ended):
            await asyncio.wait_for(task, options.timeout)
        tell("done")
        return 0
    except asyncio.TimeoutError:
        tell("failed", why="timeout")
        return 3
    except asyncio.CancelledError:
        return 143
    except Failure as failure:
        tell("failed", why=failure)
        return 1
    except Exception as error:
        # Of bumble's own, mostly: the link went while something was under way.
        tell("failed", why=type(error).__name__)
        logging.error("phone", exc_info=error)
        return 1


def main(arguments, alive):
    """One call; `alive` can be read when the caller has ended or wants the phone to end."""
    journal.begin()
    options = options_of(arguments)
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.CRITICAL)
    return asyncio.run(until_end(options, alive))


if __name__ == "__main__":
    calls.serve(sys.argv[2], main)
