package import OpenSSLCrypto

/// Functions that create extensions, with the criticality that the profiles of ISO/IEC 18013-5 require (Annex
/// B).
extension CertificateExtension {
    /// Creates an extension whose value `body` writes.
    package init(
        _ oid: ObjectIdentifier, isCritical: Bool = false, _ body: (inout DERWriter) -> Void
    ) {
        self.init(oid: oid, isCritical: isCritical, value: DERWriter.encode(body)[...])
    }

    package static func basicConstraints(_ constraints: BasicConstraints) -> Self {
        Self(.basicConstraints, isCritical: true) {
            $0.write(DERTag.sequence) {
                if constraints.isCA { $0.writeBoolean(true) }
                if let length = constraints.pathLength { $0.writeInteger(UInt(max(0, length))) }
            }
        }
    }

    package static func keyUsage(_ usage: KeyUsage) -> Self {
        Self(.keyUsage, isCritical: true) {
            // The number of the highest bit that is set; 0 if none is.
            let highest = UInt16.bitWidth - 1 - min(usage.rawValue.leadingZeroBitCount, 15)
            // DER omits trailing zero bits of a named bit list (X.690 11.2.2); some real certificates do not
            // (Q214).
            var bytes = [UInt8](repeating: 0, count: highest / 8 + 1)
            for bit in 0...highest where usage.rawValue & 1 << bit != 0 {
                bytes[bit / 8] |= 0x80 >> (bit % 8)
            }
            // The first byte is the number of unused bits in the last byte.
            $0.write(DERTag.bitString, contents: [UInt8(7 - highest % 8)] + bytes)
        }
    }

    package static func extendedKeyUsage(_ purposes: [ObjectIdentifier], isCritical: Bool = true) -> Self {
        Self(.extendedKeyUsage, isCritical: isCritical) {
            $0.write(DERTag.sequence) { for purpose in purposes { $0.write(purpose) } }
        }
    }

    package static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self(.subjectKeyIdentifier) { $0.writeOctetString(identifier) }
    }

    package static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self(.authorityKeyIdentifier) {
            $0.write(DERTag.sequence) { $0.write(DERTag.primitive(0), contents: identifier) }
        }
    }

    package static func issuerAlternativeName(uri: String) -> Self {
        // Tag 6 is a URI (RFC 5280 4.2.1.6).
        Self(.issuerAlternativeName) {
            $0.write(DERTag.sequence) { $0.write(DERTag.primitive(6), contents: Array(uri.utf8)) }
        }
    }

    /// Creates subjectAltName with the names of a server (RFC 5280 4.2.1.6): DNS names, and IP addresses of 4
    /// or 16 bytes.
    package static func subjectAlternativeNames(dns: [String], addresses: [[UInt8]] = []) -> Self {
        // Tag 2 is a DNS name, and tag 7 an IP address.
        Self(.subjectAlternativeName) {
            $0.write(DERTag.sequence) { names in
                for name in dns { names.write(DERTag.primitive(2), contents: Array(name.utf8)) }
                for address in addresses { names.write(DERTag.primitive(7), contents: address) }
            }
        }
    }

    package static func crlDistributionPoint(uri: String) -> Self {
        Self(.crlDistributionPoints) {
            // The nested elements are the list, a DistributionPoint, its name, the form fullName, and a URI
            // (RFC 5280 4.2.1.13).
            $0.write(DERTag.sequence) {
                $0.write(DERTag.sequence) {
                    $0.write(DERTag.constructed(0)) {
                        $0.write(DERTag.constructed(0)) {
                            $0.write(DERTag.primitive(6), contents: Array(uri.utf8))
                        }
                    }
                }
            }
        }
    }
}

extension DERWriter {
    /// Writes `Extensions` (RFC 5280 4.1).
    package mutating func write(_ extensions: [CertificateExtension]) {
        write(DERTag.sequence) { list in
            for next in extensions {
                list.write(DERTag.sequence) {
                    $0.write(next.oid)
                    if next.isCritical { $0.writeBoolean(true) }
                    $0.writeOctetString(next.value)
                }
            }
        }
    }
}

extension PublicKey {
    /// Returns the SHA-1 of the public key's bits (RFC 5280 4.2.1.2, method 1). No security depends on this
    /// digest, because the identifier only helps to find a key.
    package func subjectKeyIdentifier() throws(OpenSSLCryptoError) -> [UInt8] {
        try sha1ForKeyIdentifier(encodedPoint[...])
    }
}

extension SubjectPublicKeyInfo {
    /// Returns the SHA-1 of the public key's bits (RFC 5280 4.2.1.2, method 1). No security depends on this
    /// digest, because the identifier only helps to find a key.
    package func keyIdentifier() throws(OpenSSLCryptoError) -> [UInt8] {
        try sha1ForKeyIdentifier(publicKeyBits)
    }
}
