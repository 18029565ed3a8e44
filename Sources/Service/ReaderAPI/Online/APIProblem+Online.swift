internal import ReaderStore
internal import WalletPresentation

extension APIProblem {
    static let onlineNotSetUp = APIProblem(
        .onlineNotSetUp, status: 404,
        "no merchant or web origin is set up for this request: add it to the section online of the daemon's configuration file"
    )
    static let merchantRequired = APIProblem(
        .merchantRequired, status: 400,
        "there are several merchants: send \"merchant\" with a name from the daemon's configuration file",
        pointer: "/merchant")
    static let merchantUnknown = APIProblem(
        .merchantUnknown, status: 404,
        "there is no merchant of this name: use a name from the daemon's configuration file",
        pointer: "/merchant")
    static let originUnknown = APIProblem(
        .originUnknown, status: 403,
        "this origin is not configured: use an origin of the daemon's configuration file",
        pointer: "/origin")

    /// Creates the problem of a nonce that was not accepted.
    init(_ refusal: NonceRefusal) {
        let status = refusal == .tooMany ? 503 : 403
        // `ID` has a case for each refusal, as a test checks. The default is therefore never used.
        self.init(ID(rawValue: refusal.rawValue) ?? .failed, status: status, refusal.explanation)
    }

    /// Creates the problem of a nonce that cannot be stored or looked up.
    init(_ error: NonceStoreError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .askedTooLong:
            self.init(
                .bodyTooLong, status: 413,
                "the request is too long to be stored with a nonce: request fewer elements"
            )
        case .overloaded:
            self.init(
                .noncesUnavailable, status: 503, "requests arrive faster than nonces can be stored: try again"
            )
        case .libraryMissing:
            self.init(
                .noncesUnavailable, status: 503,
                "libpq.so.5 is not installed here: run apt-get install libpq5")
        case .unreachable:
            self.init(
                .noncesUnavailable, status: 503,
                "the database of nonces cannot be reached, so no request or response is accepted: start the database"
            )
        case .overdue:
            self.init(
                .noncesUnavailable, status: 503,
                "the database of nonces did not answer in time: request a new nonce")
        case .failed(let code):
            self.init(
                .noncesUnavailable, status: 503,
                "the database of nonces returned an error (code \(code)): request a new nonce; if it happens again, see the database's log"
            )
        }
    }

    /// Creates the problem of an encrypted response that is malformed or belongs to another request.
    init(_ error: WalletPresentationError) {
        // `ID` has a case for each error, as a test checks. The default is therefore never used.
        self.init(ID(rawValue: error.id) ?? .failed, status: 422, error.explanation)
    }

    /// Creates the problem of a request that PassKit would refuse.
    init(_ error: IdentityDescriptorError) {
        let text =
            switch error {
            case .noElements: "must contain at least one element"
            case .elementTwice: "must contain each element once"
            case .ageTwice: "must contain age or age(atLeast:), not both"
            case .ageOutOfRange: "must be an age from 1 to 125"
            case .elementNotOfDocument(let element):
                "must not contain \(element.name), which the document does not have"
            }
        self.init(.descriptorRefused, status: 400, text, pointer: "/elements")
    }
}
