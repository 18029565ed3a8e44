package import ArgumentParser
package import MdocModel
internal import ReaderService

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
