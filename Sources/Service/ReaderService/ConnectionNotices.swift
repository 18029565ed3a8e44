/// What people are shown while an engaged phone has not connected over Bluetooth yet.
struct ConnectionNotices: Sendable {
    let deadlines: PresentationDeadlines
    /// When the engagement was complete.
    let engaged: ContinuousClock.Instant
    let report: @Sendable (PresentationEvent) -> Void

    /// Runs `connecting`, which makes the link. Nothing is reported any more once this returns.
    func during<Value>(_ connecting: () async -> Value) async -> Value {
        async let _: Void = notify()
        return await connecting()
    }

    /// Ends early when it is cancelled, which happens when the link is made.
    private func notify() async {
        let notices: [(Duration, PresentationEvent)] = [
            (deadlines.connecting, .connecting), (deadlines.checkBluetooth, .checkBluetooth),
        ]
        for (wait, event) in notices {
            try? await Task.sleep(until: engaged + wait, clock: .continuous)
            guard !Task.isCancelled else { return }
            report(event)
        }
    }
}
