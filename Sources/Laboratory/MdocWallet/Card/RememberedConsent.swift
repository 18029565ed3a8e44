internal import CBOR
internal import COSE
internal import MdocModel

/// What the holder of an NFC v2 phone was asked in a tap, and when the decision is there: the next tap may bring the
/// same request (draft of the second edition).
struct RememberedConsent: Sendable {
    private let request: RequestStructure
    private let decided: ContinuousClock.Instant

    /// Nil for a request that cannot be decoded.
    init?(_ request: [UInt8], after delay: Duration, now: ContinuousClock.Instant) {
        guard let request = RequestStructure(request) else { return nil }
        self.request = request
        decided = now + delay
    }

    /// What is left of the time for the decision, where this request is structurally equal; nil if it has to be asked
    /// again.
    func delay(of request: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        guard RequestStructure(request) == self.request else { return nil }
        return max(.zero, now.duration(to: decided))
    }
}

/// What two requests must have in common for one consent: all but the signatures and their certificates, which are made
/// for each transcript again.
struct RequestStructure: Equatable, Sendable {
    private let version: String
    private let information: [UInt8]?
    private let documents: [[UInt8]]
    /// The protected headers of readerAuth of each document, and of readerAuthAll.
    private let readerAuth: [[UInt8]?]
    private let readerAuthAll: [[UInt8]]

    init?(_ bytes: [UInt8]) {
        guard let request = try? DeviceRequest(bytes[...]) else { return nil }
        version = request.version
        information = request.deviceRequestInfoBytes.map { Array($0.bytes) }
        documents = request.docRequests.map { Array($0.itemsRequestBytes.bytes) }
        readerAuth = request.docRequests.map { $0.readerAuth.map(Self.protected) }
        readerAuthAll = request.readerAuthAll.map(Self.protected)
    }

    /// The protected header of a COSE_Sign1.
    private static func protected(_ item: CBORItem) -> [UInt8] {
        var fields = (try? item.untagged(18).array())?.makeIterator()
        return fields?.next().map { Array($0.encoded) } ?? []
    }
}
