package import OpenSSLCrypto

/// The fields of a certificate to be written (RFC 5280 4.1.2). The fields are written as given, even if they
/// break a rule, because test issuers make faulty certificates on purpose.
package struct CertificateTemplate: Sendable {
    /// The serial number, big-endian and not negative.
    package var serialNumber: [UInt8]
    package var issuer: DistinguishedName
    package var subject: DistinguishedName
    /// The first second of validity, since 1970-01-01T00:00:00Z.
    package var notBefore: Int64
    /// The last second of validity, since 1970-01-01T00:00:00Z.
    package var notAfter: Int64
    package var subjectPublicKeyInfo: [UInt8]
    /// The extensions in the order in which they are written. An extension that occurs twice is written
    /// twice. If there are no extensions, the field is omitted.
    package var extensions: [CertificateExtension]

    package init(
        serialNumber: [UInt8], issuer: DistinguishedName, subject: DistinguishedName, notBefore: Int64,
        notAfter: Int64, publicKey: borrowing PublicKey, extensions: [CertificateExtension] = []
    ) {
        self.serialNumber = serialNumber
        self.issuer = issuer
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        subjectPublicKeyInfo = publicKey.subjectPublicKeyInfo
        self.extensions = extensions
    }

    /// Returns the certificate in DER, signed with the algorithm that fits the curve of `key`.
    package func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> [UInt8] {
        guard let algorithm = key.curve.preferredSignatureAlgorithm else { throw .algorithmDoesNotFitKey }
        return try sign(with: key, algorithm: algorithm)
    }

    /// Returns the certificate in DER, signed with `algorithm`.
    package func sign(
        with key: borrowing PrivateKey, algorithm: SignatureAlgorithm
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let identifier = algorithm.algorithmIdentifier(for: key.curve)
        let signed = tbsCertificate(signatureAlgorithm: identifier)
        let signature = try key.sign([signed[...]], algorithm: algorithm, form: .der)
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(encoded: signed)
                $0.write(encoded: identifier)
                $0.writeBitString(signature)
            }
        }
    }

    /// Returns the signed part, `TBSCertificate`. It contains the signature algorithm, which the outer
    /// structure repeats (RFC 5280 4.1.1.2).
    private func tbsCertificate(signatureAlgorithm: [UInt8]) -> [UInt8] {
        DERWriter.encode { writer in
            writer.write(DERTag.sequence) { fields in
                // Version 3 is encoded as 2.
                fields.write(DERTag.constructed(0)) { $0.writeInteger(2) }
                fields.writeInteger(unsigned: serialNumber)
                fields.write(encoded: signatureAlgorithm)
                fields.write(encoded: issuer.encoded)
                fields.write(DERTag.sequence) {
                    $0.writeTime(secondsSince1970: notBefore)
                    $0.writeTime(secondsSince1970: notAfter)
                }
                fields.write(encoded: subject.encoded)
                fields.write(encoded: subjectPublicKeyInfo)
                write(extensions, to: &fields)
            }
        }
    }

    /// Writes the field `extensions`, which has tag 3, unless there is no extension.
    private func write(_ extensions: [CertificateExtension], to fields: inout DERWriter) {
        guard !extensions.isEmpty else { return }
        fields.write(DERTag.constructed(3)) { $0.write(extensions) }
    }
}
