package import ArgumentParser
internal import FoundationEssentials
package import MdocModel
internal import ReaderService

/// `--json`, an option of every command.
package struct OutputArguments: ParsableArguments {
    @Flag(
        name: .long, help: "Write the result as JSON. Documentation/command-line.md describes its members.")
    package var json = false

    package init() {}
}

/// `--store`: the folder with the database, keys and identities of this computer's reader.
package struct StoreArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder of the store.",
            discussion:
                "By default $COUNTERSIGN_STORE, otherwise $XDG_DATA_HOME/countersign, otherwise ~/.local/share/countersign.",
            valueName: "folder"))
    package var store: String?

    package init() {}

    package func validate() throws {
        guard store?.isEmpty != true else { throw ValidationError("--store needs the name of a folder.") }
    }

    /// The folder of `--store`, or else of the environment variable `COUNTERSIGN_STORE`, or else the default
    /// folder of this user.
    package var path: String {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = store ?? variable("COUNTERSIGN_STORE") { return path }
        // The XDG Base Directory Specification 0.8 says to ignore a relative path.
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/countersign" }
        return "\(variable("HOME") ?? "")/.local/share/countersign"
    }
}

/// `--at`: the instant at which the validity of documents and certificates is checked.
package struct ClockArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Verify as if it were this time, in RFC 3339 with Z or an offset. By default the current time.",
            valueName: "time"))
    package var at: InstantArgument?

    package init() {}

    /// Returns the instant of `--at` or, without this option, the time of the system's clock.
    package func now() throws(CommandFailure) -> Timestamp {
        if let at { return at.instant }
        return try Self.believing(WallClock.system.now)
    }

    /// Checks that the system's clock was set, and returns `now`, the time that it shows.
    ///
    /// - Throws: Status 69 (unavailable) if `now` is before this program was made, which means that the clock
    ///   was never set (Q189).
    package static func believing(_ now: Timestamp) throws(CommandFailure) -> Timestamp {
        guard now >= WallClock.earliest else {
            throw .unavailable("the system's clock is not set (it shows \(now)): set it, or give --at")
        }
        return now
    }
}

/// An argument that is an instant in RFC 3339.
package struct InstantArgument: ExpressibleByArgument {
    package let instant: Timestamp

    package init?(argument: String) {
        guard let date = DateText(argument.utf8), case .instant(let instant) = date.value else { return nil }
        self.instant = instant
    }
}
