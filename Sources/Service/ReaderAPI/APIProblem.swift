package import PresentationService
internal import HTTPServing
package import JSON
internal import ReaderStore
internal import Reports

/// The reason why an HTTP request is refused (RFC 9457): a status, a stable id, and what to do next. A
/// problem may repeat the names of the request's members, but never their values.
package struct APIProblem: ProblemDetails, Equatable {
    /// The stable ids of problems, which the OpenAPI document lists.
    package enum ID: String, CaseIterable, Sendable {
        case notFound, methodNotAllowed, hostRefused, originRefused, unauthorized, forbidden, kioskStopped
        case bodyTooLong, bodyTooSlow, bodyMissing, contentTypeRefused, bodyRefused
        case intentRefused, policyRefused, retentionRefused, readerTokenRequired, readerTokenRefused,
            identityRefused
        case laneRequired, laneUnknown, laneBusy, presentationUnknown, referenceTaken
        case referenceOfTest, referenceBusy
        case askedAgain, nothingToAskAgain
        case engagementMalformed, alreadyEngaged, presentationOver, decisionNotDue, decisionOpen
        case presetUnknown, standingOrder, readerUnavailable
        case laneNotArmed, engagementReused, tooManyEngagements
        case accessoryUnknown, accessoryNotConnected, accessoryNotReady, outputNotDue
        case tryRefused, tooManyTries, tryUnanswered, tryNotDue
        case portraitGone, pageCodeRefused, pageWordsRefused
        case readerTokenNotGranted, tooManyReaderTokens, brandUnavailable, brandUnknown
        case trustNotSetUp, trustUnavailable, clockNotSet, webhookRefused
        case tooManyConnections, tooManyListeners, tooManyPresentations, tooManyOrders, shuttingDown, failed
        case queryRefused, receiptUnknown, recordsUnavailable, nothingRetained, exportUnknown

        case onlineNotSetUp, merchantRequired, merchantUnknown, originUnknown, descriptorRefused
        case noncesUnavailable

        case nonceUnknown = "nonce.unknown"
        case nonceReused = "nonce.reused"
        case nonceOfOtherSession = "nonce.other_session"
        case nonceOfOtherChannel = "nonce.other_channel"
        case nonceExpired = "nonce.expired"
        case nonceIssuedBefore = "nonce.issued_before"
        case tooManyNonces = "nonce.too_many"

        case answerMalformed = "presentation.malformed"
        case answerOfWrongSize = "presentation.size"
        case answerNotBase64URL = "presentation.base64url"
        case answerOfUnknownAlgorithm = "presentation.algorithm"
        case answerOfUnknownMode = "presentation.mode"
        case answerWithoutResponse = "presentation.response"
        case answerToUnknownKey = "presentation.recipient_key"
        case answerToOtherMerchant = "presentation.other_merchant"
        case answerToOtherTeam = "presentation.other_team"
        case answerToOtherInfo = "presentation.info_hash"
        case answerToOtherOrigin = "presentation.other_origin"
        case answerToReencodedInfo = "presentation.encryption_info_reencoded"
        case answerToOtherNonce = "presentation.other_nonce"
        case answerWithInvalidKey = "presentation.encapsulated_key"
        case answerNotOpened = "presentation.not_opened"
        case answerWithWrongNonceSize = "presentation.nonce_size"
        case answerWithUnusableKey = "presentation.recipient_key_unusable"
        case answerNotComputed = "presentation.computation"
    }

    package let id: ID
    package let status: Int
    /// The text for a person: what happened and what to do next.
    package let detail: String
    /// The faulty member of the body as a JSON Pointer (RFC 6901), or `nil` if no single member is at fault.
    package let pointer: String?
    /// The number of seconds after which the request may succeed, or `nil` if that is unknown.
    package let retryAfter: Int64?
    /// The presentation that occupies the lane, or `nil` if no presentation is the reason.
    package let presentation: PresentationID?

    package init(
        _ id: ID, status: Int, _ detail: String, pointer: String? = nil, retryAfter: Int64? = nil,
        presentation: PresentationID? = nil
    ) {
        self.id = id
        self.status = status
        self.detail = detail
        self.pointer = pointer
        self.retryAfter = retryAfter
        self.presentation = presentation
    }

    /// The problem details (RFC 9457, 3.1), with the additional members `id`, `pointer` and `presentation`.
    package var json: JSONValue {
        let further = [("pointer", pointer), ("presentation", presentation?.description)]
        let members: [(String, JSONValue)] = [
            ("type", .string(id.type)), ("id", .string(id.rawValue)), ("title", .string(id.title)),
            ("status", .integer(Int64(status))), ("detail", .string(detail)),
        ]
        return .object(members + further.compactMap { name, text in text.map { (name, .string($0)) } })
    }

    /// Returns this problem with `pointer` set to a member of the request body.
    func at(_ pointer: String) -> APIProblem {
        APIProblem(
            id, status: status, detail, pointer: pointer, retryAfter: retryAfter, presentation: presentation)
    }
}

extension APIProblem.ID {
    /// The URI of the problem's type, which only names the type: there is no document at this URI.
    package var type: String { ProblemFormat.type(of: rawValue) }

    /// The id as words: "Lane busy", "Nonce: other session".
    package var title: String {
        let words = rawValue.reduce(into: "") { words, letter in
            switch letter {
            case ".": words += ": "
            case "_": words += " "
            case _ where letter.isUppercase: words += " " + letter.lowercased()
            default: words.append(letter)
            }
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension APIProblem {
    static let notFound = APIProblem(
        .notFound, status: 404, "there is nothing at this path: see /v1/openapi.json")
    static let methodNotAllowed = APIProblem(
        .methodNotAllowed, status: 405,
        "this path does not support the method: use one that the Allow header lists")
    static let hostRefused = APIProblem(
        .hostRefused, status: 421,
        "the Host header does not name this daemon: use its address, or add the host to its configuration file"
    )
    static let hostTwice = APIProblem(
        .hostRefused, status: 400, "the request has several Host headers: send one")
    static let originRefused = APIProblem(
        .originRefused, status: 403,
        "a page of another origin may not use the reader: use the daemon's own page")
    static let unauthorized = APIProblem(
        .unauthorized, status: 401,
        "the caller is not known: send Authorization: Bearer with a token of the daemon's configuration file")
    static let kioskStopped = APIProblem(
        .kioskStopped, status: 503,
        "the chain stopped or revoked this kiosk, which accepts no orders now: ask the operator of the chain")
    static let pageCodeRefused = APIProblem(
        .pageCodeRefused, status: 403,
        "the code is unknown, used, or older than 60 s: make a new one with countersign page-code",
        pointer: "/code")
    static let pageWordsRefused = APIProblem(
        .pageWordsRefused, status: 403,
        "the words are wrong, were used, are older than 10 minutes, or became invalid after five wrong tries: make new words with countersign page-code --words",
        pointer: "/words")
    static let forbidden = APIProblem(
        .forbidden, status: 403,
        "the token or user does not have the scope for this: add the scope in the daemon's configuration file"
    )
    static let bodyMissing = APIProblem(.bodyMissing, status: 400, "the body is missing: send a JSON object")
    static let bodyCut = APIProblem(.bodyRefused, status: 400, "the body is cut off: send it again")
    static let bodyTooSlow = APIProblem(
        .bodyTooSlow, status: 408, "the body did not arrive in time: send it again")
    static let contentTypeRefused = APIProblem(
        .contentTypeRefused, status: 415, "the body must be JSON: send Content-Type: application/json")
    static let policyRefused = APIProblem(
        .policyRefused, status: 400,
        "the policy of the order or lane accepts more than the policy of the purpose: leave \"policy\" out, or name a stricter one",
        pointer: "/policy")
    static let readerTokenRequired = APIProblem(
        .readerTokenRequired, status: 403,
        "an order for data needs a reader token: send \"readerToken\"",
        pointer: "/readerToken")
    static let laneRequired = APIProblem(
        .laneRequired, status: 400, "there are several lanes: send \"lane\" with a name from /v1/lanes",
        pointer: "/lane")
    static let laneUnknown = APIProblem(
        .laneUnknown, status: 404, "there is no such lane: use a name from /v1/lanes")
    static let presetUnknown = APIProblem(
        .presetUnknown, status: 404, "the lane has no such preset: use a preset of the lane in /v1/lanes")
    static let standingOrder = APIProblem(
        .standingOrder, status: 409,
        "the lane waits for the next phone by itself: to stop that, delete \"standing\" of the lane in the daemon's configuration file"
    )
    static let presentationUnknown = APIProblem(
        .presentationUnknown, status: 404,
        "there is no such presentation, or it ended long ago: order again, with the same reference")
    static let referenceTaken = APIProblem(
        .referenceTaken, status: 409,
        "this reference belongs to a different order: send that order unchanged, or use another reference",
        pointer: "/reference")
    static let referenceOfTest = APIProblem(
        .referenceOfTest, status: 409,
        "a test document was allowed under this reference, and test documents are no longer accepted: order with another reference",
        pointer: "/reference")
    static let alreadyEngaged = APIProblem(
        .alreadyEngaged, status: 409,
        "a phone is engaged already: wait for its answer, or DELETE the presentation")
    static let presentationOver = APIProblem(
        .presentationOver, status: 409, "the presentation is over: order a new one")
    static let askedAgain = APIProblem(
        .askedAgain, status: 409,
        "this presentation was asked again before, and each presentation can be asked again only once: wait for the presentation that repeats it, or send a new order"
    )
    static let nothingToAskAgain = APIProblem(
        .nothingToAskAgain, status: 409,
        "the checks decided this outcome and nothing is missing in the result, so this presentation cannot be asked again: order a new presentation"
    )
    static let consentNotRepeated = APIProblem(
        .retentionRefused, status: 409,
        "the order retains data with the holder's consent, which is valid for one presentation: ask for consent again, and order with \"consent\": \"given\""
    )
    static let eventsOver = APIProblem(
        .presentationOver, status: 409,
        "the presentation is over and has no further events: read its outcome with GET /v1/presentations/{id}"
    )
    static let pagesAbsent = APIProblem(
        .notFound, status: 404,
        "the files of the pages are missing: set \"page\" in the daemon's configuration file to the folder \"Kiosk\" that came with the daemon"
    )
    static let decisionNotDue = APIProblem(
        .decisionNotDue, status: 409,
        "there is nothing to decide: wait for the state awaitingDecision, and decide once")
    static let portraitGone = APIProblem(
        .portraitGone, status: 410, "there is no portrait, or it was deleted: order a new presentation")
    static let portraitNotCompared = APIProblem(
        .intentRefused, status: 400,
        "the portrait of a data request is not shown to a clerk: order a display request that asks for the portrait, and ask for the data in \"then\"",
        pointer: "/intent")
    static let portraitAskedTwice = APIProblem(
        .intentRefused, status: 400,
        "both requests need the portrait: ask for it in \"intent\" or in \"then\", not in both",
        pointer: "/then/intent")
    static let trustNotSetUp = APIProblem(
        .trustNotSetUp, status: 503,
        "no issuer is trusted yet: run countersign trust import FILE --store FOLDER with the daemon's store, as the daemon's user"
    )
    static let clockNotSet = APIProblem(
        .clockNotSet, status: 503, "the system's clock is not set: set it (timedatectl set-ntp true)")
    static let readerTokenNotGranted = APIProblem(
        .readerTokenNotGranted, status: 403,
        "you may not get a token for this brand and this reader: add a grant to readerTokens.grants in the daemon's configuration file, and in the hub's if the hub makes the tokens"
    )
    static let brandUnknown = APIProblem(
        .brandUnknown, status: 404, "there is no such brand, or it has no logo: see countersign brand list")
    static let webhookRefused = APIProblem(
        .webhookRefused, status: 400,
        "the webhook's origin is not configured: add it in the daemon's configuration file",
        pointer: "/webhook")
    static let tooManyConnections = APIProblem(
        .tooManyConnections, status: 503,
        "too many connections are open: close some, or raise limits.connections", retryAfter: 1)
    static let tooManyListeners = APIProblem(
        .tooManyListeners, status: 503,
        "too many clients listen to events: close some, or raise limits.listeners")
    static let tooManyPresentations = APIProblem(
        .tooManyPresentations, status: 503,
        "too many presentations are running: wait until one ends, or raise limits.presentations")
    static func tooManyOrders(_ most: Int, retryAfter seconds: Int64) -> APIProblem {
        APIProblem(
            .tooManyOrders, status: 429,
            "you have begun \(most) presentations within an hour: wait \(seconds) s, or raise limits.ordersPerHour",
            retryAfter: seconds)
    }
    static let shuttingDown = APIProblem(
        .shuttingDown, status: 503, "the daemon is stopping: try again in a moment")
    static let failed = APIProblem(.failed, status: 500, "the daemon failed: see its log")

    static let queryRefused = APIProblem(
        .queryRefused, status: 400,
        "the query is not valid: send only \"after\" (a whole number from 0) and \"limit\" (from 1 to 500)")
    static let targetUnreadable = APIProblem(
        .queryRefused, status: 400,
        "the path or the query is not valid: send UTF-8 without NUL, and % only before two hexadecimal digits"
    )
    static let listQueryRefused = APIProblem(
        .queryRefused, status: 400,
        "the query is not valid: send \"reference\" alone, or any of lane, outcome, from, until, limit and cursor, each at most once; see /v1/openapi.json"
    )
    static let receiptUnknown = APIProblem(
        .receiptUnknown, status: 404, "there is no such receipt: see /v1/receipts")
    static let noRecords = APIProblem(
        .recordsUnavailable, status: 503, "this daemon keeps no records: start it with a store")
    static let receiptsDelayed = APIProblem(
        .recordsUnavailable, status: 503,
        "a receipt cannot be written, and the daemon tries again: check the disk of the store")
    static let nothingRetained = APIProblem(
        .nothingRetained, status: 404,
        "no data is retained for this reference: check the reference; data is deleted once its export is confirmed, and at its deadline"
    )
    static let exportUnknown = APIProblem(
        .exportUnknown, status: 404,
        "there is no such export, or a later export replaced it: export again with POST /v1/exports, and confirm that export"
    )

    /// The problem of a store that cannot be read or written.
    static func recordsUnavailable(_ error: ReaderStoreError) -> APIProblem {
        APIProblem(
            .recordsUnavailable, status: 503, "the store of records: \(error.explanation)",
            retryAfter: storeSeconds)
    }

    /// The seconds after which a till should try again while the store is faulty. A shorter time would not
    /// help, since a person has to repair the store.
    private static let storeSeconds: Int64 = 5

    /// The seconds after which a till should try again while another presentation occupies the lane.
    private static let customerSeconds: Int64 = 2

    /// The problem of a lane at which a presentation is running.
    ///
    /// - Parameter isOwn: whether the caller ordered that presentation, and so may cancel it.
    static func laneBusy(_ id: PresentationID, isOwn: Bool) -> APIProblem {
        let whose = isOwn ? "" : " of another caller"
        let further = isOwn ? ", or DELETE it" : ""
        return APIProblem(
            .laneBusy, status: 409,
            "presentation \(id)\(whose) is running at this lane: wait for its end\(further)",
            retryAfter: customerSeconds, presentation: id)
    }

    /// The problem of a lane at which a presentation waits for a person's decision.
    ///
    /// - Parameter isOwn: whether the caller ordered that presentation, and so may cancel it.
    static func decisionOpen(_ id: PresentationID, isOwn: Bool) -> APIProblem {
        let whose = isOwn ? "" : " of another caller"
        let further = isOwn ? ", or DELETE it" : " at the clerk's page"
        return APIProblem(
            .decisionOpen, status: 409,
            "presentation \(id)\(whose) waits for a decision at this lane: decide on it\(further)",
            retryAfter: customerSeconds, presentation: id)
    }

    /// The problem of a deletion while a presentation of the reference is not over.
    static func referenceBusy(_ id: PresentationID) -> APIProblem {
        APIProblem(
            .referenceBusy, status: 409,
            "presentation \(id) of this reference is not over, and its data would arrive after the deletion: wait for its end, or DELETE it, and then delete the data",
            pointer: "/reference", retryAfter: customerSeconds, presentation: id)
    }

    static func bodyTooLong(_ limit: Int) -> APIProblem {
        APIProblem(.bodyTooLong, status: 413, "the body has more than \(limit) bytes: send a shorter one")
    }

    /// Creates the problem of a request whose Host or Origin header is refused.
    init(host refusal: HostRefusal) {
        switch refusal {
        case .severalHosts: self = .hostTwice
        case .otherHost: self = .hostRefused
        case .otherOrigin: self = .originRefused
        }
    }

    /// Creates the problem of a malformed body, with the line and the member of the fault.
    ///
    /// - Parameter permitted: the members that the body may have. They are listed if the body has another
    ///   member; an empty set lists nothing.
    init(body fault: JSONFault, permitted: Set<String>) {
        let pointer = fault.pointer.isEmpty ? nil : fault.pointer
        var detail = "line \(fault.line): \(fault.explanation)"
        // `permitted` names the members of the body itself. The list is therefore left out for a fault in an
        // object inside the body.
        if case .unknownMember(let name) = fault.condition, fault.pointer == "/\(name)", !permitted.isEmpty {
            detail += "; permitted are \(permitted.sorted().joined(separator: ", "))"
        }
        self.init(.bodyRefused, status: 400, detail, pointer: pointer)
    }

    /// Creates the problem of a malformed body without a list of permitted members.
    init(body fault: JSONFault) {
        self.init(body: fault, permitted: [])
    }
}
