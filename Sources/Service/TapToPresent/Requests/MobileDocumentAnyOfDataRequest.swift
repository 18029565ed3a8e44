/// Asks for one of several documents: the first that the holder has, in the order they were added. Needs a session that
/// was prepared with a reader token.
public struct MobileDocumentAnyOfDataRequest: MobileDocumentDataRequest {
    /// The elements of the document that came.
    public struct Response: MobileDocumentDataResponse {
        /// A response of one of the requests, by its type.
        public let documentResponse: any MobileDocumentDataResponse

        /// By what was added, in its order.
        public static func == (one: Self, other: Self) -> Bool {
            AnyHashable(one.documentResponse) == AnyHashable(other.documentResponse)
        }

        /// By what was added.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(AnyHashable(documentResponse))
        }
    }

    private(set) var requests: [any MobileDocumentDataRequest] = []

    /// A request for nothing yet.
    public init() {}

    /// Takes a further document. Of each kind there may be one request.
    public mutating func addRequest(_ request: any MobileDocumentDataRequest) {
        requests.append(request)
    }

    /// By what was added, in its order.
    public static func == (one: Self, other: Self) -> Bool {
        one.requests.map { AnyHashable($0) } == other.requests.map { AnyHashable($0) }
    }

    /// By what was added.
    public func hash(into hasher: inout Hasher) {
        for request in requests { hasher.combine(AnyHashable(request)) }
    }
}

/// Asks for one of several documents, answered as the phone sent it. Needs a session that was prepared with a reader
/// token.
public struct MobileDocumentAnyOfRawDataRequest: MobileDocumentRawDataRequest {
    /// What the phone sent.
    public typealias Response = MobileDocumentRawDataResponse

    private(set) var requests: [any MobileDocumentRawDataRequest] = []

    /// A request for nothing yet.
    public init() {}

    /// Takes a further document. Of each kind there may be one request.
    public mutating func addRequest(_ request: any MobileDocumentRawDataRequest) {
        requests.append(request)
    }

    /// By what was added, in its order.
    public static func == (one: Self, other: Self) -> Bool {
        one.requests.map { AnyHashable($0) } == other.requests.map { AnyHashable($0) }
    }

    /// By what was added.
    public func hash(into hasher: inout Hasher) {
        for request in requests { hasher.combine(AnyHashable(request)) }
    }
}
