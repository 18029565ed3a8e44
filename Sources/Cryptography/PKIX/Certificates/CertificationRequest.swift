internal import ErrorMapping
package import OpenSSLCrypto

/// The contents of a certification request (PKCS #10, RFC 2986 4).
package struct CertificationRequest: Sendable {
    package var subject: DistinguishedName
    /// The requested extensions (RFC 2985 5.4.2). The authority may grant other extensions.
    package var extensions: [CertificateExtension]

    package init(subject: DistinguishedName, extensions: [CertificateExtension] = []) {
        self.subject = subject
        self.extensions = extensions
    }

    /// Returns the request in DER for the public half of `key`. The signature by `key` proves to the
    /// authority that the sender holds the private half.
    package func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> [UInt8] {
        guard let algorithm = key.curve.preferredSignatureAlgorithm else { throw .algorithmDoesNotFitKey }
        let identifier = algorithm.algorithmIdentifier(for: key.curve)
        let information = information(try key.publicKey())
        let signature = try key.sign([information[...]], algorithm: algorithm, form: .der)
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(encoded: information)
                $0.write(encoded: identifier)
                $0.writeBitString(signature)
            }
        }
    }

    /// Returns `CertificationRequestInfo`. The attributes are written even if they are empty.
    private func information(_ key: borrowing PublicKey) -> [UInt8] {
        let keyInfo = key.subjectPublicKeyInfo
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) { fields in
                // Version 1 is encoded as 0.
                fields.writeInteger(0)
                fields.write(encoded: subject.encoded)
                fields.write(encoded: keyInfo)
                fields.write(DERTag.constructed(0)) { attributes in
                    if !extensions.isEmpty { writeExtensionRequest(to: &attributes) }
                }
            }
        }
    }

    private func writeExtensionRequest(to attributes: inout DERWriter) {
        attributes.write(DERTag.sequence) { attribute in
            attribute.write(.extensionRequest)
            attribute.write(DERTag.set) { $0.write(extensions) }
        }
    }
}

/// A certification request (PKCS #10, RFC 2986 4) with a verified signature: its sender holds the private
/// half of the key.
package struct VerifiedCertificationRequest: Sendable {
    /// The maximum size of a request, in bytes.
    package static let maximumSize = 1 << 13

    package let subject: DistinguishedName
    package let subjectPublicKeyInfo: SubjectPublicKeyInfo

    /// Parses and verifies a request. Its attributes are not read, because the authority decides on the
    /// contents of the certificate.
    package init(der: ArraySlice<UInt8>) throws(CertificationRequestError) {
        guard der.count <= Self.maximumSize else { throw .malformed(.limitExceeded(at: der.startIndex)) }
        let signature: X509Signature
        do throws(PKIXError) {
            signature = try X509Signature(der)
            var fields = DERReader(signature.signed.contents)
            guard try fields.readSmallInteger() == 0 else {
                throw .valueMalformed(at: signature.signed.contents.startIndex)
            }
            subject = try DistinguishedName(fields.readElement(DERTag.sequence))
            subjectPublicKeyInfo = try SubjectPublicKeyInfo(fields.readElement(DERTag.sequence))
            // The attributes are not used, but must be present.
            _ = try fields.readElement(DERTag.constructed(0))
            try fields.finish()
        } catch {
            throw .malformed(error)
        }
        try mapping(
            signature.verify(with: subjectPublicKeyInfo.publicKey()), CertificationRequestError.notSigned)
    }
}

/// The reason why a certification request is refused.
package enum CertificationRequestError: Error, Equatable, Sendable {
    case malformed(PKIXError)
    /// The request is not signed by its key, or the key cannot be used.
    case notSigned(OpenSSLCryptoError)
}

extension ObjectIdentifier {
    /// The attribute extensionRequest (RFC 2985 5.4.2).
    fileprivate static let extensionRequest = ObjectIdentifier("1.2.840.113549.1.9.14")
}
