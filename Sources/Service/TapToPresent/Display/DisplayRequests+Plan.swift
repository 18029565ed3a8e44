internal import WalletPresentation

extension MobileDriversLicenseDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(showing: elements, options.validationMode) {
            () throws(MobileDocumentReaderError) in
            [try RequestedDocument(showing: elements, of: .driversLicense)]
        }
    }
}

extension MobileDocumentDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(showing: elements, options.validationMode) {
            () throws(MobileDocumentReaderError) in
            let types = options.allowedDocumentTypes
            guard !types.isEmpty else { throw .invalidRequest(.nothingRequested) }
            guard Set(types).count == types.count else { throw .invalidRequest(.documentTwice) }
            return try types.map { type throws(MobileDocumentReaderError) in
                try RequestedDocument(showing: elements, of: type.kind)
            }
        }
    }
}

extension MobileDocumentRequestPlan where Response == MobileDriversLicenseDisplayRequest.Response {
    /// For elements that only the operator sees.
    fileprivate init(
        showing elements: [MobileDriversLicenseDisplayRequest.Element],
        _ mode: MobileDriversLicenseDisplayRequest.Options.ValidationMode,
        asking documents: () throws(MobileDocumentReaderError) -> [RequestedDocument]
    ) {
        let presentation = MobileDocumentPresentation(elements: elements, validationMode: mode)
        self.init(
            needsToken: false,
            answer: .verified { read throws(MobileDocumentReaderError) in try await read.show(presentation) },
            asking: documents)
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
