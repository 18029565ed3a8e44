internal import MdocModel
internal import OpenSSLCrypto
package import PKIX

/// The bytes of a source of trust, with the value that was parsed from them.
///
/// The value is parsed at its first use, and only once. The snapshot, its report (`lint`), a store and the
/// admission of the next edition share the value. Only values that depend on nothing but the bytes are cached
/// here. Paths to roots, validity and revocation depend on other sources and on the time, so each snapshot
/// checks them itself.
package enum SourceContent: Sendable {
    /// A certificate: the content of an anchor or of a provider's root.
    case certificate(HeldCertificate)
    case vical(HeldVICAL)
    case revocationList(HeldRevocationList)
    /// A signed CWT: the content of a status or identifier list.
    case statusToken(HeldStatusToken)

    /// Wraps bytes of a known kind without parsing them.
    package init(_ kind: TrustSource.Kind, _ bytes: ArraySlice<UInt8>) {
        self =
            switch kind {
            case .anchor, .provider: .certificate(HeldCertificate(bytes))
            case .vical: .vical(HeldVICAL(bytes))
            case .revocationList: .revocationList(HeldRevocationList(bytes))
            case .statusList, .identifierList: .statusToken(HeldStatusToken(bytes))
            }
    }

    /// Recognises the kind of `bytes` by parsing them.
    ///
    /// - Returns: The kind of source and its content, or `nil` for bytes of no known kind.
    package static func recognise(
        _ bytes: ArraySlice<UInt8>
    ) -> (kind: TrustSource.Kind, content: SourceContent)? {
        let certificate = HeldCertificate(bytes)
        if (try? certificate.certificate()) != nil { return (.anchor, .certificate(certificate)) }
        // Only the beginning is read, so that a truncated CRL is recognised. It is refused later, with an
        // error about a CRL.
        if CertificateRevocationList.issuer(of: bytes) != nil {
            return (.revocationList, SourceContent(.revocationList, bytes))
        }
        let list = HeldVICAL(bytes)
        if (try? list.list()) != nil { return (.vical, .vical(list)) }
        let token = HeldStatusToken(bytes)
        do throws(StatusTokenError) {
            return (
                try token.token().kind == .statusList ? .statusList : .identifierList, .statusToken(token)
            )
        } catch {
            // A JWT is not usable. It is recognised all the same, so that the refusal can say that it is a
            // JWT.
            return error == .text(.jwt) ? (.statusList, .statusToken(token)) : nil
        }
    }

    package var bytes: ArraySlice<UInt8> {
        switch self {
        case .certificate(let held): held.der
        case .vical(let held): held.bytes
        case .revocationList(let held): held.der
        case .statusToken(let held): held.bytes
        }
    }

    /// Whether this content is the case of `SourceContent` that sources of `kind` use.
    func isForm(of kind: TrustSource.Kind) -> Bool {
        switch (self, kind) {
        case (.certificate, .anchor), (.certificate, .provider), (.vical, .vical),
            (.revocationList, .revocationList), (.statusToken, .statusList), (.statusToken, .identifierList):
            true
        default: false
        }
    }
}

/// The bytes of a root's certificate. The certificate is parsed, and its anchor is made, at the first use.
package final class HeldCertificate: Sendable {
    let der: ArraySlice<UInt8>
    private let parsed = Once<Result<Certificate, PKIXError>>()
    private let madeAnchor = Once<Result<TrustAnchor, TrustAnchorError>>()

    init(_ der: ArraySlice<UInt8>) {
        self.der = der
    }

    package func certificate() throws(PKIXError) -> Certificate {
        try parsed.value { Result { () throws(PKIXError) in try Certificate(der: der) } }.get()
    }

    /// Returns the anchor of this certificate. Its key is parsed only when the anchor first verifies a
    /// signature.
    ///
    /// - Parameter sha256: The SHA-256 of `der`, which the source has computed already.
    func anchor(sha256: [UInt8]) throws(HeldCertificateError) -> TrustAnchor {
        let certificate: Certificate
        do throws(PKIXError) { certificate = try self.certificate() } catch { throw .unreadable(error) }
        let made = madeAnchor.value {
            Result { () throws(TrustAnchorError) in
                try TrustAnchor(deferringKeyOf: certificate, sha256: sha256)
            }
        }
        do throws(TrustAnchorError) { return try made.get() } catch { throw .notAnAnchor(error) }
    }
}

/// The reason that the bytes of a root are not an anchor.
enum HeldCertificateError: Error {
    case unreadable(PKIXError)
    case notAnAnchor(TrustAnchorError)
}

extension TrustCondition {
    init(_ error: HeldCertificateError) {
        self =
            switch error {
            case .unreadable(let error): .certificateUnreadable(error)
            case .notAnAnchor(let error): TrustCondition(error)
            }
    }
}

/// The bytes of a VICAL. They are parsed at their first use, and the parsed list caches the result of
/// verifying its signature.
package final class HeldVICAL: Sendable {
    let bytes: ArraySlice<UInt8>
    private let parsed = Once<Result<UnverifiedVICAL, VICALError>>()

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package func list() throws(VICALError) -> UnverifiedVICAL {
        try parsed.value { Result { () throws(VICALError) in try UnverifiedVICAL(bytes) } }.get()
    }
}
