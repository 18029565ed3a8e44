internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import MdocModel

/// `--at`, the instant to judge at.
struct ClockArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Judge as of this instant, RFC 3339 with Z or an offset, instead of now.",
            valueName: "time"))
    var at: InstantArgument?

    /// No build of this program is older: a clock that shows less was not set (Q189).
    private static let earliestNow = Timestamp(secondsSince1970: 1_767_225_600)

    /// The instant given, or the system's time where that can be believed.
    func now() throws(CommandFailure) -> Timestamp {
        if let at { return at.instant }
        return try Self.believing(Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970)))
    }

    /// The day of an instant where this computer stands, by its time zone: the premises' (Q161).
    func dayHere(at instant: Timestamp) -> FullDate {
        var seconds = time_t(instant.secondsSince1970)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else { return instant.dayInUTC }
        return instant.advanced(bySeconds: unsafe Int64(local.tm_gmtoff)).dayInUTC
    }

    /// What the system's clock says, unless it was plainly never set.
    static func believing(_ now: Timestamp) throws(CommandFailure) -> Timestamp {
        guard now >= earliestNow else {
            throw .unavailable("the system's clock is not set (it says \(now)): set it, or give --at")
        }
        return now
    }
}

/// An instant as RFC 3339 writes it.
struct InstantArgument: ExpressibleByArgument {
    let instant: Timestamp

    init?(argument: String) {
        guard let date = DateText(argument.utf8), case .instant(let instant) = date.value else { return nil }
        self.instant = instant
    }
}
