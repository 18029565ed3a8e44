internal import OpenSSLCrypto
package import PKIX

/// A CRL made for a test (RFC 5280, 5.1), conforming unless a member is changed.
package struct TestRevocationList: Sendable {
    package struct Entry: Sendable {
        /// Big-endian, not negative.
        package var serialNumber: [UInt8]
        package var revocationDate = TestAuthority.now - 3 * TestAuthority.day
        package var extensions: [CertificateExtension] = []

        package init(_ serialNumber: [UInt8], reason: UInt8? = nil, extensions: [CertificateExtension] = []) {
            self.serialNumber = serialNumber
            self.extensions = extensions + (reason.map { [.reasonCode($0)] } ?? [])
        }
    }

    package var issuer: DistinguishedName
    /// The number of the version; nil leaves the field out, as in v1.
    package var version: UInt? = 1
    package var thisUpdate = TestAuthority.now - TestAuthority.day
    package var nextUpdate: Int64? = TestAuthority.now + 30 * TestAuthority.day
    /// Encoded elements between nextUpdate and the entries.
    package var furtherFields: [UInt8] = []
    /// Nil leaves the field out; an empty list is written.
    package var entries: [Entry]?
    package var extensions: [CertificateExtension]
    private let key: TestKey

    /// The CRL of `authority` that lists `entries`.
    package init(_ authority: TestAuthority, _ entries: [Entry] = [], number: [UInt8] = [7]) {
        issuer = authority.name
        key = authority.pair
        self.entries = entries.isEmpty ? nil : entries
        extensions = [.authorityKeyIdentifier(authority.keyIdentifier), .crlNumber(number)]
    }

    /// The encoding, signed by the authority or by another.
    package func encoded(signedBy other: TestKey? = nil) throws -> [UInt8] {
        let signer = other ?? key
        // The algorithm's identifier is taken from a certificate of the same key.
        let sample = try CertificateTemplate(
            serialNumber: [1], issuer: issuer, subject: issuer, notBefore: 0, notAfter: 1,
            publicKey: signer.privateKey.publicKey()
        ).sign(with: signer.privateKey)
        var fields = DERReader(sample[...])
        var certificate = try fields.enter(DERTag.sequence)
        _ = try certificate.readElement()
        let algorithm = try certificate.readElement().encoding
        let signed = signedPart(algorithm)
        let signature = try signer.privateKey.sign(
            [signed[...]], algorithm: signer.privateKey.curve.preferredSignatureAlgorithm ?? .eddsa,
            form: .der)
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(encoded: signed)
                $0.write(encoded: algorithm)
                $0.writeBitString(signature)
            }
        }
    }

    private func signedPart(_ algorithm: ArraySlice<UInt8>) -> [UInt8] {
        DERWriter.encode { writer in
            writer.write(DERTag.sequence) { fields in
                if let version { fields.writeInteger(version) }
                fields.write(encoded: algorithm)
                fields.write(encoded: issuer.encoded)
                fields.writeTime(secondsSince1970: thisUpdate)
                if let nextUpdate { fields.writeTime(secondsSince1970: nextUpdate) }
                fields.write(encoded: furtherFields)
                if let entries {
                    fields.write(DERTag.sequence) { for entry in entries { entry.write(to: &$0) } }
                }
                guard !extensions.isEmpty else { return }
                fields.write(DERTag.constructed(0)) { $0.write(extensions) }
            }
        }
    }
}

extension TestRevocationList.Entry {
    fileprivate func write(to list: inout DERWriter) {
        list.write(DERTag.sequence) {
            $0.writeInteger(unsigned: serialNumber)
            $0.writeTime(secondsSince1970: revocationDate)
            if !extensions.isEmpty { $0.write(extensions) }
        }
    }
}

extension CertificateExtension {
    package static func crlNumber(_ number: [UInt8]) -> Self {
        Self(.crlNumber) { $0.writeInteger(unsigned: number) }
    }

    package static func reasonCode(_ code: UInt8) -> Self {
        Self(.reasonCode) { $0.write(DERTag.enumerated, contents: [code]) }
    }

    /// IssuingDistributionPoint with a full name and flags (RFC 5280, 5.2.5).
    package static func issuingDistributionPoint(uri: String? = nil, flags: [UInt8] = []) -> Self {
        Self(.issuingDistributionPoint, isCritical: true) {
            $0.write(DERTag.sequence) { fields in
                if let uri {
                    fields.write(DERTag.constructed(0)) {
                        $0.write(DERTag.constructed(0)) {
                            $0.write(DERTag.primitive(6), contents: Array(uri.utf8))
                        }
                    }
                }
                for flag in flags { fields.write(DERTag.primitive(flag), contents: [0xff]) }
            }
        }
    }
}
