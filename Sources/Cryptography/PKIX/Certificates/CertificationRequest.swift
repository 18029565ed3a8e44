package import OpenSSLCrypto

/// What a certification request (PKCS #10, RFC 2986 4) asks an authority to certify.
package struct CertificationRequest: Sendable {
    package var subject: DistinguishedName
    /// The extensions asked for (RFC 2985 5.4.2); the authority may give others.
    package var extensions: [CertificateExtension]

    package init(subject: DistinguishedName, extensions: [CertificateExtension] = []) {
        self.subject = subject
        self.extensions = extensions
    }

    /// The request in DER for the public half of `key`, which signs it: that is how the authority knows who holds it.
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

    /// `CertificationRequestInfo`; the field for attributes is written even if it is empty.
    private func information(_ key: borrowing PublicKey) -> [UInt8] {
        let keyInfo = key.subjectPublicKeyInfo
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) { fields in
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

extension ObjectIdentifier {
    /// RFC 2985 5.4.2.
    fileprivate static let extensionRequest = ObjectIdentifier("1.2.840.113549.1.9.14")
}
