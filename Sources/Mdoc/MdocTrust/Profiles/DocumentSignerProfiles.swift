package import JSON
package import PKIX

/// The certificate profiles of document signers, by the document type (Q216).
package struct DocumentSignerProfiles: Equatable, Sendable {
    /// The maximum number of document types in the settings.
    package static let mostTypes = 64
    /// The maximum number of extended key usages for one document type in the settings.
    package static let mostPurposes = 8

    private var further: [String: CertificateProfile] = [:]

    /// Creates the profiles that the standards define.
    package init() {}

    /// Creates the profiles that the standards define, and a profile for each document type in `purposes`.
    ///
    /// - Parameter purposes: For each further document type, the extended key usages of which its signer must
    ///   have one. With an empty list, the signer must not have the extension.
    package init(_ purposes: [String: [ObjectIdentifier]]) {
        further = purposes.mapValues { .furtherSigner(naming: $0) }
    }

    /// Creates the profiles that the standards define, and a profile for each document type in a JSON object.
    ///
    /// Each key of the object is a document type. Its value is an array of extended key usages, of which a
    /// signer of the document type must have one. With an empty array, the signer must not have the
    /// extension.
    ///
    /// - Throws: `JSONFault` for a document type whose signers the standards define, and for a malformed
    ///   value.
    package init(_ text: JSONText) throws(JSONFault) {
        for (docType, value) in try text.entries(upTo: Self.mostTypes) {
            guard !Self.isFixed(docType) else {
                throw value.wrong(
                    "must be left out for a document type that begins with org.iso. or eu.europa.ec.: standards define the signers of these types"
                )
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
        // A PID's document type ends in a version number, so only its beginning is compared.
        if docType.hasPrefix("eu.europa.ec.eudi.pid.") { return .personIDSigner }
        return further[docType] ?? .documentSigner
    }

    /// Whether standards define the signers of this document type. Settings cannot change the profile of such
    /// a type.
    private static func isFixed(_ docType: String) -> Bool {
        docType.hasPrefix("org.iso.") || docType.hasPrefix("eu.europa.ec.")
    }
}
