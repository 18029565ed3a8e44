internal import CTimex
internal import MdocModel
internal import ReaderService

/// The clock that documents are judged by.
struct ClockFacts: Sendable {
    var now: Timestamp
    /// Whether the kernel reports its clock as synchronised; nil if it does not report that, as in a container.
    var isSynchronised: Bool?

    static func current() -> ClockFacts {
        var kernel = timex()
        let state = unsafe adjtimex(&kernel)
        return ClockFacts(
            now: WallClock.system.now,
            isSynchronised: state < 0 ? nil : kernel.status & STA_UNSYNC == 0)
    }
}

extension ClockFacts {
    static let checks: [DoctorCheck.ID] = [.clockSet, .clockSynchronised]

    /// Q189.
    var checks: [DoctorCheck] {
        let isSet = now >= WallClock.earliest
        return [
            isSet
                ? .ok(.clockSet, "\(now)")
                : .failed(
                    .clockSet,
                    "the clock shows \(now), which is before this program was made: nothing can be verified",
                    fix: Self.cure),
            isSynchronised.map { $0 ? Self.kept : Self.left }
                ?? .skipped(.clockSynchronised, "the kernel does not report it here, as in a container"),
        ]
    }

    private static let cure = DoctorCheck.Remedy.command("timedatectl set-ntp true")
    private static let kept = DoctorCheck.ok(
        .clockSynchronised, "synchronised with the network or a reference clock")
    private static let left = DoctorCheck.warning(
        .clockSynchronised, "nothing synchronises it: documents will seem expired, or not valid yet",
        fix: cure
    )
}
