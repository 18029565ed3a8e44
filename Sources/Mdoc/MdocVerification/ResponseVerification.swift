internal import CBOR
internal import JSON
package import MdocModel
internal import MdocTrust

/// The judgement on a response: every check passed, or it is rejected.
package enum Judgement: Sendable {
    case verified(VerifiedResponse)
    case rejected(RejectedResponse)

    package var basis: VerificationBasis {
        switch self {
        case .verified(let response): response.basis
        case .rejected(let response): response.basis
        }
    }

    /// The report on each document, in the order in which they came.
    package var reports: [DocumentReport] {
        switch self {
        case .verified(let response): response.reports
        case .rejected(let response): response.reports
        }
    }
}

/// A response all of whose documents passed every check, and that has all it must have.
package struct VerifiedResponse: Sendable, RedactedDescription {
    /// At least one.
    package let documents: [VerifiedDocument]
    /// The report on each document, in the same order.
    package let reports: [DocumentReport]
    package let notReturned: [NotReturned]
    package let basis: VerificationBasis

    fileprivate init(
        documents: [VerifiedDocument], reports: [DocumentReport], notReturned: [NotReturned],
        basis: VerificationBasis
    ) {
        self.documents = documents
        self.reports = reports
        self.notReturned = notReturned
        self.basis = basis
    }
}

/// A response with something wrong: what was checked, and no element value.
package struct RejectedResponse: Sendable {
    package let failures: [ResponseFailure]
    /// The status that the mdoc gave; nil if it gave none.
    package let status: UInt64?
    package let reports: [DocumentReport]
    package let notReturned: [NotReturned]
    package let basis: VerificationBasis
}

/// What is wrong with the response itself rather than with one of its documents.
package enum ResponseFailure: String, CaseIterable, Error, Sendable {
    /// The version is missing or its major number is not 1.
    case version = "response.version"
    case statusMissing = "response.no_status"
    /// The mdoc reports an error by a `DeviceResponseStatus` other than OK.
    case statusNotOK = "response.status"
    /// No document came (Q156).
    case noDocuments = "response.no_documents"
    /// Documents came in a form that is not verified here: not the same as none (Q166).
    case documentsNotVerifiable = "response.documents_not_verifiable"
    /// Documents came encrypted for a recipient, which no request of ours asks for (second edition 10.3.5).
    case documentsEncrypted = "response.documents_encrypted"
}

/// Something that was asked for and did not come, or that the mdoc says it does not return.
package enum NotReturned: Hashable, Sendable {
    /// With the mdoc's code, where it gave one.
    case document(docType: String, code: Int64?)
    case element(docType: String, ElementName, code: Int64?)
}

extension UnverifiedResponse {
    /// Makes every check of ISO/IEC 18013-5 9.3 on every document. One rejected document rejects the response.
    package func verify(in context: VerificationContext) -> Judgement {
        var failures: [ResponseFailure] = []
        if version?.hasPrefix("1.") != true { failures.append(.version) }
        if status == nil {
            failures.append(.statusMissing)
        } else if status != 0 {
            failures.append(.statusNotOK)
        }
        if otherForms.contains(.encrypted) { failures.append(.documentsEncrypted) }
        if otherForms.contains(where: { $0 != .encrypted }) { failures.append(.documentsNotVerifiable) }
        if documents.isEmpty && otherForms.isEmpty { failures.append(.noDocuments) }

        var reports: [DocumentReport] = []
        var verified: [VerifiedDocument] = []
        var seen: Set<ArraySlice<UInt8>> = []
        for document in documents {
            let isRepetition = documents.count > 1 && !seen.insert(document.encoded).inserted
            let (report, proven) = document.verify(in: context, isRepetition: isRepetition)
            reports.append(report)
            if let proven { verified.append(proven) }
        }
        let notReturned = notReturned(comparedWith: context.comparison)
        let basis = VerificationBasis(context)
        guard failures.isEmpty, verified.count == documents.count else {
            return .rejected(
                RejectedResponse(
                    failures: failures, status: status, reports: reports, notReturned: notReturned,
                    basis: basis))
        }
        return .verified(
            VerifiedResponse(documents: verified, reports: reports, notReturned: notReturned, basis: basis))
    }

    private func notReturned(comparedWith comparison: RequestComparison) -> [NotReturned] {
        var missing = documentErrors.map { NotReturned.document(docType: $0.docType, code: $0.code) }
        for document in documents {
            missing += document.errors.map {
                .element(
                    docType: document.docType,
                    ElementName(nameSpace: $0.nameSpace, identifier: $0.identifier), code: $0.code)
            }
        }
        guard case .requested(let requests) = comparison else { return missing }
        for request in requests {
            let answers = documents.filter { $0.docType == request.docType }
            if answers.isEmpty {
                if !documentErrors.contains(where: { $0.docType == request.docType }) {
                    missing.append(.document(docType: request.docType, code: nil))
                }
            } else {
                missing += request.elementsMissing(from: answers)
            }
        }
        return missing
    }
}

extension ItemsRequest {
    /// What none of the documents returns and none explains. An age that was answered by another attestation is not missing.
    fileprivate func elementsMissing(from documents: [UnverifiedDocument]) -> [NotReturned] {
        var missing: [NotReturned] = []
        for nameSpace in nameSpaces {
            let came = documents.flatMap { $0.identifiers(in: nameSpace.name) }
            let explained = documents.flatMap { $0.errors.filter { $0.nameSpace == nameSpace.name } }
            let anyAge = came.contains { AgeAttestation($0) != nil }
            for element in nameSpace.elements where !came.contains(element.identifier) {
                if explained.contains(where: { $0.identifier == element.identifier }) { continue }
                if anyAge, AgeAttestation(element.identifier) != nil { continue }
                let name = ElementName(nameSpace: nameSpace.name, identifier: element.identifier)
                missing.append(.element(docType: docType, name, code: nil))
            }
        }
        return missing
    }
}

extension UnverifiedDocument {
    fileprivate func identifiers(in nameSpace: String) -> [String] {
        let issuerSigned = nameSpaces.filter { $0.name == nameSpace }.flatMap { $0.items.map(\.identifier) }
        return issuerSigned + deviceSigned.elements.filter { $0.nameSpace == nameSpace }.map(\.identifier)
    }
}

extension ResponseFailure {
    /// In plain words.
    ///
    /// - Parameter status: the status of the DeviceResponse, if it has one.
    package func explanation(status: UInt64?) -> String {
        switch self {
        case .version: "the DeviceResponse has no version, or one other than 1.x"
        case .statusMissing: "the DeviceResponse has no status"
        case .statusNotOK:
            status.map { DeviceResponseStatus(rawValue: $0).explanation }
                ?? "the phone answered with an error status: tap again"
        case .noDocuments: "the phone returned no document"
        case .documentsNotVerifiable: "the phone returned a document in a form that this reader cannot verify"
        case .documentsEncrypted:
            "the phone returned an encrypted document (encryptedDocuments); this reader does not support them"
        }
    }
}

extension NotReturned {
    /// What did not come, with the phone's code.
    package var explanation: String {
        switch self {
        case .document(let docType, let code):
            "\(Terminal.safe(docType, limit: 80)) was not returned\(Self.text(code))"
        case .element(let docType, let element, let code):
            "\(element.text) of \(Terminal.safe(docType, limit: 80)) was not returned\(Self.text(code))"
        }
    }

    private static func text(_ code: Int64?) -> String {
        code.map { " (code \($0))" } ?? ""
    }
}
