internal import CBOR
internal import JSON
package import MdocModel
internal import MdocTrust

/// The judgement on a response: verified if every check passed, else rejected.
package enum Judgement: Sendable {
    case verified(VerifiedResponse)
    case rejected(RejectedResponse)

    /// The trust and policy with which the response was judged.
    package var basis: VerificationBasis {
        switch self {
        case .verified(let response): response.basis
        case .rejected(let response): response.basis
        }
    }

    /// The reports on the documents, in the order of the response.
    package var reports: [DocumentReport] {
        switch self {
        case .verified(let response): response.reports
        case .rejected(let response): response.reports
        }
    }
}

/// A response in which every document passed every check (ISO/IEC 18013-5 9.3).
///
/// **Responsibility.** Only this value gives the caller access to element values.
/// `UnverifiedResponse.verify(in:)` makes it, and only if:
///
/// - the response has version 1.x and status 0;
/// - it has at least one document, and none that is encrypted or in a form that is not verified here (Q156,
///   Q166);
/// - each document gave the proof of every check, as a `VerifiedDocument`.
///
/// One rejected document rejects the response. Then the result is a `RejectedResponse`, without any element
/// value.
///
/// **Callers.** A reader's transaction, `countersign verify` and `OpenedPresentation` call `verify(in:)`.
/// Reports compute their answers from `documents`, and list `notReturned` and the deviations in `reports`.
///
/// **Limits.** The value is immutable and needs no actor. It may contain a test document, so the caller has
/// to ask `VerificationPolicy.accepts(_:)` whether the response may be used. Missing elements do not reject a
/// response; reports decide whether an answer is complete.
package struct VerifiedResponse: Sendable, RedactedDescription {
    /// The documents, at least one.
    package let documents: [VerifiedDocument]
    /// The reports on the documents, in the order of `documents`.
    package let reports: [DocumentReport]
    /// The requested documents and elements that were not returned.
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

/// A response that was rejected: the results of the checks, without element values.
package struct RejectedResponse: Sendable {
    package let failures: [ResponseFailure]
    /// The status of the response; `nil` if it has none.
    package let status: UInt64?
    package let reports: [DocumentReport]
    package let notReturned: [NotReturned]
    package let basis: VerificationBasis
}

/// A fault of the response itself, as opposed to a fault of one of its documents.
package enum ResponseFailure: String, CaseIterable, Error, Sendable {
    /// The version is missing, or its major number is not 1.
    case version = "response.version"
    case statusMissing = "response.no_status"
    /// The phone reports an error by a `DeviceResponseStatus` other than OK.
    case statusNotOK = "response.status"
    /// The response has no document (Q156).
    case noDocuments = "response.no_documents"
    /// The response has documents in a form that is not verified here. Such documents do not count as absent
    /// (Q166).
    case documentsNotVerifiable = "response.documents_not_verifiable"
    /// The response has encrypted documents. No request of this reader asks for encryption (second edition
    /// 10.3.5).
    case documentsEncrypted = "response.documents_encrypted"
}

/// A requested document or element that is missing from the response, or a document or element that the phone
/// reports as not returned.
package enum NotReturned: Hashable, Sendable {
    /// A document, with the phone's error code if there is one.
    case document(docType: String, code: Int64?)
    /// An element, with the phone's error code if there is one.
    case element(docType: String, ElementName, code: Int64?)
}

extension UnverifiedResponse {
    /// Makes every check of ISO/IEC 18013-5 9.3 on every document. One rejected document rejects the
    /// response.
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

        // All documents are checked even if the response has failed already, so that the report is complete.
        var reports: [DocumentReport] = []
        var verified: [VerifiedDocument] = []
        var seen: Set<ArraySlice<UInt8>> = []
        for document in documents {
            // If a document comes twice, its second copy is refused (Q163). A single document cannot repeat
            // another, so its bytes are not hashed.
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

    /// Returns the documents and elements that the phone reports as not returned, then the requested
    /// documents and elements that are missing without an error code.
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
    /// Returns the elements of this request that no document contains and for which the phone reports no
    /// error.
    ///
    /// A requested age is not missing if another attestation was returned, because it may answer the question
    /// (ISO/IEC 18013-5 7.2.5).
    fileprivate func elementsMissing(from documents: [UnverifiedDocument]) -> [NotReturned] {
        var missing: [NotReturned] = []
        for nameSpace in nameSpaces {
            let returned = documents.flatMap { $0.identifiers(in: nameSpace.name) }
            let explained = documents.flatMap { $0.errors.filter { $0.nameSpace == nameSpace.name } }
            let anyAge = returned.contains { AgeAttestation($0) != nil }
            for element in nameSpace.elements where !returned.contains(element.identifier) {
                if explained.contains(where: { $0.identifier == element.identifier }) { continue }
                // Another attestation was returned in place of this one (ISO/IEC 18013-5 7.2.5).
                if anyAge, AgeAttestation(element.identifier) != nil { continue }
                let name = ElementName(nameSpace: nameSpace.name, identifier: element.identifier)
                missing.append(.element(docType: docType, name, code: nil))
            }
        }
        return missing
    }
}

extension UnverifiedDocument {
    /// Returns the names of all returned elements of a namespace, signed by the issuer or asserted by the
    /// phone.
    fileprivate func identifiers(in nameSpace: String) -> [String] {
        let issuerSigned = nameSpaces.filter { $0.name == nameSpace }.flatMap { $0.items.map(\.identifier) }
        return issuerSigned + deviceSigned.elements.filter { $0.nameSpace == nameSpace }.map(\.identifier)
    }
}

extension ResponseFailure {
    /// Returns the fault in words, for messages to users.
    ///
    /// - Parameter status: The status of the DeviceResponse, or `nil` if it has none.
    package func explanation(status: UInt64?) -> String {
        switch self {
        case .version: "the DeviceResponse has no version, or a version other than 1.x"
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
    /// The missing document or element in words for users, with the phone's error code.
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
