import Deadlines
import Foundation
import HTTPSBench
import JSON
import MdocModel
import OpenSSLCrypto
import ReaderStore
import RecordBench

@testable import Fleet

/// A hub that answers as its test says, and a kiosk that it has enrolled.
struct ScriptedHub {
    static let state = "/fleet/v1/state"
    static let report = "/fleet/v1/report"
    static let receipts = "/fleet/v1/receipts"
    static let certificates = "/fleet/v1/certificates"
    private static let day: Int64 = 86_400

    let scene: FleetScene
    let store = FleetStore()
    let daemon = FakeDaemon()
    let server: ListServer
    private let authority: BenchAuthority

    init() async throws {
        scene = try FleetScene()
        authority = try BenchAuthority()
        server = try await ListServer.start(.tls(authority, showing: .itself), [:])
        _ = try ReaderStore(at: store.path, for: .changing)
        try folder.save(certificate: certificate(fromDay: -10, toDay: 10))
        try Data(authority.pem).write(to: URL(filePath: roots))
        try say()
        for path in [Self.report, "/fleet/v1/receipt-keys"] { server.answer(path, with: .status(204)) }
    }

    private var roots: String { "\(store.path)/authority.pem" }

    /// A certificate for the kiosk's key, or another, that is valid between two days from now.
    func certificate(
        fromDay first: Int64, toDay last: Int64, for other: PrivateKeyBox? = nil
    ) throws -> [UInt8] {
        let now = FleetScene.now.secondsSince1970
        let key = if let other { try other.key.publicKey() } else { try folder.key().publicKey() }
        return try authority.clientCertificate(
            for: key, from: now + first * Self.day, to: now + last * Self.day)
    }

    var folder: FleetFolder { get throws { try FleetFolder(store: store.path) } }

    var settings: KioskSettings {
        get throws { try scene.settings(in: store, of: (server.url(""), roots)) }
    }

    func agent(
        isStopped: Bool = false, log: LogLines = LogLines(),
        _ change: (inout KioskSettings) -> Void = { _ in },
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in }
    ) throws -> FleetAgent {
        try scene.agent(
            daemon, in: store, isStopped: isStopped, of: (server.url(""), roots), log: log,
            setWaiting: setWaiting, change)
    }

    /// Runs the kiosk until the test is through.
    func run(_ agent: FleetAgent, _ body: () async throws -> Void) async throws {
        let task = Task { await agent.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        task.cancel()
        await daemon.release()
        await task.value
        await server.stop()
        try result.get()
    }

    // What it says

    /// The state of the kiosk from now on, and the documents that it names.
    func say(
        isStopped: Bool = false, _ documents: [[UInt8]] = [],
        head: HubState.Head = HubState.Head(sequence: 0, digest: SignedReceipt.origin)
    ) throws {
        let entries = try documents.map { bytes in
            let document = try FleetDocument.parse(bytes).document
            server.answer(Self.path(of: bytes), with: .serving(bytes))
            return HubState.Entry(
                level: document.level, version: document.version, digest: Self.digest(bytes))
        }
        let state = HubState(isStopped: isStopped, documents: entries, receipts: head)
        server.answer(Self.state, with: .serving(state.json.utf8))
    }

    static func path(of document: [UInt8]) -> String {
        "/fleet/v1/documents/\(digest(document).hexadecimal)"
    }

    static func digest(_ document: [UInt8]) -> [UInt8] { Digest(.sha256, of: document[...]).bytes }

    static func problem(_ status: Int, _ id: String, _ detail: String = "") -> ServedAnswer {
        let body = Array(#"{"id": "\#(id)", "detail": "\#(detail)"}"#.utf8)
        return .head(status, length: body.count, then: [.send(body)])
    }

    static let revocation = problem(403, "kioskRevoked")

    // What it heard

    func count(_ path: String) -> Int { server.requests.count { $0.path == path } }

    func until(asked path: String, times: Int = 1) async throws {
        try await Deadlines.until("\(path) is asked for") { count(path) >= times }
    }

    var newestReport: KioskReport? {
        get throws {
            try server.requests.last { $0.path == Self.report }.map {
                try KioskReport(JSONText($0.body[...]))
            }
        }
    }

    /// The results of the newest report, by level.
    var reported: [FleetLevel: String] {
        get throws {
            let entries = try newestReport?.documents ?? []
            return Dictionary(uniqueKeysWithValues: entries.map { ($0.level, $0.result) })
        }
    }

    /// The receipts of each push.
    var pushes: [[[UInt8]]] {
        get throws {
            try server.requests.filter { $0.path == Self.receipts }.map {
                try ReceiptChain(parsing: $0.body).links
            }
        }
    }

    /// Takes whatever receipts are pushed.
    func takeReceipts() {
        server.answer(
            Self.receipts,
            by: { request in
                guard let chain = try? ReceiptChain(parsing: request.body),
                    let last = try? chain.links.last.map({ try SignedReceipt(parsing: $0) })
                else { return .status(400) }
                return .serving(HubState.Head(sequence: last.sequence, digest: last.digest).json.utf8)
            })
    }

    // What the kiosk has

    /// Its certificate, in PEM.
    var kept: [UInt8] { get throws { try Array(Data(contentsOf: URL(filePath: folder.certificatePath))) } }

    /// Has the kiosk write so many receipts, and returns them.
    @discardableResult
    func append(receipts count: Int) throws -> [SignedReceipt] {
        let store = try ReaderStore(at: store.path, for: .changing)
        return try (0..<count).map { _ in try store.append(.sample()) }
    }
}
