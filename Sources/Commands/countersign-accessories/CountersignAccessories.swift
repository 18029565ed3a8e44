internal import AccessoryDevices
internal import ArgumentParser
internal import Glibc
internal import Transport
internal import VersionNumber

/// The program `countersign-accessories`: the devices of a computer's lanes.
///
/// The daemon may open no device. This program opens the devices that the daemon's configuration file names, and nothing
/// else. It reads codes of phones and passes them to the daemon, and it does the outputs that the daemon announces. It
/// never receives an element of a document, a portrait or a receipt.
@main
struct CountersignAccessories: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign-accessories",
        abstract: "Serves the scanners, keys, contacts and panels at the lanes of countersignd.",
        discussion: """
            countersignd's configuration file names the accessories (member accessories). This program runs as a service \
            with its own user, who needs the scope accessory in the member socket.users.
            """,
        version: Version.number)

    @Option(help: "The path of countersignd's socket.")
    var socket = "/run/countersign/countersignd.sock"

    static func main() {
        // The watchdog has no options of its own: no user starts it.
        if CommandLine.arguments.dropFirst() == [Watchdog.command] { return WatchdogProcess.run() }
        main(nil)
    }

    func run() throws {
        // SIGTERM and SIGINT are waited for below. Threads inherit the mask, so it is set before the first thread.
        var ends = sigset_t()
        unsafe sigemptyset(&ends)
        unsafe sigaddset(&ends, SIGTERM)
        unsafe sigaddset(&ends, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &ends, nil)
        // A till or panel that closes its connection must not end this program.
        signal(SIGPIPE, SIG_IGN)
        _ = ProcessConfinement.hideMemory()
        let link = DaemonLink(path: socket)
        let accessories = RunningAccessories(link)
        let listening = WorkerThread()
        listening.perform { [socket] in DaemonListener(path: socket, accessories: accessories).run() }
        var signal: Int32 = 0
        while unsafe sigwait(&ends, &signal) != 0 {}
        accessories.stop()
        // The listener's thread waits for the daemon and cannot be joined.
        Glibc.exit(0)
    }
}
