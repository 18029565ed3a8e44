extension MobileDocumentAnyOfDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        let plans = requests.map { $0.planOfDocument }
        return MobileDocumentRequestPlan(
            needsToken: true,
            answer: .verified { read throws(MobileDocumentReaderError) in
                for plan in plans {
                    guard try plan.documents().contains(where: { $0.kind == read.requested.kind }),
                        case .verified(let response) = plan.answer
                    else { continue }
                    return try await response(read)
                }
                throw .unknown(.internalFault)
            }
        ) { () throws(MobileDocumentReaderError) in try documentsOfAll(plans) }
    }
}

extension MobileDocumentAnyOfRawDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(needsToken: true, answer: .asSent) { () throws(MobileDocumentReaderError) in
            try documentsOfAll(requests.map { $0.plan })
        }
    }
}

extension MobileDocumentDataRequest {
    /// The plan of this request as one of several.
    fileprivate var planOfDocument: MobileDocumentRequestPlan<MobileDocumentAnyOfDataRequest.Response> {
        let plan = plan
        return MobileDocumentRequestPlan(
            needsToken: plan.needsToken,
            answer: .verified { read throws(MobileDocumentReaderError) in
                guard case .verified(let response) = plan.answer else { throw .unknown(.internalFault) }
                return .init(documentResponse: try await response(read))
            }, asking: plan.documents)
    }
}

/// The documents of these plans, each kind once: with two of a kind, neither the phone nor we know which is meant.
private func documentsOfAll<Response>(
    _ plans: [MobileDocumentRequestPlan<Response>]
) throws(MobileDocumentReaderError) -> [RequestedDocument] {
    var documents: [RequestedDocument] = []
    for plan in plans {
        for document in try plan.documents() {
            guard !documents.contains(where: { $0.kind == document.kind }) else {
                throw .invalidRequest(.documentTwice)
            }
            documents.append(document)
        }
    }
    guard !documents.isEmpty else { throw .invalidRequest(.nothingRequested) }
    return documents
}
