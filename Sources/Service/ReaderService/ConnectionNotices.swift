/// The notices that people see while an engaged phone has not connected over Bluetooth, as a value that is fed with time.
struct ConnectionNotices {
    /// The notices that are still to come, each at its instant.
    private var pending: ArraySlice<(instant: ContinuousClock.Instant, event: PresentationEvent)>

    /// - Parameter engaged: the instant at which the engagement was complete.
    init(_ deadlines: PresentationDeadlines, engaged: ContinuousClock.Instant) {
        pending = [
            (engaged + deadlines.connecting, .connecting),
            (engaged + deadlines.checkBluetooth, .checkBluetooth),
        ]
    }

    /// The instant of the next notice; nil after the last.
    var deadline: ContinuousClock.Instant? { pending.first?.instant }

    /// Returns the next notice if its instant has come.
    mutating func expire(now: ContinuousClock.Instant) -> PresentationEvent? {
        guard let next = pending.first, now >= next.instant else { return nil }
        return pending.removeFirst().event
    }

    /// Reports each notice at its instant while `connecting` makes the link, and none once that returns.
    func during<Value>(
        report: @escaping @Sendable (PresentationEvent) -> Void, _ connecting: () async -> Value
    ) async -> Value {
        async let _: Void = notify(report)
        return await connecting()
    }

    /// Ends early when it is cancelled, which happens when the link is made.
    private func notify(_ report: @Sendable (PresentationEvent) -> Void) async {
        var notices = self
        while let deadline = notices.deadline {
            try? await Task.sleep(until: deadline, clock: .continuous)
            guard !Task.isCancelled else { return }
            if let event = notices.expire(now: .now) { report(event) }
        }
    }
}
