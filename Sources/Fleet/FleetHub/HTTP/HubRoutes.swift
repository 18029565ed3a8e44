internal import ErrorMapping
internal import Fleet
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
package import Logging
package import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore
internal import ReaderStore
internal import Transport

/// The routes of a hub. `HubServer` calls each handler with a request from the network, in a separate task
/// for each request.
///
/// Every kiosk route except the one for certificates begins with `kiosk(_:)`, which identifies the kiosk by
/// its certificate and checks in the database that this key is still enrolled. A revocation therefore takes
/// effect with the next request. The routes that give a kiosk credentials check again before they answer.
///
/// - `POST /fleet/v1/certificates` enrols a kiosk with a one-time code, or renews its certificate. It needs
///   no certificate, so the number of such requests at the same time is limited.
/// - `GET /fleet/v1/state` and `/fleet/v1/documents/{digest}` offer documents.
/// - `POST /fleet/v1/report`, `/receipt-keys` and `/receipts` store what a kiosk sends.
/// - `POST /fleet/v1/broker-password` and `/reader-tokens` give a kiosk credentials.
/// - `GET /healthz` and the routes of `OperatorRoutes` are not for kiosks.
///
/// The routes only translate between HTTP and `HubDatabase`, which implements the rules. A hub signs no
/// documents: it only stores and returns them. Nothing that a kiosk sends changes another kiosk's data.
package struct HubRoutes: Sendable {
    /// A method and path with the function that handles its requests.
    struct Route: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let handler: @Sendable (HubCall) async throws(HubProblem) -> Response
    }

    /// The maximum size of a push of receipts, in bytes.
    private static let largestPush = 1 << 20

    private let database: HubDatabase
    private let authority: HubAuthority
    private let broker: HubBroker
    private let operators: OperatorRoutes
    private let tokens: HubTokens?
    private let audit: Logger
    /// The log for refusals, with a limited number of lines. An unknown client or a captured kiosk can cause
    /// such refusals repeatedly.
    private let refusals: LimitedLog
    private let health: HubHealth
    /// The limit on simultaneous certificate requests of unknown callers: four are answered at a time, and at
    /// most 256 wait. Anyone can send such a request, and without the limit these requests could occupy all
    /// connections to the database.
    let enrolments = WorkPlaces(count: 4, mostWaiting: 256)
    /// The separate limit for renewals by kiosks that show their certificate. Unknown callers do not count
    /// towards this limit. A single kiosk cannot use up this limit either, because a kiosk may have only a
    /// few connections.
    private let renewals = WorkPlaces(count: 4, mostWaiting: 256)
    private let now: @Sendable () -> Timestamp

    /// - Parameter tokens: The token server, or `nil` if this hub makes no reader tokens.
    package init(
        _ database: HubDatabase, authority: HubAuthority, broker: HubBroker, operators: OperatorRoutes,
        tokens: HubTokens?, audit: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.authority = authority
        self.broker = broker
        self.operators = operators
        self.tokens = tokens
        self.audit = audit
        refusals = LimitedLog(audit, sourceKey: "kiosk")
        health = HubHealth { () throws(PostgreSQLError) in try await database.ping() }
        self.now = now
    }

    var all: [Route] {
        [
            Route(method: .get, path: "/healthz") { _ throws(HubProblem) in
                .json(try await health.current())
            },
            Route(method: .post, path: "/fleet/v1/certificates") { call throws(HubProblem) in
                try await certify(call)
            },
            Route(method: .get, path: "/fleet/v1/state") { call throws(HubProblem) in try await state(call) },
            Route(method: .get, path: "/fleet/v1/documents/{digest}") { call throws(HubProblem) in
                try await document(call)
            },
            Route(method: .post, path: "/fleet/v1/report") { call throws(HubProblem) in
                try await report(call)
            },
            Route(method: .post, path: "/fleet/v1/broker-password") { call throws(HubProblem) in
                try await brokerPassword(call)
            },
            Route(method: .post, path: "/fleet/v1/receipt-keys") { call throws(HubProblem) in
                try await receiptKeys(call)
            },
            Route(method: .post, path: "/fleet/v1/receipts") { call throws(HubProblem) in
                try await receipts(call)
            },
            Route(method: .post, path: "/fleet/v1/reader-tokens") { call throws(HubProblem) in
                try await readerToken(call)
            },
        ] + operators.all
    }

    // MARK: The calling kiosk

    /// Returns the kiosk whose certificate the client presented. Throws unless the kiosk's key is enrolled
    /// and not revoked.
    private func kiosk(_ call: HubCall) async throws(HubProblem) -> KioskRecord {
        guard let der = await call.peerCertificate() else { throw .certificateRequired }
        return try await kiosk(showing: der)
    }

    /// Returns the kiosk of a certificate in DER. Throws unless the kiosk's key is enrolled and not revoked.
    private func kiosk(showing der: [UInt8]) async throws(HubProblem) -> KioskRecord {
        guard let (name, key) = Self.kiosk(in: der) else { throw .kioskUnknown }
        return try await kiosk(name, with: key)
    }

    /// Returns the kiosk's name and key in a certificate, or `nil` if the certificate is not a kiosk's. Does
    /// not check that the kiosk is still enrolled.
    static func kiosk(in der: [UInt8]) -> (name: FleetName, key: SubjectPublicKeyInfo)? {
        // A certificate for server authentication is not a kiosk's: the authority also certifies hubs and the
        // broker.
        guard let certificate = try? Certificate(der: der[...]),
            certificate.extendedKeyUsage == [.clientAuthentication],
            let name = certificate.subject.commonName.flatMap({ FleetName($0) })
        else { return nil }
        return (name, certificate.subjectPublicKeyInfo)
    }

    /// Returns the kiosk with this name. Throws unless this key is enrolled for the kiosk and not revoked.
    private func kiosk(
        _ name: FleetName, with key: SubjectPublicKeyInfo
    ) async throws(HubProblem) -> KioskRecord {
        let record = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.kiosks.named(name)
        }
        let digest = Self.digest(key)
        guard let record, constantTimeEquals(record.keyDigest[...], digest[...]) else {
            // This key may have been revoked earlier under this name, which now belongs to another computer.
            let isRevoked = try await HubProblem.asking { () throws(PostgreSQLError) in
                try await database.kiosks.isRevoked(digest)
            }
            throw isRevoked ? .kioskRevoked : .kioskUnknown
        }
        guard record.state == .active, !record.isKeyRevoked else { throw .kioskRevoked }
        return record
    }

    private static func digest(_ key: SubjectPublicKeyInfo) -> [UInt8] {
        Digest(.sha256, of: key.encoding).bytes
    }

    // MARK: Certificates

    /// Issues a kiosk's certificate. The first one requires a one-time code. Later ones require no code, but
    /// only for the enrolled key.
    ///
    /// The request is signed by the kiosk's key. If somebody sends the request again, the new certificate is
    /// useless without that key.
    private func certify(_ call: HubCall) async throws(HubProblem) -> Response {
        let body = try await call.body(upTo: VerifiedCertificationRequest.maximumSize)
        guard let request = try? VerifiedCertificationRequest(der: body[...]),
            request.subjectPublicKeyInfo.curve == .p256,
            request.subject.organizationName == database.chain.text,
            let name = request.subject.commonName.flatMap({ FleetName($0) })
        else { throw .requestRefused }
        let shown = await call.peerCertificate().flatMap { Self.kiosk(in: $0)?.name }
        // A kiosk that shows its own certificate has a separate limit, which unknown callers cannot use up.
        let places = shown == name ? renewals : enrolments
        guard await places.enter() else { throw .tooManyEnrolments }
        defer { places.leave() }
        return try await certify(request, as: name, asked: call)
    }

    /// Issues a certificate for a request that the limit has admitted. Enrols the kiosk if the request
    /// contains a code, and otherwise renews the certificate.
    private func certify(
        _ request: VerifiedCertificationRequest, as name: FleetName, asked call: HubCall
    ) async throws(HubProblem) -> Response {
        let (time, digest) = (now(), Self.digest(request.subjectPublicKeyInfo))
        if let code = call.bearer {
            do throws(HubProblem) {
                try await enrol(name, by: code, keyDigest: digest, at: time)
            } catch {
                // `refusals` limits the number of log lines, because the client has not proved that it is
                // this kiosk.
                refusals.warning(
                    "a code is refused", ["kiosk": "\(name)", "id": "\(error.id.rawValue)"])
                throw error
            }
            audit.notice("a kiosk is enrolled", metadata: ["kiosk": "\(name)"])
        } else {
            // The record is discarded, because only the check matters: a request without a code is accepted
            // only for an enrolled key.
            _ = try await kiosk(name, with: request.subjectPublicKeyInfo)
            // A renewal needs no certificate, but if the client shows one, it must be this kiosk's.
            if let shown = await call.peerCertificate() {
                guard try await kiosk(showing: shown).name == name else { throw .kioskUnknown }
            }
        }
        let pem = try certificate(request, as: name, at: time)
        if call.bearer == nil {
            // The renewal is counted only after the certificate was made, because a fault of the authority's
            // key must not use up the kiosk's limit.
            try await count(.renewals, of: name)
            audit.notice("a certificate is renewed", metadata: ["kiosk": "\(name)"])
        }
        return .bytes(pem, type: "application/x-pem-file")
    }

    /// Makes the certificate. If the authority's key cannot be used, the reason goes to the hub's log only,
    /// and the kiosk gets the problem `failed`.
    private func certificate(
        _ request: VerifiedCertificationRequest, as name: FleetName, at time: Timestamp
    ) throws(HubProblem) -> [UInt8] {
        do throws(IdentityStoreError) {
            return try authority.certify(request, as: name, of: database.chain, at: time)
        } catch {
            audit.error("the authority's key cannot be used", metadata: ["why": "\(error.explanation)"])
            throw .failed
        }
    }

    /// Enrols a kiosk's key with a one-time code. If the kiosk cannot be enrolled, throws the problem that
    /// explains why.
    private func enrol(
        _ name: FleetName, by code: String, keyDigest digest: [UInt8], at time: Timestamp
    ) async throws(HubProblem) {
        let isEnrolled: Bool
        do throws(PostgreSQLError) {
            isEnrolled = try await database.kiosks.enrol(name, code: code, keyDigest: digest, at: time)
        } catch .failed(code: HubDatabase.keyTaken) {
            throw .kioskKeyTaken
        } catch {
            throw .databaseUnavailable(error)
        }
        if isEnrolled { return }
        // A revoked key cannot be enrolled with any code, so the kiosk must make a new key.
        let isRevoked = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.kiosks.isRevoked(digest)
        }
        throw isRevoked ? .kioskRevoked : .codeRefused
    }

    // MARK: The desired state

    /// Answers with the desired state of the kiosk: whether it is stopped, its documents, and its latest
    /// receipt. A header has the highest version of receipts that this hub knows.
    private func state(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        let documents = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.documents.newest(for: kiosk)
        }
        var response = Response.json(
            HubState(isStopped: kiosk.isStopped, documents: documents, receipts: kiosk.expected).json)
        // `HTTPField.Name` has no constant for this header, and its initializer can return `nil`.
        if let name = HTTPField.Name(HubState.receiptVersionHeader) {
            response.headers[name] = "\(ReceiptContent.latestVersion)"
        }
        return response
    }

    /// Answers with the document that has the SHA-256 in the path, if the document is for this kiosk.
    private func document(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        guard let digest = try call.parameter("digest").utf8.bytesOfHexadecimal, digest.count == 32 else {
            throw .documentUnknown
        }
        let bytes = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.documents.document(digest, for: kiosk)
        }
        guard let bytes else { throw .documentUnknown }
        return .bytes(bytes, type: "application/cose")
    }

    /// Stores the kiosk's report, unless the kiosk has reached its hourly limit.
    private func report(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        let body = try await call.body(upTo: KioskReport.maximumSize)
        let report = try mapping(KioskReport(JSONText(body[...])), \JSONFault.problem)
        let time = now()
        let seconds = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.kiosks.record(report, of: kiosk, at: time)
        }
        if let seconds { throw .tooMany(.reports, retryAfter: seconds) }
        return .noContent
    }

    /// Counts an action of a kiosk, or throws if the kiosk has reached its hourly limit.
    private func count(_ limit: HourlyLimit, of kiosk: FleetName) async throws(HubProblem) {
        let seconds = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.kiosks.count(limit, of: kiosk)
        }
        if let seconds { throw .tooMany(limit, retryAfter: seconds) }
    }

    /// Answers with the kiosk's account at the broker and a new password for it.
    private func brokerPassword(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        // The request counts even if the broker does not answer, because the broker may have created the
        // account.
        try await count(.passwords, of: kiosk.name)
        guard let access = await broker.makeAccount(of: kiosk.name) else { throw .brokerUnavailable }
        do throws(HubProblem) {
            // The record is discarded, because only the check matters: it throws if the kiosk was revoked in
            // the meantime.
            _ = try await self.kiosk(call)
        } catch {
            // If the kiosk was revoked while its account was created, the broker may have removed the former
            // account before it created this one. So the removal is queued again.
            try await HubProblem.asking { () throws(PostgreSQLError) in
                try await database.kiosks.removeAccount(of: kiosk.name)
            }
            throw error
        }
        return .json(access.json)
    }

    // MARK: Reader tokens

    /// Makes a reader token for a kiosk that is neither stopped nor revoked.
    private func readerToken(_ call: HubCall) async throws(HubProblem) -> Response {
        // This call only refuses an unknown caller before the body is read, so its result is not used.
        _ = try await kiosk(call)
        guard let tokens else { throw .tokensAbsent }
        let body = try await call.body(upTo: HubTokens.largestRequest)
        // The kiosk is checked again, because it may have been stopped or revoked while the body arrived.
        let kiosk = try await kiosk(call)
        guard !kiosk.isStopped else { throw .kioskStopped }
        return try await tokens.respond(to: body, of: kiosk, audit: audit, at: now())
    }

    // MARK: Receipts

    /// Adds the receipt keys that a kiosk sends in PEM. The body may be up to 32 KiB long, which is enough
    /// for the maximum of 64 keys.
    private func receiptKeys(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        let body = try await call.body(upTo: 1 << 15)
        guard let blocks = try? PEM.decode(body[...], label: "PUBLIC KEY"),
            (1...Int(HubReceipts.mostKeys)).contains(blocks.count)
        else { throw HubProblem(.bodyRefused, status: 400, "the body is not a list of public keys in PEM") }
        var keys: [ReceiptPublicKey] = []
        for block in blocks {
            guard let key = Self.receiptKey(block) else {
                throw HubProblem(.bodyRefused, status: 400, "a key is not on the curve P-256")
            }
            keys.append(key)
        }
        let (all, time) = (keys, now())
        let outcome = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.receipts.add(all, of: kiosk.name, at: time)
        }
        switch outcome {
        case .added: return .noContent
        case .replaced(let epoch):
            audit.notice(
                "the receipts of a kiosk now come from another computer",
                metadata: ["kiosk": "\(kiosk.name)", "epoch": "\(epoch)"])
            return .noContent
        case .unknown: throw .kioskRevoked
        case .tooMany: throw .tooManyReceiptKeys
        case .taken(let owner):
            refusals.warning(
                "a receipt key belongs to another kiosk", of: kiosk.name.text,
                ["kiosk": "\(kiosk.name)", "of": "\(owner)"])
            try await HubProblem.asking { () throws(PostgreSQLError) in
                try await database.kiosks.alert(HubProblem.receiptKeyTaken.id.rawValue, at: kiosk.name)
            }
            throw .receiptKeyTaken
        }
    }

    private static func receiptKey(_ der: [UInt8]) -> ReceiptPublicKey? {
        guard let key = try? SubjectPublicKeyInfo(der: der[...]).publicKey() else { return nil }
        return try? ReceiptPublicKey(key)
    }

    /// Stores a push of receipts. A refusal is logged. If an operator must check the receipts, the refusal
    /// also becomes the kiosk's alert.
    private func receipts(_ call: HubCall) async throws(HubProblem) -> Response {
        let kiosk = try await kiosk(call)
        let body = try await call.body(upTo: Self.largestPush)
        guard let chain = try? ReceiptChain(parsing: body) else { throw .receiptsMalformed }
        let push = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await database.receipts.store(chain, of: kiosk.name)
        }
        if case .committed(let head) = push { return .json(head.json) }
        let problem = push.problem(head: kiosk.expected)
        refusals.warning(
            "receipts are refused", of: kiosk.name.text,
            ["kiosk": "\(kiosk.name)", "id": "\(problem.id.rawValue)", "why": "\(problem.detail)"])
        if problem.id == .receiptsDiffer || problem.id == .receiptBroken {
            try await HubProblem.asking { () throws(PostgreSQLError) in
                try await database.kiosks.alert(problem.id.rawValue, at: kiosk.name)
            }
        }
        throw problem
    }
}

extension HubProblem {
    /// Returns the result of a database call, or throws `databaseUnavailable` if it fails.
    static func asking<Value: Sendable>(
        _ body: () async throws(PostgreSQLError) -> Value
    ) async throws(HubProblem) -> Value {
        do throws(PostgreSQLError) {
            return try await body()
        } catch {
            throw .databaseUnavailable(error)
        }
    }
}

extension ReceiptPush {
    /// Returns the problem for a push that was refused.
    ///
    /// - Parameter head: The receipt after which the kiosk continues.
    fileprivate func problem(head: HubState.Head) -> HubProblem {
        switch self {
        // `committed` is not a refusal, so this function is never called for it. The case is here because the
        // `switch` must be exhaustive.
        case .committed, .malformed: .receiptsMalformed
        case .revoked: .kioskRevoked
        case .tooMany(let seconds): .tooManyReceipts(retryAfter: seconds)
        case .gap(let head):
            HubProblem(
                .receiptGap, status: 409,
                "receipt \(head.sequence + 1) is missing: send this receipt and all later receipts",
                head: head)
        case .differs(let place):
            HubProblem(
                .receiptsDiffer, status: 409,
                "the hub already has a different receipt with number \(place): nothing was stored. \(FleetAgent.setBack)",
                head: head)
        case .broken(_, .keyUnknown):
            HubProblem(
                .receiptKeyUnknown, status: 409,
                "the receipts are signed by a key that the kiosk has not sent: send the kiosk's receipt keys first",
                head: head)
        case .versionUnknown(let place, let version):
            HubProblem(
                .receiptVersionUnknown, status: 409,
                "receipt \(place) has version \(version), which this hub does not know: update the hub. Nothing was stored; the kiosk keeps its receipts and sends them after the update",
                head: head)
        case .broken(let place, let fault):
            HubProblem(
                .receiptBroken, status: 400,
                "receipt \(place): \(fault.explanation). Nothing was stored. \(FleetAgent.setBack)",
                head: head
            )
        }
    }
}
