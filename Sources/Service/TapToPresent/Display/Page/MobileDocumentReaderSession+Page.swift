internal import RequestPlanner
internal import Synchronization

extension MobileDocumentReaderSession {
    /// How long a presentation may take after its phone has come: the holder's and the clerk's time in the daemon, and
    /// some more.
    private static let furtherTime = Duration.seconds(300 + 120 + 60)

    /// The clerk's decision on a document that the private daemon reads.
    func decision(
        at page: ClerkPage, on asked: MobileDocumentPresentation, _ choices: [RequestPlan],
        _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let setup = installation.setup
        let programs = try page.programs(for: setup)
        _ = try installation.policy(for: choices, choosing: policy)
        let order = try PageOrder(asked, choices, setup, token: token, policy: policy)
        await sharedReader.previousHasLeft()
        let time = DisplayTime(setup.timeout + Self.furtherTime)
        let result = await time.spent { time throws(MobileDocumentReaderError) in
            try self.outcome(of: order, during: time) { () throws(MobileDocumentReaderError) in
                try PrivateDaemon(page, programs, for: setup)
            }
        }
        guard !Task.isCancelled else { throw .cancelled(.taskCancelled) }
        return try result.get()
    }

    private func outcome(
        of order: PageOrder, during time: DisplayTime,
        start: () throws(MobileDocumentReaderError) -> PrivateDaemon
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let running = daemon.withLock { $0.flatMap { $0.isRunning ? $0 : nil } }
        let daemon = if let running { running } else { try start() }
        self.daemon.withLock { $0 = daemon }
        guard !time.isOver else { throw .cancelled(.taskCancelled) }
        var last: PagePresentation?
        return try PagePresentation.outcome(of: order, at: daemon, during: time) { presentation in
            MobileDocumentReader.Event.changes(from: last, to: presentation).forEach(hub.send)
            last = presentation
        }
    }
}
