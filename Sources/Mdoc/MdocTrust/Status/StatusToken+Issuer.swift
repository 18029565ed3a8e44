internal import CBOR
internal import COSE
internal import OpenSSLCrypto
internal import PKIX

extension StatusToken {
    /// Returns a digest of the names and key identifiers of the authorities that issued the signer's
    /// certificate, up to the root.
    ///
    /// `nil` if the token has no certificate that can be read. The digest only distinguishes lists. The
    /// signature proves who made a list.
    static func issuerDigest(of bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let limits = CBORLimits(bytes: maximumSize)
        return (try? CBORItem.parse(bytes, limits: limits)).flatMap { try? COSESign1($0, limits: limits) }
            .flatMap(issuerDigest)
    }

    /// The digest that `issuerDigest(of:)` computes from the token's bytes.
    var issuerDigest: [UInt8]? { Self.issuerDigest(signature) }

    /// Returns the digest for a parsed token.
    private static func issuerDigest(_ signature: COSESign1) -> [UInt8]? {
        guard let chain = try? signature.headers.x5chain(maximum: 4) else { return nil }
        var parts: [ArraySlice<UInt8>] = []
        var below: Certificate?
        for der in chain {
            // The digest covers only the signer's chain below the root. A root in the header, or a
            // certificate outside of the chain, ends the loop.
            guard let certificate = try? Certificate(der: der), !certificate.isSelfIssued,
                below?.names(certificate) ?? true
            else { break }
            for part in [certificate.issuer.comparisonKey, Array(certificate.authorityKeyIdentifier ?? [])] {
                // The length precedes each part, so that no two chains have the same digest.
                parts.append([
                    UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count),
                ])
                parts.append(part[...])
            }
            below = certificate
        }
        return parts.isEmpty ? nil : Digest(.sha256, ofParts: parts).bytes
    }
}
