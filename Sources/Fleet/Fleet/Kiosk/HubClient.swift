internal import ErrorMapping
internal import HTTPClient
internal import JSON
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// The reason why a request to the hub failed.
package enum HubError: Error, Equatable, Sendable {
    /// No hub answers with a certificate from a root of `fleet.authority`.
    case unreachable
    /// The hub refused the request with this HTTP status and problem (RFC 9457). `id` and `detail` are empty
    /// if the answer contains none.
    case refused(status: Int, id: String, detail: String = "")
    /// The kiosk has sent too many requests (status 429). The hub answers again after this number of seconds.
    case tooMany(retryAfter: Int64)
    /// The answer does not follow the protocol or is too long.
    case malformed
    /// A file of the kiosk cannot be read. The associated value is the reason.
    case file(String)

    /// Whether the hub says that this kiosk is revoked.
    package var isRevocation: Bool {
        if case .refused(403, "kioskRevoked", _) = self { true } else { false }
    }

    /// A message that says what is wrong and what to do.
    package var explanation: String {
        switch self {
        case .unreachable:
            "no hub in fleet.hubs answers, or its certificate is not from a root in fleet.authority: check both settings, and that a hub is running"
        case .refused(let status, let id, let detail):
            "the hub refused the request with status \(status)\(id.isEmpty ? "" : " \(id)"): \(detail.isEmpty ? "see the hub's log" : detail)"
        case .tooMany(let seconds):
            "the hub accepts no more requests from this kiosk for now: wait \(seconds) s"
        case .malformed:
            "the hub's answer does not have the expected format: check fleet.hubs, and that the hub's version is not older than the kiosk's"
        case .file(let why): why
        }
    }
}

/// The HTTP client of a kiosk for its hubs, over TLS. The client presents the kiosk's certificate if the
/// kiosk has one.
///
/// The client begins with the hub that answered last, and tries the next when a hub is unreachable or answers
/// with 5xx. Any other refusal is final, because all hubs share one database.
///
/// Limits: 5 s for a connection, 20 s for a request, 2 MiB for an answer.
actor HubClient {
    /// The maximum number of connections for one request. A hub with too many connections of unknown clients
    /// closes the oldest connection whose handshake is incomplete. This may be the kiosk's connection.
    private static let mostHandshakes = 3
    /// The time for which an idle connection stays open. The time is short, because a hub may serve a
    /// thousand kiosks, each of which sends a request only every few minutes.
    private static let keepsConnections = Duration.seconds(10)
    /// The maximum size of an answer, in bytes.
    private static let longestAnswer = 1 << 21
    /// The maximum wait that a hub can impose, in seconds.
    private static let longestWait: Int64 = 86_400
    /// The maximum length of a problem's detail text (RFC 9457) in the log, in characters.
    private static let longestDetail = 300

    private let hubs: [String]
    private let client: CurlClient
    private let timeout: Duration
    /// The maximum time for one connection, with its TLS handshake: a quarter of `timeout`, so that the time
    /// suffices for `mostHandshakes` connections.
    private var connectTimeout: Duration { max(.seconds(1), timeout / 4) }
    /// The index in `hubs` of the hub that answered last.
    private var preferred = 0

    /// - Parameters:
    ///   - authority: The PEM file with the roots of the hubs' certificates.
    ///   - folder: The folder with the kiosk's certificate and key, or `nil` to connect without a
    ///     certificate.
    ///   - timeout: The maximum time for each hub, from the connection to the last byte of its answer.
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

    /// Returns the certificates of a PEM file, and leaves out everything else that the file contains.
    private static func certificates(_ path: String) throws(HubError) -> [UInt8] {
        let bytes = try mapping(PrivateFile.read(path)) { (error: IdentityStoreError) in
            HubError.file(error.explanation)
        }
        guard let certificates = try? PKIX.certificates(fromPEMOrDER: bytes[...]) else {
            throw .file("\(path) contains no certificate: name a PEM file")
        }
        return certificates.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }
    }

    /// Reads the certificate and the private key that identify the kiosk in TLS.
    private static func credentials(_ folder: FleetFolder) throws(HubError) -> ClientCredentials {
        let certificates = try certificates(folder.certificatePath)
        let key = try mapping(PrivateFile.key(folder.keyPath)) { (error: IdentityStoreError) in
            HubError.file(error.explanation)
        }
        guard let pem = try? key.unprotectedPEM() else {
            throw .file("\(folder.keyPath) contains no private key")
        }
        return ClientCredentials(certificates: certificates, key: pem)
    }

    func end() async { await client.close() }

    /// Requests the state that the hub wants for this kiosk. The answer also contains the number and digest
    /// of the latest receipt that the hub has stored, and the highest version of receipts that the hub knows.
    func state() async throws(HubError) -> HubState {
        let answer = try await ask("/fleet/v1/state")
        let state = try mapping(HubState(answer.body)) { (_: JSONFault) in HubError.malformed }
        return state.announcing(answer.values(of: HubState.receiptVersionHeader).first)
    }

    /// Sends a GET request and returns the body of a successful answer.
    func get(_ path: String) async throws(HubError) -> [UInt8] {
        try await ask(path).body
    }

    /// Sends a POST request and returns the body of a successful answer.
    func post(
        _ path: String, _ body: [UInt8], type: String, headers: [(String, String)] = []
    ) async throws(HubError) -> [UInt8] {
        try await ask(path, sending: body, headers: headers + [("Content-Type", type)]).body
    }

    /// Sends a request to the hubs one after another, beginning with the hub that answered last, until one
    /// answers. An answer with a 5xx status does not count. Throws the last 5xx problem, or `unreachable`, if
    /// no hub is left.
    private func ask(
        _ path: String, sending body: [UInt8]? = nil, headers: [(String, String)] = []
    ) async throws(HubError) -> ClientResponse {
        var last = HubError.unreachable
        // The first hub is fixed for this request. Other requests may change `preferred` while this request
        // tries each hub once.
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
                // A refusal is an answer too, so later requests begin with this hub.
                preferred = place
                throw error
            }
        }
        throw last
    }

    /// Sends a request to one hub and returns a successful answer.
    ///
    /// - Parameter body: The body of a POST, or `nil` for a GET.
    private func askHub(
        _ url: String, sending body: [UInt8]?, headers: [(String, String)]
    ) async throws(HubError) -> ClientResponse {
        let request = ClientRequest(
            url, headers: [("User-Agent", "Countersign")] + headers, body: body,
            limits: ClientLimits(
                connect: connectTimeout, whole: timeout, bodySize: Self.longestAnswer))
        let answer: ClientResponse
        do throws(ClientError) {
            answer = try await send(request)
        } catch {
            switch error {
            case .tooLarge: throw .malformed
            case .libraryMissing: throw .file("libcurl is not installed: apt-get install libcurl4")
            // All other errors are faults of the connection, after which `ask` tries the next hub.
            default: throw .unreachable
            }
        }
        if answer.status == 429, let seconds = answer.values(of: "retry-after").first.flatMap(Int64.init) {
            throw .tooMany(retryAfter: min(max(1, seconds), Self.longestWait))
        }
        guard (200..<300).contains(answer.status) else {
            throw Self.refusal(answer)
        }
        return answer
    }

    /// Sends a request. If the hub closed the connection before the TLS handshake was complete, the request
    /// is sent again immediately, because the hub cannot have received it.
    private func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        // One attempt fewer than the maximum, because the last attempt follows after the loop.
        for _ in 1..<Self.mostHandshakes {
            do throws(ClientError) {
                return try await client.send(request)
            } catch .unreachable {
                continue
            } catch .tls(.handshakeFailed) {
                continue
            }
        }
        // The last attempt is outside the loop, so that its error reaches the caller.
        return try await client.send(request)
    }

    /// Returns the problem (RFC 9457) of an answer, with its text made safe for a log.
    private static func refusal(_ answer: ClientResponse) -> HubError {
        // Both texts stay empty if the answer is not a problem document (RFC 9457).
        let members = try? JSONText(answer.body[...]).members()
        let id = (try? members?["id"]?.string(upTo: 64)) ?? ""
        let detail = (try? members?["detail"]?.string(upTo: longestAnswer)) ?? ""
        return .refused(
            status: answer.status, id: Terminal.safe(id, limit: 64),
            detail: Terminal.safe(detail, limit: longestDetail))
    }
}

/// The source of reader tokens that the hub makes for this kiosk. A reader token is a signed text which
/// states that this reader may make requests in a brand's name.
package struct KioskTokens: Sendable {
    /// The maximum length of a token, in bytes.
    private static let longestToken = 4096

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let revoked: @Sendable () -> Void

    /// - Parameter revoked: A function that is called when the hub refuses a token because this kiosk is
    ///   revoked.
    package init(
        _ settings: KioskSettings, _ folder: FleetFolder, revoked: @escaping @Sendable () -> Void = {}
    ) {
        self.settings = settings
        self.folder = folder
        self.revoked = revoked
    }

    /// Requests a brand's token for one reader from the hub. The request uses the kiosk's current
    /// certificate.
    package func token(brand: String, instance: String) async throws(HubError) -> String {
        let request: JSONValue = ["brand": .string(brand), "instance": .string(instance)]
        let hub = try HubClient(settings.hubs, authority: settings.authority, as: folder)
        // The outcome is stored as a `Result`, so that the client is also closed after a failure.
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
