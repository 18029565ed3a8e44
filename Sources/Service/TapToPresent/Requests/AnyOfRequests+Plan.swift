internal import WalletPresentation

extension MobileDocumentAnyOfDataRequest: VerifiedRequest {
    static var needsToken: Bool { true }

    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] {
        try documentsOfAll(requests)
    }

    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response {
        for request in requests {
            guard let request = request as? any VerifiedRequest,
                try request.documents().contains(where: { $0.kind == read.requested.kind })
            else { continue }
            return Response(documentResponse: try await request.dataResponse(to: read))
        }
        throw .unknown(.internalFault)
    }
}

extension MobileDocumentAnyOfRawDataRequest: RawRequest {
    static var needsToken: Bool { true }

    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] {
        try documentsOfAll(requests)
    }
}

extension VerifiedRequest {
    fileprivate func dataResponse(
        to read: ReadDocument
    ) async throws(MobileDocumentReaderError) -> any MobileDocumentDataResponse {
        let response = try await response(to: read)
        guard let response = response as? any MobileDocumentDataResponse else {
            throw .unknown(.internalFault)
        }
        return response
    }
}

/// The documents of these requests, each kind once: of two, neither the phone nor we could tell which is meant.
private func documentsOfAll(
    _ requests: [any MobileDocumentRequest]
) throws(MobileDocumentReaderError) -> [RequestedDocument] {
    var documents: [RequestedDocument] = []
    for request in requests {
        guard let request = request as? any PlannedRequest else { throw .invalidRequest(.requestNotKnown) }
        for document in try request.documents() {
            guard !documents.contains(where: { $0.kind == document.kind }) else {
                throw .invalidRequest(.documentTwice)
            }
            documents.append(document)
        }
    }
    guard !documents.isEmpty else { throw .invalidRequest(.nothingRequested) }
    return documents
}
