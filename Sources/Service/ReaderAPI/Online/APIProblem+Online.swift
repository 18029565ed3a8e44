internal import ReaderStore
internal import WalletPresentation

extension APIProblem {
    static let onlineNotSetUp = APIProblem(
        .onlineNotSetUp, 404, "this channel is not set up: the section online of the daemon's file does it")
    static let merchantRequired = APIProblem(
        .merchantRequired, 400, "there are several merchants: name one of the daemon's file in merchant")
    static let merchantUnknown = APIProblem(
        .merchantUnknown, 404, "the daemon's file has no merchant of this name")
    static let originUnknown = APIProblem(
        .originUnknown, 403, "origin is not one of those in the daemon's configuration file")

    /// A nonce that is not what it should be.
    init(_ refusal: NonceRefusal) {
        let status = refusal == .tooMany ? 503 : 403
        self.init(ID(rawValue: refusal.rawValue) ?? .failed, status, refusal.explanation)
    }

    init(_ error: NonceStoreError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .askedTooLong: self.init(.bodyTooLong, 413, "more is asked for than is kept beside a nonce")
        case .overloaded:
            self.init(.noncesUnavailable, 503, "more requests come than nonces can be kept for: ask again")
        case .libraryMissing:
            self.init(.noncesUnavailable, 503, "libpq.so.5 is not installed here: apt-get install libpq5")
        case .unreachable:
            self.init(
                .noncesUnavailable, 503, "the database of nonces cannot be reached: nothing is accepted")
        case .overdue:
            self.init(.noncesUnavailable, 503, "the database of nonces did not answer in time: ask anew")
        case .failed(let code):
            self.init(.noncesUnavailable, 503, "the database of nonces refused (\(code)): ask anew")
        }
    }

    /// An answer that was not opened.
    init(_ error: WalletPresentationError) {
        self.init(ID(rawValue: error.id) ?? .failed, 422, error.explanation)
    }

    /// A request that PassKit would refuse.
    init(_ error: IdentityDescriptorError) {
        let text =
            switch error {
            case .noElements: "must contain at least one element"
            case .elementTwice: "an element is there twice"
            case .ageTwice: "age and age(atLeast:) do not go together"
            case .ageOutOfRange: "must be an age from 1 to 125"
            case .elementNotOfDocument(let element): "the document has no \(element.name)"
            }
        self.init(.descriptorRefused, 400, text)
    }
}
