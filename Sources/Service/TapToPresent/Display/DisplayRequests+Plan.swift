internal import Foundation
internal import RequestPlanner

extension MobileDriversLicenseDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(showing: elements, options.validationMode, of: [.drivingLicence])
        }
    }
}

extension MobileNationalIDCardDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(
                showing: elements, options.validationMode, of: [DocumentFamily(nationalIDCardOf: region)])
        }
    }
}

extension DocumentFamily {
    fileprivate init(nationalIDCardOf region: Locale.Region) throws(MobileDocumentReaderError) {
        guard MobileNationalIDCardDisplayRequest.isSupportedRegion(region) else {
            throw .notSupported(.regionNotSupported)
        }
        self = .nationalIDCardOfJapan
    }
}

extension MobileDocumentDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(
                showing: elements, options.validationMode,
                of: options.allowedDocumentTypes.map { type throws(MobileDocumentReaderError) in
                    try type.document
                })
        }
    }
}

extension MobileDocumentRequestPlan where Response == MobileDriversLicenseDisplayRequest.Response {
    /// For elements that only the operator sees, with the portrait; none of them is kept.
    fileprivate init(
        showing elements: [MobileDriversLicenseDisplayRequest.Element],
        _ mode: MobileDriversLicenseDisplayRequest.Options.ValidationMode, of documents: [DocumentFamily]
    ) throws(MobileDocumentReaderError) {
        try elements.checkEachOnce()
        let presentation = MobileDocumentPresentation(elements: elements, validationMode: mode)
        try self.init(
            needsToken: false,
            asking: documents.map { document throws(MobileDocumentReaderError) in
                try RequestPlan(
                    asking: [.portrait(isCompared: true)] + elements.map { $0.claim(of: document) },
                    of: document)
            },
            answer: .decided(on: presentation) { outcome in
                // Without a question there is no decision.
                Response(validationOutcome: mode == .confirm ? outcome : .dismissed)
            })
    }
}

extension MobileDocumentDisplayRequest.Options.DocumentType {
    fileprivate var document: DocumentFamily {
        get throws(MobileDocumentReaderError) {
            switch self {
            case .driversLicense: .drivingLicence
            case .photoID: .photoID
            case .nationalIDCard(let region): try DocumentFamily(nationalIDCardOf: region)
            }
        }
    }
}

extension MobileDriversLicenseDisplayRequest.Element {
    fileprivate func claim(of document: DocumentFamily) -> Claim {
        let hasWholeName = document == .nationalIDCardOfJapan
        return switch self {
        case .age: .named("age_in_years", in: document.mainNameSpace)
        case .ageAtLeast(let years): .ageOver(years)
        case .familyName where hasWholeName, .givenName where hasWholeName: .name
        case .familyName: .named("family_name", in: document.mainNameSpace)
        case .givenName: .named("given_name", in: document.mainNameSpace)
        }
    }
}
