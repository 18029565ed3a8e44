internal import Fleet
internal import HTTPServing
internal import JSON
internal import ReaderStore

/// A problem with which a hub refuses a request (RFC 9457): a status, a stable id, and a text that says what
/// to do.
struct HubProblem: ProblemDetails, Equatable {
    enum ID: String, CaseIterable, Sendable {
        case notFound, methodNotAllowed, queryRefused, bodyTooLong, bodyTooSlow, bodyRefused
        case tooManyConnections, tooManyEnrolments
        case operatorUnknown, certificateRequired, kioskUnknown, kioskRevoked, kioskKeyTaken, codeRefused,
            requestRefused
        case documentUnknown, brokerUnavailable, databaseUnavailable, failed
        case receiptsMalformed, receiptGap, receiptsDiffer, receiptBroken, receiptVersionUnknown,
            receiptKeyUnknown, receiptKeyTaken, tooManyReceiptKeys, tooManyReceipts
        case tooManyReports, tooManyPasswords, tooManyRenewals
        case kioskStopped, readerTokenNotGranted, tooManyReaderTokens, brandUnavailable
    }

    let id: ID
    let status: Int
    let detail: String
    /// The latest receipt that the hub has, if the kiosk needs to know it to continue its pushes.
    var head: HubState.Head?
    /// The number of seconds until the request may be repeated, if known.
    var retryAfter: Int64?

    init(
        _ id: ID, status: Int, _ detail: String, head: HubState.Head? = nil, retryAfter: Int64? = nil
    ) {
        self.id = id
        self.status = status
        self.detail = detail
        self.head = head
        self.retryAfter = retryAfter
    }

    var json: JSONValue {
        let members: [(String, JSONValue)] = [
            ("type", .string(ProblemFormat.type(of: id.rawValue))), ("id", .string(id.rawValue)),
            ("status", .integer(Int64(status))), ("detail", .string(detail)),
        ]
        return .object(members + (head.map { [("receipts", $0.json)] } ?? []))
    }

    static let notFound = HubProblem(.notFound, status: 404, "there is nothing at this path")
    static let methodNotAllowed = HubProblem(
        .methodNotAllowed, status: 405, "this path does not support the method")
    static let queryRefused = HubProblem(
        .queryRefused, status: 400,
        "the path or the query is not valid: the parameter `after` must be the name of a kiosk, and no text may contain a NUL or bytes that are not UTF-8"
    )
    static let tooManyConnections = HubProblem(
        .tooManyConnections, status: 503,
        "too many connections without a certificate are open: try again later, or raise http.connections",
        retryAfter: 1)
    static let tooManyEnrolments = HubProblem(
        .tooManyEnrolments, status: 503, "too many computers ask for a certificate at once: try again later",
        retryAfter: 5)
    static let bodyTooSlow = HubProblem(
        .bodyTooSlow, status: 408, "the body did not arrive in time: send it again")
    static let bodyCut = HubProblem(.bodyRefused, status: 400, "the body is cut off: send it again")
    static let operatorUnknown = HubProblem(
        .operatorUnknown, status: 401,
        "this is not an operator's token: send Authorization: Bearer with a token whose SHA-256 is in \"operators\" of the hub's file"
    )
    static let certificateRequired = HubProblem(
        .certificateRequired, status: 401, "this path is for kiosks: use the certificate of the kiosk")
    static let kioskUnknown = HubProblem(
        .kioskUnknown, status: 403,
        "the certificate does not belong to a kiosk of this chain: run countersign-hub kiosk invite KIOSK, and give the kiosk the code"
    )
    static let kioskRevoked = HubProblem(
        .kioskRevoked, status: 403,
        "the kiosk or its key was revoked, so the kiosk accepts no orders. To admit the kiosk again, delete key.pem, certificate.pem and broker.json in the kiosk's STORE/fleet, then run countersign-hub kiosk invite KIOSK and give the kiosk the code"
    )
    static let kioskStopped = HubProblem(
        .kioskStopped, status: 403,
        "the kiosk is stopped: it accepts no orders and gets no reader token. To start it, run countersign-hub kiosk start KIOSK"
    )
    static let readerTokenNotGranted = HubProblem(
        .readerTokenNotGranted, status: 403,
        "the kiosk may not get a token for this brand and this reader: add a grant in \"readerTokens\" of the hub's file"
    )
    static let codeRefused = HubProblem(
        .codeRefused, status: 403,
        "the code is not for this kiosk, was used before, or is older than a day: run countersign-hub kiosk invite KIOSK"
    )
    static let kioskKeyTaken = HubProblem(
        .kioskKeyTaken, status: 409,
        "another kiosk has the same key, because one kiosk's disk was copied to the other: delete key.pem in this kiosk's STORE/fleet and start its daemon again"
    )
    static let requestRefused = HubProblem(
        .requestRefused, status: 400,
        "the body is not a certification request of a kiosk of this chain: check fleet.chain and fleet.kiosk, and that the key is on P-256"
    )
    static let documentUnknown = HubProblem(
        .documentUnknown, status: 404, "there is no such document for this kiosk")
    static let brokerUnavailable = HubProblem(
        .brokerUnavailable, status: 503, "the broker does not answer: try again later")
    static let failed = HubProblem(.failed, status: 500, "the hub failed: see the hub's log")
    static let receiptsMalformed = HubProblem(
        .receiptsMalformed, status: 400,
        "the body must be a receipt chain of 1 to \(HubReceipts.mostReceipts) consecutive receipts")
    static let receiptKeyTaken = HubProblem(
        .receiptKeyTaken, status: 409,
        "a receipt key belongs to another kiosk: an operator must check both kiosks. A computer that gets another kiosk name must start with an empty store"
    )
    static let tooManyReceiptKeys = HubProblem(
        .tooManyReceiptKeys, status: 409,
        "the kiosk has more than \(HubReceipts.mostKeys) receipt keys: check who renews them, or why receipt-key.pem in its store is lost repeatedly. If nothing else helps, revoke the kiosk, invite it again, and start it with an empty store: the kiosk then has one key"
    )
    static let tokensAbsent = HubProblem(
        .notFound, status: 404, "this hub makes no reader tokens: add \"readerTokens\" to the hub's file")

    static func tooManyReceipts(retryAfter seconds: Int64) -> HubProblem {
        HubProblem(
            .tooManyReceipts, status: 429,
            "the kiosk has pushed \(HubReceipts.mostPushed >> 20) MiB of receipts within an hour: continue after \(seconds) s",
            retryAfter: seconds)
    }

    /// Returns the problem for a kiosk that has reached an hourly limit.
    static func tooMany(_ limit: HourlyLimit, retryAfter seconds: Int64) -> HubProblem {
        let (id, act, next) =
            switch limit {
            case .reports: (ID.tooManyReports, "reported", "report")
            case .passwords: (ID.tooManyPasswords, "asked for a broker password", "ask")
            case .renewals: (ID.tooManyRenewals, "had its certificate renewed", "ask")
            }
        return HubProblem(
            id, status: 429,
            "the kiosk has \(act) \(limit.most) times within an hour: \(next) again after \(seconds) s",
            retryAfter: seconds)
    }

    static func bodyTooLong(_ limit: Int) -> HubProblem {
        HubProblem(.bodyTooLong, status: 413, "the body has more than \(limit) bytes: send less at once")
    }

    static func databaseUnavailable(_ error: PostgreSQLError) -> HubProblem {
        HubProblem(.databaseUnavailable, status: 503, error.explanation)
    }
}

extension JSONFault {
    /// The problem for a request body with this fault.
    var problem: HubProblem { HubProblem(.bodyRefused, status: 400, explanation) }
}
