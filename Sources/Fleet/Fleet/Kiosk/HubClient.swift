internal import ErrorMapping
internal import HTTPClient
internal import JSON
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
    private static let connectTimeout = Duration.seconds(5)
    /// The number of connections that are tried for one question. Where strangers crowd a hub, a new connection takes the place of the
    /// oldest whose handshake has not ended.
    private static let mostHandshakes = 3
    /// A connection of a thousand kiosks each is not kept for a question every few minutes.
    private static let keepsConnections = Duration.seconds(10)
    private static let longestAnswer = 1 << 21
    /// In seconds, whatever the hub says.
    private static let longestWait: Int64 = 86_400
    /// In characters: what a hub says goes to the log.
    private static let longestDetail = 300

    private let hubs: [String]
    private let client: CurlClient
    private let timeout: Duration
    /// The place among `hubs` of the one that answered last.
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
        client = CurlClient(
            ClientTrust(
                .pem(try Self.certificates(authority)), showing: try folder.map(Self.credentials)),
            keepsConnections: Self.keepsConnections)
    }

    /// The certificates of a file, in PEM and without anything else that is in it.
    private static func certificates(_ path: String) throws(HubError) -> [UInt8] {
        let bytes = try mapping(PrivateFile.read(path)) { (error: IdentityStoreError) in
            HubError.file(error.explanation)
        }
        guard let certificates = try? PKIX.certificates(fromPEMOrDER: bytes[...]) else {
            throw .file("\(path): there is no certificate in it: name a PEM file")
        }
        return certificates.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }
    }

    private static func credentials(_ folder: FleetFolder) throws(HubError) -> ClientCredentials {
        let certificates = try certificates(folder.certificatePath)
        let key = try mapping(PrivateFile.key(folder.keyPath)) { (error: IdentityStoreError) in
            HubError.file(error.explanation)
        }
        guard let pem = try? key.unprotectedPEM() else {
            throw .file("\(folder.keyPath): there is no private key in it")
        }
        return ClientCredentials(certificates: certificates, key: pem)
    }

    func end() async { await client.close() }

    /// What the hub wants of this kiosk, and the latest receipt that it has.
    func state() async throws(HubError) -> HubState {
        let body = try await get("/fleet/v1/state")
        return try mapping(HubState(body)) { (_: JSONFault) in HubError.malformed }
    }

    /// The body of a successful answer.
    func get(_ path: String) async throws(HubError) -> [UInt8] {
        try await ask(path)
    }

    func post(
        _ path: String, _ body: [UInt8], type: String, headers: [(String, String)] = []
    ) async throws(HubError) -> [UInt8] {
        try await ask(path, sending: body, headers: headers + [("Content-Type", type)])
    }

    private func ask(
        _ path: String, sending body: [UInt8]? = nil, headers: [(String, String)] = []
    ) async throws(HubError) -> [UInt8] {
        var last = HubError.unreachable
        // Other questions may change which hub is preferred while this one asks each hub once.
        let first = preferred
        for step in hubs.indices {
            let place = (first + step) % hubs.count
            do throws(HubError) {
                let answer = try await askHub(hubs[place] + path, sending: body, headers: headers)
                preferred = place
                return answer
            } catch .unreachable {
                continue
            } catch .refused(let status, let id, let detail) where status >= 500 {
                last = .refused(status: status, id: id, detail: detail)
            } catch {
                preferred = place
                throw error
            }
        }
        throw last
    }

    /// - Parameter body: of a POST; nil for a GET.
    private func askHub(
        _ url: String, sending body: [UInt8]?, headers: [(String, String)]
    ) async throws(HubError) -> [UInt8] {
        let request = ClientRequest(
            url, headers: [("User-Agent", "Countersign")] + headers, body: body,
            limits: ClientLimits(
                connect: Self.connectTimeout, whole: timeout, bodySize: Self.longestAnswer))
        let answer: ClientResponse
        do throws(ClientError) {
            answer = try await send(request)
        } catch {
            switch error {
            case .tooLarge: throw .malformed
            case .libraryMissing: throw .file("libcurl is not installed: apt-get install libcurl4")
            default: throw .unreachable
            }
        }
        if answer.status == 429, let seconds = answer.values(of: "retry-after").first.flatMap(Int64.init) {
            throw .tooMany(retryAfter: min(max(1, seconds), Self.longestWait))
        }
        guard (200..<300).contains(answer.status) else {
            throw Self.refusal(answer)
        }
        return answer.body
    }

    /// Sends a request, again where the hub ended the connection before the handshake did: it has not seen the request then.
    private func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        for _ in 1..<Self.mostHandshakes {
            do throws(ClientError) {
                return try await client.send(request)
            } catch .unreachable {
                continue
            } catch .tls(.handshakeFailed) {
                continue
            }
        }
        return try await client.send(request)
    }

    /// The problem (RFC 9457) of an answer, fit for a line of a log.
    private static func refusal(_ answer: ClientResponse) -> HubError {
        let members = try? JSONText(answer.body[...]).members()
        let id = (try? members?["id"]?.string(upTo: 64)) ?? ""
        let detail = (try? members?["detail"]?.string(upTo: longestAnswer)) ?? ""
        return .refused(
            status: answer.status, id: Terminal.safe(id, limit: 64),
            detail: Terminal.safe(detail, limit: longestDetail))
    }
}

/// Reader tokens that the hub makes for this kiosk.
package struct KioskTokens: Sendable {
    private static let longestToken = 4096

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let revoked: @Sendable () -> Void

    /// - Parameter revoked: is called where the hub refuses a token since this kiosk is revoked.
    package init(
        _ settings: KioskSettings, _ folder: FleetFolder, revoked: @escaping @Sendable () -> Void = {}
    ) {
        self.settings = settings
        self.folder = folder
        self.revoked = revoked
    }

    /// A token of a brand for one reader, asked for with the certificate that the kiosk has now.
    package func token(brand: String, instance: String) async throws(HubError) -> String {
        let request: JSONValue = ["brand": .string(brand), "instance": .string(instance)]
        let hub = try HubClient(settings.hubs, authority: settings.authority, as: folder)
        let answer: Result<[UInt8], HubError>
        do throws(HubError) {
            answer = .success(
                try await hub.post("/fleet/v1/reader-tokens", request.utf8, type: "application/json"))
        } catch {
            if error.isRevocation { revoked() }
            answer = .failure(error)
        }
        await hub.end()
        let body = try answer.get()
        return try mapping(
            JSONText(body[...]).members().required("token").string(upTo: Self.longestToken)
        ) { (_: JSONFault) in HubError.malformed }
    }
}
