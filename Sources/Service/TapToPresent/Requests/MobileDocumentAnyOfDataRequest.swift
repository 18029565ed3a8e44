internal import RequestPlanner

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

extension MobileDocumentAnyOfDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            let plans = try requests.map { request throws(MobileDocumentReaderError) in
                try request.planOfDocument
            }
            return try MobileDocumentRequestPlan(
                asking: plans.flatMap { $0.choices },
                answer: .verified { read throws(MobileDocumentReaderError) in
                    for plan in plans where plan.choices.contains(where: { $0.intent == read.plan.intent }) {
                        guard case .verified(let response) = plan.answer else { continue }
                        return try response(read)
                    }
                    throw .unknown(.internalFault)
                })
        }
    }
}

extension MobileDocumentDataRequest {
    /// The plan of this request as one of several.
    fileprivate var planOfDocument: MobileDocumentRequestPlan<MobileDocumentAnyOfDataRequest.Response> {
        get throws(MobileDocumentReaderError) {
            let plan = try self.plan
            return try MobileDocumentRequestPlan(
                asking: plan.choices,
                answer: .verified { read throws(MobileDocumentReaderError) in
                    guard case .verified(let response) = plan.answer else { throw .unknown(.internalFault) }
                    return .init(documentResponse: try response(read))
                })
        }
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

extension MobileDocumentAnyOfRawDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            let plans = try requests.map { request throws(MobileDocumentReaderError) in try request.plan }
            return try MobileDocumentRequestPlan(asking: plans.flatMap { $0.choices }, answer: .asSent)
        }
    }
}
