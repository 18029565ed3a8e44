internal import ArgumentParser

/// `--socket`: the daemon that a command asks.
struct DaemonArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The socket of the daemon.", valueName: "file"))
    var socket = "/run/countersign/countersignd.sock"
}
