internal import WalletPresentation

extension MobileDriversLicenseDisplayRequest: VerifiedRequest {
    static var needsToken: Bool { false }

    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] {
        [try RequestedDocument(showing: elements, of: .driversLicense)]
    }

    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response {
        try await read.show(
            MobileDocumentPresentation(elements: elements, validationMode: options.validationMode))
    }
}

extension MobileDocumentDisplayRequest: VerifiedRequest {
    static var needsToken: Bool { false }

    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] {
        let types = options.allowedDocumentTypes
        guard !types.isEmpty else { throw .invalidRequest(.nothingRequested) }
        guard Set(types).count == types.count else { throw .invalidRequest(.documentTwice) }
        return try types.map { type throws(MobileDocumentReaderError) in
            try RequestedDocument(showing: elements, of: type.kind)
        }
    }

    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response {
        try await read.show(
            MobileDocumentPresentation(elements: elements, validationMode: options.validationMode))
    }
}

extension MobileDocumentDisplayRequest.Options.DocumentType {
    fileprivate var kind: IdentityDocument {
        switch self {
        case .driversLicense: .driversLicense
        case .photoID: .photoID
        }
    }
}

extension RequestedDocument {
    /// What is shown of a document: these and the portrait, none of it kept.
    fileprivate init(
        showing elements: [MobileDriversLicenseDisplayRequest.Element], of kind: IdentityDocument
    ) throws(MobileDocumentReaderError) {
        let shown = [.portrait] + elements.map(\.identityElement)
        self = try RequestedDocument(kind, shown.map { ($0, .willNotStore) }).withoutAdditions
    }
}

extension MobileDriversLicenseDisplayRequest.Element: RequestedElement {
    var identityElement: IdentityElement {
        switch self {
        case .age: .age
        case .ageAtLeast(let years): .ageAtLeast(years)
        case .familyName: .familyName
        case .givenName: .givenName
        }
    }
}
