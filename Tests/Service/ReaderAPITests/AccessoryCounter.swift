import Accessories
import Foundation
import HTTPServing
import JSON
import Logging
import MdocModel
import MdocTrust
import OpenSSLCrypto
import OtherPrograms
import PortraitDecoding
import ReaderStore
import ReaderTokens
import RecordBench
import Transport

@testable import PresentationService
@testable import ReaderAPI
@testable import ReaderService

/// A counter with two lanes, a scanner and a lock, to which nobody ever comes, over HTTP.
struct AccessoryCounter {
    private struct Idle: LaneDevice {
        func run(_ transaction: ReaderTransaction) async -> Presentation {
            // Ends with the cancellation alone.
            try? await Task.sleep(for: .seconds(3600))
            return Presentation(
                .failure(.cancelled), request: nil, phases: [], rawAnswer: nil, leaving: nil)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness { .ready }
    }

    /// The callers, by the names of their tokens.
    enum Client: String, CaseIterable {
        case accessories
        /// Serves the accessories of the lane `two` alone.
        case other
        case app, clerk, admin

        fileprivate var token: AccessRules.Token {
            let scope = Scope(rawValue: rawValue)
            let digest = Digest(.sha256, of: Array(rawValue.utf8)[...]).bytes
            return switch self {
            case .accessories: .init(name: rawValue, sha256: digest, scopes: [.accessory])
            case .other: .init(name: rawValue, sha256: digest, scopes: [.accessory], lanes: ["two"])
            case .app, .clerk, .admin:
                .init(name: rawValue, sha256: digest, scopes: Set([scope].compactMap(\.self)))
            }
        }
    }

    let coordinator: PresentationCoordinator
    private let port: UInt16
    private let server: Task<Void, any Error>
    private let folder: URL

    init() async throws {
        var output = Output(
            device: .relay(RelayOutput(board: .lcus(device: "/dev/ttyUSB0"))), rule: OutputRule())
        output.isRequired = true
        let accessories = [
            Accessory(
                name: "qr-1", lane: "one", role: .scanner(.hidPOS(HIDPOSScanner())), isTrial: false,
                source: ["name": "qr-1"]),
            Accessory(
                name: "lock", lane: "one", role: .output(output), isTrial: false, source: ["name": "lock"]),
        ]
        // There is no store for a receipt.
        let preset = try Preset(name: "Age 21", intent: "age over 21", retention: .none)
        coordinator = try PresentationCoordinator(
            lanes: ["one", "two"].map {
                ConfiguredLane(Lane(name: $0, device: Idle()), presets: [preset])
            }, basis: FixedBasis(trust: TrustStore(anchors: [])),
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: LogLines().logger, clock: .system, accessories: accessories)
        port = try ReaderDaemon.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "accessories-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var rules = AccessRules()
        rules.tokens = Client.allCases.map(\.token)
        server = try await Self.serve(coordinator, at: port, under: rules, keysIn: folder.path)
    }

    func end() async {
        await coordinator.close()
        server.cancel()
        try? FileManager.default.removeItem(at: folder)
    }

    subscript(client: Client) -> PlainHTTP { PlainHTTP(.tcp(port: port), token: client.rawValue) }

    /// Opens an event stream, and returns once a text has come, with all that came until then.
    func open(
        _ client: Client, until text: String
    ) async throws -> (stream: PlainHTTP.Stream, text: String) {
        let http = self[client]
        let fields = http.headers.map { "\($0): \($1)\r\n" }.joined()
        let stream = try await http.open(
            "GET /v1/accessories/events HTTP/1.1\r\nHost: \(http.host)\r\n\(fields)\r\n")
        var received = ""
        while !received.contains(text) {
            guard let more = try await stream.next() else {
                throw PlainHTTP.Failure(description: "the stream ended: \(received)")
            }
            received += String(decoding: more, as: UTF8.self)
        }
        return (stream, received)
    }

    private static func serve(
        _ coordinator: PresentationCoordinator, at port: UInt16, under rules: AccessRules,
        keysIn folder: String
    ) async throws -> Task<Void, any Error> {
        let log = LogLines().logger
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let brands = BrandFolder(store: "/nonexistent")
        let issuer = ReaderTokenIssuer(
            brands,
            server: TokenServer(audience: ReaderToken.defaultAudience, counting: TokenCountInMemory()),
            audit: log, clock: .system)
        let server = ReaderServer(
            at: .tcp(host: "127.0.0.1", port: Int(port)), coordinator: coordinator,
            brands: BrandRoutes(brands, issuer: issuer), access: AccessBook(rules),
            pages: try PageSessions(store: folder), hosts: HostRules(port: Int(port)), page: PageFiles(),
            connections: 64, metrics: HTTPMetrics(), log: log, listening: { _ in isReady.finish() })
        let task = Task { try await server.run() }
        for await _ in ready {}
        return task
    }
}
