package import PresentationService
internal import Accessories
internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderStore
internal import ReaderTokens
internal import Reports
internal import RequestPlanner
internal import Transport

/// The translation of the service's errors to problems of the HTTP API. Only this extension chooses the
/// status, id and text of each of these errors.
extension APIProblem {
    /// Creates the HTTP problem for an error of the presentation service.
    package init(_ error: PresentationServiceError) {
        self =
            switch error {
            case .orderMalformed(let fault, let permitted): APIProblem(body: fault, permitted: permitted)
            case .intentRefused(let error, let part):
                APIProblem(.intentRefused, status: 400, error.explanation, pointer: part.pointer)
            case .policyRefused: .policyRefused
            case .displayRetainsNoData: .displayRetainsNoData
            case .consentMissing: .consentMissing
            case .consentNotRepeated: .consentNotRepeated
            case .retentionWithoutStore: .retentionWithoutStore
            case .portraitNotCompared: .portraitNotCompared
            case .portraitAskedTwice: .portraitAskedTwice
            case .webhookRefused: .webhookRefused
            case .referenceTaken: .referenceTaken
            case .referenceOfTest: .referenceOfTest
            case .tooManyOrders(let limit, let seconds): .tooManyOrders(limit, retryAfter: seconds)
            case .readerTokenRequired: .readerTokenRequired
            case .readerTokenWithoutBrands: .readerTokenWithoutBrands
            case .readerTokenRefused(let error):
                APIProblem(
                    .readerTokenRefused, status: 403, "\(error.id): \(error.explanation)",
                    pointer: "/readerToken")
            case .readerTokenNotMade(let refusal): APIProblem(refusal)
            case .brandsUnreadable(let error): APIProblem(brands: error)
            case .identityRefused(let error): APIProblem(identity: error)
            case .identityBesideToken: .identityBesideToken
            case .identityOfBrand: .identityOfBrand
            case .laneRequired: .laneRequired
            case .laneUnknown: .laneUnknown
            case .orderedLaneUnknown: .laneUnknown.at("/lane")
            case .presetUnknown: .presetUnknown
            case .laneBusy(let id, let isOwn): .laneBusy(id, isOwn: isOwn)
            case .decisionOpen(let id, let isOwn): .decisionOpen(id, isOwn: isOwn)
            case .standingOrder: .standingOrder
            case .readerUnavailable(let fault): APIProblem(.readerUnavailable, status: 503, fault.advice)
            case .accessoryNotReady(let name): .accessoryNotReady(name)
            case .presentationUnknown: .presentationUnknown
            case .presentationOver: .presentationOver
            case .alreadyEngaged: .alreadyEngaged
            case .laneNotArmed: .laneNotArmed
            case .engagementMalformed(let error):
                APIProblem(
                    .engagementMalformed, status: 400,
                    "the value of \"uri\" is not a device engagement: \(error.explanation)", pointer: "/uri")
            case .engagementReused: .engagementReused
            case .tooManyEngagements(let seconds): .tooManyEngagements(retryAfter: seconds)
            case .decisionNotDue: .decisionNotDue
            case .portraitGone: .portraitGone
            case .askedAgain: .askedAgain
            case .nothingToAskAgain: .nothingToAskAgain
            case .tooManyPresentations: .tooManyPresentations
            case .tooManyListeners: .tooManyListeners
            case .accessoryUnknown: .accessoryUnknown
            case .accessoryNotConnected: .accessoryNotConnected
            case .outputNotDue: .outputNotDue
            case .tryRefused(let refusal): APIProblem(refusal)
            case .tooManyTries(let seconds): .tooManyTries(retryAfter: seconds)
            case .tryUnanswered(let action): .tryUnanswered(action)
            case .tryNotDue: .tryNotDue
            case .shuttingDown: .shuttingDown
            case .clockNotSet: .clockNotSet
            case .trustNotSetUp: .trustNotSetUp
            case .trustUnavailable(let error):
                APIProblem(.trustUnavailable, status: 503, "the trust store: \(error.explanation)")
            case .recordsUnavailable(let error): .recordsUnavailable(error)
            case .referenceBusy(let id): .referenceBusy(id)
            case .nothingRetained: .nothingRetained
            case .exportUnknown: .exportUnknown
            case .onlineNotSetUp: .onlineNotSetUp
            case .merchantRequired: .merchantRequired
            case .merchantUnknown: .merchantUnknown
            case .originUnknown: .originUnknown
            case .descriptorRefused(let error): APIProblem(error)
            case .nonceRefused(let error): APIProblem(error)
            case .answerRefused(let error): APIProblem(error)
            case .failed: .failed
            }
    }

    private init(_ refusal: TokenRefusal) {
        switch refusal {
        case .notAllowed: self = .readerTokenNotGranted
        case .tooMany(let seconds):
            self.init(
                .tooManyReaderTokens, status: 429, TokenLimit.explanation(retryAfter: seconds),
                retryAfter: seconds)
        case .brandUnavailable(let error):
            self.init(.brandUnavailable, status: 503, "\(error.id): \(error.explanation)")
        }
    }

    /// Creates the problem of a brand registry that cannot be read.
    init(brands error: BrandRegistryError) {
        self.init(.failed, status: 500, "the brands: \(error.explanation)")
    }

    /// Creates the problem of a reader identity that cannot be used.
    init(identity error: IdentityStoreError) {
        self.init(.identityRefused, status: 400, error.explanation)
    }
}

extension PresentationServiceError.OrderPart {
    /// The JSON Pointer to the intent of this request (the first one or `then`) in the body of an order.
    fileprivate var pointer: String {
        switch self {
        case .first: "/intent"
        case .further: "/then/intent"
        }
    }
}

extension PresentationServiceError.DeviceFault {
    fileprivate var advice: String {
        switch self {
        case .reader(let fault): fault.advice
        case .radio(let fault): fault.advice
        }
    }
}

/// The problems of programs that serve accessories.
extension APIProblem {
    private static let laneNotArmed = APIProblem(
        .laneNotArmed, status: 409,
        "the lane waits for no phone now: scan the code again when the lane is armed")
    private static let engagementReused = APIProblem(
        .engagementReused, status: 409,
        "this code was used already, and a phone answers only once to a code: open the ID and its code again",
        pointer: "/uri")
    private static func tooManyEngagements(retryAfter seconds: Int64) -> APIProblem {
        APIProblem(
            .tooManyEngagements, status: 429,
            "too many codes were scanned at this lane within a minute: wait \(seconds) s", retryAfter: seconds
        )
    }
    private static let accessoryUnknown = APIProblem(
        .accessoryUnknown, status: 404,
        "there is no such accessory at your lanes: use a name of \"accessories\" in the configuration")
    private static let accessoryNotConnected = APIProblem(
        .accessoryNotConnected, status: 409,
        "you have no event stream, without which a state does not count: open GET /v1/accessories/events first"
    )
    private static let outputNotDue = APIProblem(
        .outputNotDue, status: 409,
        "this output is not due: it was given already, its time is over, or it is from before a restart. Do not act"
    )
    private static func tooManyTries(retryAfter seconds: Int64) -> APIProblem {
        APIProblem(
            .tooManyTries, status: 429,
            "this accessory was tried too often within a minute: wait \(seconds) s",
            retryAfter: seconds)
    }
    private static func tryUnanswered(_ action: TryAction) -> APIProblem {
        let after =
            switch action {
            case .pulse: "the contact may have been closed, so look at the device"
            case .scan: "scan again"
            }
        return APIProblem(
            .tryUnanswered, status: 503,
            "countersign-accessories did not report the end of the try: \(after), and read its journal")
    }
    private static let tryNotDue = APIProblem(
        .tryNotDue, status: 409,
        "this try is not due: its time is over, it was permitted already, or its lane is in use. Do not act")

    private init(_ refusal: TryRefusal) {
        let (status, detail): (Int, String) =
            switch refusal {
            case .notAtComputer:
                (
                    403,
                    "only a user of this computer tries an accessory: run countersign accessory try, with a user that has the scope admin in socket.users"
                )
            case .kind(let kind):
                (
                    409,
                    "an accessory of the kind \(kind) is not tried, because its receiver would take the try for an answer: tap a test document instead, with \"trial\": true"
                )
            case .notReady(let state):
                (
                    503,
                    "the accessory is not ready: its state is \(state.rawValue). See \"States\" in Documentation/accessories.md"
                )
            case .presentation:
                (409, "a presentation is in progress at the lane: try again when it has ended")
            case .output: (409, "an output of the lane is due or in progress: try again in some seconds")
            case .inProgress: (409, "the accessory is being tried already: wait for the end of that try")
            }
        self.init(.tryRefused, status: status, detail)
    }
    private static func accessoryNotReady(_ name: String) -> APIProblem {
        APIProblem(
            .accessoryNotReady, status: 503,
            "the accessory \(name) is required and cannot act: look at its state in the lane's description, at its plug, and at systemctl status countersign-accessories"
        )
    }
}

extension APIProblem {
    private static let displayRetainsNoData = APIProblem(
        .retentionRefused, status: 400, "must be \"none\" or \"receipt\": a display request retains no data",
        pointer: "/retention")
    private static let consentMissing = APIProblem(
        .retentionRefused, status: 400,
        "retention \"consented\" needs the holder's consent: add \"consent\": \"given\"",
        pointer: "/consent")
    private static let retentionWithoutStore = APIProblem(
        .retentionRefused, status: 400, "this daemon has no store for records: retention must be \"none\"",
        pointer: "/retention")
    private static let readerTokenWithoutBrands = APIProblem(
        .readerTokenRefused, status: 403, "no brand is set up here: send no \"readerToken\"",
        pointer: "/readerToken")
    private static let identityBesideToken = APIProblem(
        .identityRefused, status: 400,
        "the reader token decides which identity signs: send no \"identity\" with it",
        pointer: "/identity")
    private static let identityOfBrand = APIProblem(
        .identityRefused, status: 403,
        "this identity signs only for a brand: send a reader token of that brand", pointer: "/identity")
}
