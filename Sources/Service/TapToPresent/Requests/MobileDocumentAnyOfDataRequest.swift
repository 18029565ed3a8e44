internal import RequestPlanner

/// A request for elements of one of several documents. The order in which the requests are added is the order
/// of preference. Requires a session that was prepared with a reader token.
public struct MobileDocumentAnyOfDataRequest: MobileDocumentDataRequest {
    /// The answer: the elements of the returned document.
    public struct Response: MobileDocumentDataResponse {
        /// The response of the request whose document the phone returned.
        public let documentResponse: any MobileDocumentDataResponse

        /// Compares the two document responses.
        public static func == (one: Self, other: Self) -> Bool {
            AnyHashable(one.documentResponse) == AnyHashable(other.documentResponse)
        }

        /// Hashes the document response.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(AnyHashable(documentResponse))
        }
    }

    private(set) var requests: [any MobileDocumentDataRequest] = []

    /// Creates an empty request, to which requests for documents are then added.
    public init() {}

    /// Adds a request for one document. Two requests for the same document type are refused when the session
    /// makes the request.
    public mutating func addRequest(_ request: any MobileDocumentDataRequest) {
        requests.append(request)
    }

    /// Compares the added requests and their order.
    public static func == (one: Self, other: Self) -> Bool {
        one.requests.map { AnyHashable($0) } == other.requests.map { AnyHashable($0) }
    }

    /// Hashes the added requests.
    public func hash(into hasher: inout Hasher) {
        for request in requests { hasher.combine(AnyHashable(request)) }
    }
}

extension MobileDocumentAnyOfDataRequest {
    /// The document request that a session sends, made from the added requests in their order.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            let plans = try requests.map { request throws(MobileDocumentReaderError) in
                try request.planOfDocument
            }
            return try MobileDocumentRequestPlan(
                asking: plans.flatMap { $0.choices },
                answer: .verified { read throws(MobileDocumentReaderError) in
                    // The response comes from the request whose plan found the document.
                    for plan in plans where plan.choices.contains(where: { $0.intent == read.plan.intent }) {
                        guard case .verified(let response) = plan.answer else { continue }
                        return try response(read)
                    }
                    // Not reached, because the plan that found the document is a choice of one of `plans`.
                    throw .unknown(.internalFault)
                })
        }
    }
}

extension MobileDocumentDataRequest {
    /// The plan of this request, whose response is wrapped in `MobileDocumentAnyOfDataRequest.Response`. The
    /// plans for all document types then have the same Swift type.
    fileprivate var planOfDocument: MobileDocumentRequestPlan<MobileDocumentAnyOfDataRequest.Response> {
        get throws(MobileDocumentReaderError) {
            let plan = try self.plan
            return try MobileDocumentRequestPlan(
                asking: plan.choices,
                answer: .verified { read throws(MobileDocumentReaderError) in
                    // The `answer` of every data request's plan is `verified`.
                    guard case .verified(let response) = plan.answer else { throw .unknown(.internalFault) }
                    return .init(documentResponse: try response(read))
                })
        }
    }
}

/// A request for one of several documents that returns the phone's answer unverified. Requires a session that
/// was prepared with a reader token.
public struct MobileDocumentAnyOfRawDataRequest: MobileDocumentRawDataRequest {
    /// The unverified answer of the phone.
    public typealias Response = MobileDocumentRawDataResponse

    private(set) var requests: [any MobileDocumentRawDataRequest] = []

    /// Creates an empty request, to which requests for documents are then added.
    public init() {}

    /// Adds a request for one document. Two requests for the same document type are refused when the session
    /// makes the request.
    public mutating func addRequest(_ request: any MobileDocumentRawDataRequest) {
        requests.append(request)
    }

    /// Compares the added requests and their order.
    public static func == (one: Self, other: Self) -> Bool {
        one.requests.map { AnyHashable($0) } == other.requests.map { AnyHashable($0) }
    }

    /// Hashes the added requests.
    public func hash(into hasher: inout Hasher) {
        for request in requests { hasher.combine(AnyHashable(request)) }
    }
}

extension MobileDocumentAnyOfRawDataRequest {
    /// The document request that a session sends, made from the added requests in their order.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            let plans = try requests.map { request throws(MobileDocumentReaderError) in try request.plan }
            return try MobileDocumentRequestPlan(asking: plans.flatMap { $0.choices }, answer: .asSent)
        }
    }
}
