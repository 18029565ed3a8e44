internal import CTimex
internal import MdocModel
internal import ReaderService

/// The state of the system clock. The validity of documents is checked against this clock.
package struct ClockFacts: Sendable {
    var now: Timestamp
    /// Whether the kernel reports its clock as synchronised, or `nil` if the kernel refuses the query, as in
    /// a container.
    var isSynchronised: Bool?
    /// Whether a time synchronisation service is installed.
    var hasTimeService = true

    /// The programs of Debian packages that synchronise the clock over the network.
    private static let services = [
        "/usr/lib/systemd/systemd-timesyncd", "/usr/sbin/chronyd", "/usr/sbin/ntpd", "/usr/sbin/openntpd",
    ]

    /// Reads the clock of this computer.
    package static func current(in system: SystemFolder) -> ClockFacts {
        var kernel = timex()
        // With no mode set, adjtimex(2) only reads the state of the clock.
        let state = unsafe adjtimex(&kernel)
        return ClockFacts(
            now: WallClock.system.now,
            isSynchronised: state < 0 ? nil : kernel.status & STA_UNSYNC == 0,
            hasTimeService: services.contains { system.has($0) })
    }
}

extension ClockFacts {
    package static let checks: [DoctorCheck.ID] = [.clockSet, .clockSynchronised]

    /// The checks of the clock. The clock of a computer without a battery-backed clock shows a past time
    /// after a start (Q189).
    package var checks: [DoctorCheck] {
        let isSet = now >= WallClock.earliest
        return [
            isSet
                ? .ok(.clockSet, "\(now)")
                : .failed(
                    .clockSet,
                    "the clock shows \(now), which is before this program was made, so no document can be verified",
                    fix: timeService),
            isSynchronised.map { $0 ? Self.synchronised : unsynchronised }
                ?? .skipped(
                    .clockSynchronised,
                    "the kernel does not report whether the clock is synchronised, which is normal in a container"
                ),
        ]
    }

    /// The command that starts the time service. If no time service is installed, the command installs it
    /// first.
    private var timeService: DoctorCheck.Remedy {
        let start: CheckText = "timedatectl set-ntp true"
        return .command(hasTimeService ? start : "apt-get install systemd-timesyncd && \(start)")
    }

    private static let synchronised = DoctorCheck.ok(
        .clockSynchronised, "synchronised with the network or a reference clock")
    private var unsynchronised: DoctorCheck {
        .warning(
            .clockSynchronised,
            "the clock is not synchronised: sooner or later, documents will seem expired or not valid yet",
            fix: timeService)
    }
}
