internal import MdocModel
internal import RequestPlanner
internal import WalletPresentation

/// One kind of document and what of it is asked for.
struct RequestedDocument {
    let kind: IdentityDocument
    /// One for each document type of the kind (Q165).
    let requests: [ItemsRequest]
    /// The ages asked about.
    let ages: [Int]

    init(
        _ kind: IdentityDocument, _ elements: [(element: IdentityElement, intent: IntentToStore)]
    ) throws(MobileDocumentReaderError) {
        let descriptor: IdentityDescriptor
        do throws(IdentityDescriptorError) {
            descriptor = try IdentityDescriptor(kind, elements)
        } catch {
            throw .invalidRequest(MobileDocumentReaderError.Reason(error))
        }
        ages = descriptor.elements.compactMap {
            if case .ageAtLeast(let years) = $0.element { years } else { nil }
        }
        // ISO/IEC 18013-5 7.2.5.
        guard ages.count <= 2 else { throw .invalidRequest(.moreThanTwoAges) }
        self.kind = kind
        requests = kind.docTypes.map { descriptor.itemsRequest.inBothSpellings(docType: $0) }
    }

    private init(_ kind: IdentityDocument, _ requests: [ItemsRequest], ages: [Int]) {
        self.kind = kind
        self.requests = requests
        self.ages = ages
    }

    /// The same without what AAMVA adds, such as name suffixes: none of it is shown.
    var withoutAdditions: RequestedDocument {
        let requests = requests.map { request in
            var request = request
            request.nameSpaces.removeAll { $0.name == Self.additions }
            return request
        }
        return RequestedDocument(kind, requests, ages: ages)
    }

    private static let additions = "org.iso.18013.5.1.aamva"
}

extension IdentityDocument {
    /// Its document types, the preferred one first.
    var docTypes: [String] {
        switch self {
        case .driversLicense: DocumentFamily.drivingLicence.types.map(\.docType)
        case .photoID: DocumentFamily.photoID.types.map(\.docType)
        case .nationalIDCardJP: [docType]
        }
    }
}

extension ItemsRequest {
    private static let suffix = "_unicode"

    /// The same of another type, for wallets that do not support alternatives: what documents have as
    /// `name_unicode` or as `name` is asked for by both, since each document has it once.
    fileprivate func inBothSpellings(docType: String) -> ItemsRequest {
        let spaces = nameSpaces.map { space in
            var space = space
            for element in space.elements where element.identifier.hasSuffix(Self.suffix) {
                let plain = String(element.identifier.dropLast(Self.suffix.count))
                guard offersInstead(ElementName(nameSpace: space.name, identifier: plain)) else { continue }
                space.elements.append(
                    Element(identifier: plain, intentToRetain: element.intentToRetain))
            }
            return space
        }
        return ItemsRequest(docType: docType, nameSpaces: spaces, alternatives: alternatives)
    }

    private func offersInstead(_ name: ElementName) -> Bool {
        alternatives.contains { $0.sets.contains([name]) }
    }
}

extension MobileDocumentReaderError.Reason {
    fileprivate init(_ error: IdentityDescriptorError) {
        self =
            switch error {
            case .noElements: .nothingRequested
            case .elementTwice: .elementTwice
            case .ageTwice: .ageBesideThreshold
            case .ageOutOfRange: .ageOutOfRange
            case .elementNotOfDocument: .elementNotOfDocument
            }
    }
}
