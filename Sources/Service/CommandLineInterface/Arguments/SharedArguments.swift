package import ArgumentParser
internal import FoundationEssentials
package import MdocModel
internal import ReaderService

/// `--json`, which every command takes.
package struct OutputArguments: ParsableArguments {
    @Flag(
        name: .long, help: "Write the result as JSON: Documentation/command-line.md has its members.")
    package var json = false

    package init() {}
}

/// `--store`: the folder in which this computer's reader keeps what lasts.
package struct StoreArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder of the store.",
            discussion:
                "Without it COUNTERSIGN_STORE, else $XDG_DATA_HOME/countersign, else ~/.local/share/countersign.",
            valueName: "folder"))
    package var store: String?

    package init() {}

    package func validate() throws {
        guard store?.isEmpty != true else { throw ValidationError("--store takes a folder.") }
    }

    package var path: String {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = store ?? variable("COUNTERSIGN_STORE") { return path }
        // A relative path is to be ignored (XDG Base Directory Specification 0.8).
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/countersign" }
        return "\(variable("HOME") ?? "")/.local/share/countersign"
    }
}

/// `--at`, the instant to judge at.
package struct ClockArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Judge as if it were this instant: RFC 3339 with Z or an offset.",
            valueName: "time"))
    package var at: InstantArgument?

    package init() {}

    /// The instant given, or the system's time where that can be believed.
    package func now() throws(CommandFailure) -> Timestamp {
        if let at { return at.instant }
        return try Self.believing(WallClock.system.now)
    }

    /// What the system's clock says, unless it was plainly never set.
    package static func believing(_ now: Timestamp) throws(CommandFailure) -> Timestamp {
        guard now >= WallClock.earliest else {
            throw .unavailable("the system's clock is not set (it says \(now)): set it, or give --at")
        }
        return now
    }
}

/// An instant as RFC 3339 writes it.
package struct InstantArgument: ExpressibleByArgument {
    package let instant: Timestamp

    package init?(argument: String) {
        guard let date = DateText(argument.utf8), case .instant(let instant) = date.value else { return nil }
        self.instant = instant
    }
}
