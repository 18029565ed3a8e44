internal import Foundation
internal import JSON
internal import MdocTrust
internal import RequestPlanner
internal import Synchronization

/// The clerk's page of a `countersignd` that runs for this program alone. That daemon reads the document and decides
/// by the clerk's word: this process gets nothing of the document.
struct ClerkPage: Sendable {
    /// Its `PATH` leads to the programs.
    let environment: [String: String]
    /// Members of the daemon's lane in place of reader and adapter.
    var device: [(String, JSONValue)]?

    /// What the page is opened with.
    struct Programs {
        let daemon: URL
        let browser: URL
    }

    /// Throws what is missing, before anything is started.
    func programs(for setup: MobileDocumentReader.Setup) throws(MobileDocumentReaderError) -> Programs {
        guard let daemon = program("countersignd") else { throw .unsupported(.pageDaemonMissing) }
        guard let browser = program("xdg-open") else { throw .unsupported(.pageBrowserMissing) }
        let screens = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { environment[$0] }
        guard screens.contains(where: { !$0.isEmpty }) else { throw .unsupported(.pageScreenMissing) }
        guard case .store = setup.trust else { throw .unsupported(.pageRoots) }
        guard setup.presenter == nil else { throw .unsupported(.pagePresenter) }
        return Programs(daemon: daemon, browser: browser)
    }

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
        let order = try PageOrder(asked, choices: choices, setup: setup, token: token, policy: policy)
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

/// What the daemon of the clerk's page is asked for.
struct PageOrder: Sendable {
    let body: JSONValue

    init(
        _ asked: MobileDocumentPresentation, choices: [RequestPlan], setup: MobileDocumentReader.Setup,
        token: MobileDocumentReader.Token?, policy: MobileDocumentReader.Setup.Revocation?
    ) throws(MobileDocumentReaderError) {
        let intent = try Self.intent(asked, choices)
        var members: [(String, JSONValue)] = [
            ("kind", "display"), ("intent", .string(intent.description)), ("validation", "confirm"),
        ]
        if let token { members.append(("readerToken", .string(token.tokenString))) }
        if let identity = setup.identity, token == nil { members.append(("identity", .string(identity))) }
        if let policy { members.append(("policy", policy.policy.json)) }
        body = .object(members)
    }

    /// The page has portrait, names and answers.
    private static func intent(
        _ asked: MobileDocumentPresentation, _ choices: [RequestPlan]
    ) throws(MobileDocumentReaderError) -> RequestIntent {
        guard !asked.elements.contains(.age) else { throw .unsupported(.pageElements) }
        if choices.count == 1, let intent = choices.first?.intent { return intent }
        // Each kind of document has its own elements for one name; all have the whole name.
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
    /// As the daemon's file and orders have it, which take a year at most.
    var json: JSONValue {
        switch undetermined {
        case .accept: "age"
        case .refuse(let seconds): ["rental": .integer(min(seconds / 86_400, 365))]
        }
    }
}
