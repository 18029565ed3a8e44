internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto

extension VerifiedResponse {
    /// Whether each document of this response belongs to the holder of a document in an earlier response of
    /// the same session.
    package func isOfHolder(of earlier: VerifiedResponse) -> Bool {
        documents.allSatisfy { document in
            earlier.documents.contains { document.hasDeviceKey(of: $0) || document.isSameDocument(as: $0) }
        }
    }
}

extension VerifiedDocument {
    /// The elements by which a document differs from all others of its type and issuer.
    private static let distinguishing: [(identifier: String, type: DataElementType)] = [
        ("document_number", .text), ("personal_administrative_number", .text), ("portrait", .image),
    ]

    /// Whether both documents have the same device key.
    fileprivate func hasDeviceKey(of other: VerifiedDocument) -> Bool {
        do throws(COSEError) {
            let (own, others) = (
                try deviceKey.publicKey().encodedPoint, try other.deviceKey.publicKey().encodedPoint
            )
            return deviceKey.curve == other.deviceKey.curve && own == others
        } catch {
            return false
        }
    }

    /// Whether this and `other` are copies of one document, by the elements that distinguish documents.
    ///
    /// A wallet may hold several signed copies, each with another device key, and use each copy once. An
    /// empty element, or one of the wrong type, distinguishes nothing.
    fileprivate func isSameDocument(as other: VerifiedDocument) -> Bool {
        guard docType == other.docType, issuer.anchorSHA256 == other.issuer.anchorSHA256 else { return false }
        let comparisons = Self.distinguishing.compactMap { identifier, type -> Bool? in
            let name = ElementName.inMainNameSpace(identifier, of: docType)
            guard let own = issuerSigned(name), let others = other.issuerSigned(name),
                type.form(of: own).wrongType == nil, type.form(of: others).wrongType == nil
            else { return nil }
            return own.encoded.elementsEqual(others.encoded)
        }
        return !comparisons.isEmpty && comparisons.allSatisfy { $0 }
    }
}
