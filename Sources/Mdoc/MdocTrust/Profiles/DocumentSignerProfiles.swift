package import JSON
package import PKIX

/// Which certificate profile the signer of a document has to fit, by the type of the document (Q216).
package struct DocumentSignerProfiles: Equatable, Sendable {
    package static let mostTypes = 64
    package static let mostPurposes = 8

    private var further: [String: CertificateProfile] = [:]

    /// By the standards alone.
    package init() {}

    /// - Parameter purposes: for each further document type the extended key usages of which its signer has to name one; an
    ///   empty list is for a signer without the extension.
    package init(_ purposes: [String: [ObjectIdentifier]]) {
        further = purposes.mapValues { .furtherSigner(naming: $0) }
    }

    /// Those of the standards, and for each document type of an object the extended key usages of which its signer has
    /// to name one; an empty list is for a signer without the extension.
    package init(_ text: JSONText) throws(JSONFault) {
        for (docType, value) in try text.entries(upTo: Self.mostTypes) {
            guard !Self.isFixed(docType) else {
                throw value.wrong(
                    "must be of a document type that begins neither with org.iso. nor with eu.europa.ec.")
            }
            var purposes: [ObjectIdentifier] = []
            for entry in try value.array(upTo: Self.mostPurposes) {
                guard let purpose = ObjectIdentifier(dotted: try entry.string(upTo: 128)) else {
                    throw entry.wrong("must be an object identifier such as 1.0.18013.5.1.2")
                }
                purposes.append(purpose)
            }
            further[docType] = .furtherSigner(naming: purposes)
        }
    }

    package func profile(for docType: String) -> CertificateProfile {
        if docType.hasPrefix("eu.europa.ec.eudi.pid.") { return .personIDSigner }
        return further[docType] ?? .documentSigner
    }

    /// Whether standards say who signs documents of this type, which no setting changes.
    private static func isFixed(_ docType: String) -> Bool {
        docType.hasPrefix("org.iso.") || docType.hasPrefix("eu.europa.ec.")
    }
}
