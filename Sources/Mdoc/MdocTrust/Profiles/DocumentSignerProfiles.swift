package import JSON
package import PKIX

/// The choice of the certificate profile for a document's signer, by the document type (Q216).
package struct DocumentSignerProfiles: Equatable, Sendable {
    /// The maximum number of document types in the settings.
    package static let mostTypes = 64
    /// The maximum number of extended key usages for one document type in the settings.
    package static let mostPurposes = 8

    private var further: [String: CertificateProfile] = [:]

    /// Creates a choice among the profiles of the standards only.
    package init() {}

    /// Creates a choice among the profiles of the standards and of further document types.
    ///
    /// - Parameter purposes: For each further document type, the extended key usages of which its signer must
    ///   have one. With an empty list, the signer must not have the extension.
    package init(_ purposes: [String: [ObjectIdentifier]]) {
        further = purposes.mapValues { .furtherSigner(naming: $0) }
    }

    /// Creates a choice among the profiles of the standards, and of further document types from a JSON
    /// object.
    ///
    /// Each member of the object is a document type with an array of extended key usages, of which its signer
    /// must have one. With an empty array, the signer must not have the extension.
    ///
    /// - Throws: `JSONFault` for a document type whose signers the standards define, and for a malformed
    ///   value.
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
        // The type ends in a version number.
        if docType.hasPrefix("eu.europa.ec.eudi.pid.") { return .personIDSigner }
        return further[docType] ?? .documentSigner
    }

    /// Whether standards define the signers of this document type. Settings cannot change the profile of such
    /// a type.
    private static func isFixed(_ docType: String) -> Bool {
        docType.hasPrefix("org.iso.") || docType.hasPrefix("eu.europa.ec.")
    }
}
