internal import AsyncHTTPClient
internal import JSON
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// Why the hub did not give what was asked.
package enum HubError: Error, Equatable, Sendable {
    /// No hub answers, or its certificate is of no root of `fleet.authority`.
    case unreachable
    /// The hub refused with a status, the id of its problem and what it says of it; both are empty if the answer has none.
    case refused(status: Int, id: String, detail: String = "")
    /// It was asked too often (429); after how many seconds it answers again.
    case tooMany(retryAfter: Int64)
    /// The answer is not what the protocol says, or too long.
    case malformed
    /// A file of the kiosk cannot be read.
    case file(String)

    /// Whether the hub says that this kiosk is revoked.
    package var isRevocation: Bool {
        if case .refused(403, "kioskRevoked", _) = self { true } else { false }
    }

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .unreachable:
            "no hub of fleet.hubs answers, or its certificate is of no root of fleet.authority: check both, and that a hub runs"
        case .refused(let status, let id, let detail):
            "the hub refuses with \(status)\(id.isEmpty ? "" : " \(id)"): \(detail.isEmpty ? "see its log" : detail)"
        case .tooMany(let seconds): "the hub takes no more of this kiosk for now: wait \(seconds) s"
        case .malformed:
            "the answer is not one that this version knows: check fleet.hubs, and that the hub is not older than the kiosk"
        case .file(let why): why
        }
    }
}

/// Requests of a kiosk to its hubs over TLS, with its certificate once it has one. Of several hubs the one that answered last is
/// asked first.
actor HubClient {
    private static let connectTimeout = TimeAmount.seconds(5)
    private static let longestAnswer = 1 << 21
    /// In seconds, whatever the hub says.
    private static let longestWait: Int64 = 86_400
    /// In characters: what a hub says goes to the log.
    private static let longestDetail = 300

    private let hubs: [String]
    private let client: HTTPClient
    private let timeout: Duration
    private var preferred = 0

    /// - Parameters:
    ///   - authority: the file with the roots of the hubs' certificates.
    ///   - folder: where the kiosk's certificate and key are; nil to ask without.
    ///   - timeout: for each hub, from the connection to the last byte of its answer.
    init(
        _ hubs: [String], authority: String, as folder: FleetFolder?, timeout: Duration = .seconds(20)
    ) throws(HubError) {
        self.hubs = hubs
        self.timeout = timeout
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        tls.shutdownTimeout = .milliseconds(200)
        do {
            tls.trustRoots = .certificates(try Self.certificates(authority))
            if let folder {
                tls.certificateChain = try Self.certificates(folder.certificatePath).map {
                    .certificate($0)
                }
                let key = try PrivateFile.withSecret(folder.keyPath) { bytes throws(IdentityStoreError) in
                    try? NIOSSLPrivateKey(bytes: Array(bytes.withoutByteOrderMark), format: .pem)
                }
                guard let key else { throw HubError.file("\(folder.keyPath): there is no private key in it") }
                tls.privateKey = .privateKey(key)
            }
        } catch let error as IdentityStoreError {
            throw .file(error.explanation)
        } catch let error as HubError {
            throw error
        } catch {
            throw .file("\(authority): there is no certificate in it: name a PEM file")
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connectTimeout), decompression: .disabled)
        configuration.httpVersion = .http1Only
        // A connection of a thousand kiosks each is not kept for a question every few minutes.
        configuration.connectionPool.idleTimeout = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    private static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        try PKIX.certificates(fromPEMOrDER: PrivateFile.read(path)[...]).map {
            try NIOSSLCertificate(bytes: Array($0.der), format: .der)
        }
    }

    func end() async { try? await client.shutdown() }

    /// The body of a successful answer.
    func get(_ path: String) async throws(HubError) -> [UInt8] {
        try await ask(.GET, path, nil, [])
    }

    func post(
        _ path: String, _ body: [UInt8], type: String, headers: [(String, String)] = []
    ) async throws(HubError) -> [UInt8] {
        try await ask(.POST, path, body, headers + [("Content-Type", type)])
    }

    private func ask(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: [(String, String)]
    ) async throws(HubError) -> [UInt8] {
        var last = HubError.unreachable
        for _ in hubs {
            let hub = hubs[preferred % hubs.count]
            do throws(HubError) {
                return try await ask(hub, method, path, body, headers)
            } catch .unreachable {
                preferred += 1
            } catch .refused(let status, let id, let detail) where status >= 500 {
                preferred += 1
                last = .refused(status: status, id: id, detail: detail)
            }
        }
        throw last
    }

    private func ask(
        _ hub: String, _ method: HTTPMethod, _ path: String, _ body: [UInt8]?,
        _ headers: [(String, String)]
    ) async throws(HubError) -> [UInt8] {
        var request = HTTPClientRequest(url: hub + path)
        request.method = method
        request.headers.add(name: "User-Agent", value: "Countersign")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let answer: Answer
        do {
            answer = try await exchange(request)
        } catch is NIOTooManyBytesError {
            throw .malformed
        } catch {
            throw .unreachable
        }
        if answer.status == 429, let seconds = answer.retryAfter {
            throw .tooMany(retryAfter: min(max(1, seconds), Self.longestWait))
        }
        guard (200..<300).contains(answer.status) else {
            throw Self.refusal(answer)
        }
        return answer.body
    }

    private struct Answer {
        let status: Int
        let retryAfter: Int64?
        let body: [UInt8]
    }

    /// A hub's whole answer: one that comes byte by byte has no more time than another.
    private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
        let (client, timeout) = (client, timeout)
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask {
                let response = try await client.execute(request, timeout: TimeAmount(timeout))
                return Answer(
                    status: Int(response.status.code),
                    retryAfter: response.headers.first(name: "Retry-After").flatMap { Int64($0) },
                    body: Array(
                        try await response.body.collect(upTo: Self.longestAnswer).readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw HubError.unreachable
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw HubError.unreachable }
            return answer
        }
    }

    /// The problem (RFC 9457) of an answer, fit for a line of a log.
    private static func refusal(_ answer: Answer) -> HubError {
        let members = try? JSONText(answer.body[...]).members()
        let id = (try? members?["id"]?.string(upTo: 64)) ?? ""
        let detail = (try? members?["detail"]?.string(upTo: longestAnswer)) ?? ""
        return .refused(
            status: answer.status, id: Terminal.safe(id, limit: 64),
            detail: Terminal.safe(detail, limit: longestDetail))
    }
}
