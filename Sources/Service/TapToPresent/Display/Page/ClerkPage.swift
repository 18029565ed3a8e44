internal import Foundation
internal import JSON
internal import MdocTrust
internal import RequestPlanner
internal import Synchronization

/// The clerk's page of a `countersignd` that runs for this program alone. The daemon reads the document and
/// derives the outcome from the document and the clerk's decision. This process receives no content of the
/// document.
struct ClerkPage: Sendable {
    /// The environment of this program. Its `PATH` is searched for the daemon and the browser.
    let environment: [String: String]
    /// Configuration members that replace the NFC reader and the Bluetooth adapter in the daemon's lane. Set
    /// by tests, which use a software wallet instead of a phone.
    var device: [(String, JSONValue)]?

    /// The programs that serve and open the page.
    struct Programs {
        let daemon: URL
        let browser: URL
    }

    /// Finds the programs. Throws, before anything is started, if a program or the desktop is missing, if the
    /// setup does not use the trust store's issuers, or if the setup has a presenter.
    func programs(for setup: MobileDocumentReader.Setup) throws(MobileDocumentReaderError) -> Programs {
        guard let daemon = program("countersignd") else { throw .unsupported(.pageDaemonMissing) }
        guard let browser = program("xdg-open") else { throw .unsupported(.pageBrowserMissing) }
        let screens = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { environment[$0] }
        guard screens.contains(where: { !$0.isEmpty }) else { throw .unsupported(.pageScreenMissing) }
        guard case .store = setup.trust else { throw .unsupported(.pageRoots) }
        guard setup.presenter == nil else { throw .unsupported(.pagePresenter) }
        return Programs(daemon: daemon, browser: browser)
    }

    /// Returns the program with this name in `PATH`, or `nil` if there is none.
    private func program(_ name: String) -> URL? {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

extension MobileDocumentReaderError {
    static func unsupported(_ fault: DisplayFault) -> Self { .notSupported(.displayUnavailable(fault)) }
    static func unavailable(_ fault: DisplayFault) -> Self { .serviceUnavailable(.displayUnavailable(fault)) }
}

extension MobileDocumentReaderSession {
    /// The maximum time of a presentation after the phone has arrived: the daemon's limits of 300 s for the
    /// clerk and 120 s for the holder, and a margin of 60 s.
    private static let furtherTime = Duration.seconds(300 + 120 + 60)

    /// Returns the clerk's decision about a document that the private daemon reads.
    func decision(
        at page: ClerkPage, on asked: MobileDocumentPresentation, _ choices: [RequestPlan],
        _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let setup = installation.setup
        let programs = try page.programs(for: setup)
        // Throws before a daemon is started if `policy` is less strict than the policy of the setup. The
        // result is not used: the daemon applies `policy` from the order.
        _ = try installation.policy(for: choices, choosing: policy)
        let order = try PageOrder(asked, choices: choices, setup: setup, token: token, policy: policy)
        // The daemon opens the same devices. This process may still be using them to end the previous
        // transaction.
        await sharedReader.previousHasLeft()
        let time = DisplayTime(setup.timeout + Self.furtherTime)
        let result = await time.runBlocking { time throws(MobileDocumentReaderError) in
            try self.outcome(of: order, during: time) { () throws(MobileDocumentReaderError) in
                try PrivateDaemon(page, programs, for: setup)
            }
        }
        guard !Task.isCancelled else { throw .cancelled(.taskCancelled) }
        return try result.get()
    }

    /// Starts a presentation in the session's private daemon and returns the clerk's decision. Blocks the
    /// calling thread.
    ///
    /// - Parameter start: A function that starts a daemon. It is called if the session has no running daemon.
    private func outcome(
        of order: PageOrder, during time: DisplayTime,
        start: () throws(MobileDocumentReaderError) -> PrivateDaemon
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        // A daemon that has ended is replaced by a new one.
        let running = daemon.withLock { $0.flatMap { $0.isRunning ? $0 : nil } }
        let daemon = if let running { running } else { try start() }
        self.daemon.withLock { $0 = daemon }
        // The task may have been cancelled while the daemon started.
        guard !time.isOver else { throw .cancelled(.taskCancelled) }
        var last: PagePresentation?
        return try PagePresentation.outcome(of: order, at: daemon, during: time) { presentation in
            MobileDocumentReader.Event.changes(from: last, to: presentation).forEach(hub.send)
            last = presentation
        }
    }
}

/// The order for a presentation: the body of the request that starts the presentation in the private daemon.
struct PageOrder: Sendable {
    let body: JSONValue

    init(
        _ asked: MobileDocumentPresentation, choices: [RequestPlan], setup: MobileDocumentReader.Setup,
        token: MobileDocumentReader.Token?, policy: MobileDocumentReader.Setup.Revocation?
    ) throws(MobileDocumentReaderError) {
        let intent = try Self.intent(asked, choices)
        // The page always asks the clerk. In the modes without a decision, the request's plan ignores the
        // clerk's answer.
        var members: [(String, JSONValue)] = [
            ("kind", "display"), ("intent", .string(intent.description)), ("validation", "confirm"),
        ]
        if let token { members.append(("readerToken", .string(token.tokenString))) }
        // The reader token determines the identity that signs the request, and the daemon refuses an order
        // with both a token and an identity.
        if let identity = setup.identity, token == nil { members.append(("identity", .string(identity))) }
        if let policy { members.append(("policy", policy.policy.json)) }
        body = .object(members)
    }

    /// Returns the intent for the order to the daemon. Throws `pageElements` if a requested element cannot be
    /// shown. The page shows only a portrait, names and answers.
    private static func intent(
        _ asked: MobileDocumentPresentation, _ choices: [RequestPlan]
    ) throws(MobileDocumentReaderError) -> RequestIntent {
        guard !asked.elements.contains(.age) else { throw .unsupported(.pageElements) }
        if choices.count == 1, let intent = choices.first?.intent { return intent }
        // An order has one intent for all its document types. The element for a single name differs between
        // the types, so only the whole name can be requested of all types.
        let names = asked.elements.filter { [.familyName, .givenName].contains($0) }
        guard names.count != 1 else { throw .unsupported(.pageElements) }
        let ages = asked.elements.compactMap { if case .ageAtLeast(let years) = $0 { years } else { nil } }
        return RequestIntent(
            names.isEmpty && !ages.isEmpty ? .age : .elements,
            [.portrait(isCompared: true)] + (names.isEmpty ? [] : [.name]) + ages.map { .ageOver($0) },
            from: choices.flatMap(\.intent.documents))
    }
}

extension RevocationPolicy {
    /// The policy in the JSON form that the daemon's configuration and orders use. The member `rental` is the
    /// number of days, at most 365, for which an outdated revocation list is still used.
    var json: JSONValue {
        switch undetermined {
        case .accept: "age"
        case .refuse(let seconds): ["rental": .integer(min(seconds / 86_400, 365))]
        }
    }
}
