internal import MdocModel
internal import OpenSSLCrypto
package import PKIX

/// The bytes of a source of trust with what they were read as.
///
/// Each form is read when it is first needed and only once, whoever asks: a snapshot, its lint, a store and the admission of the
/// next issue share one value. Only what follows from the bytes alone is kept here. Paths to roots, validity and revocation depend on
/// the other sources and the time, and are checked by each snapshot.
package enum SourceContent: Sendable {
    /// The content of an anchor or a provider.
    case certificate(HeldCertificate)
    case vical(HeldVICAL)
    case revocationList(HeldRevocationList)
    /// The content of a status or identifier list.
    case statusToken(HeldStatusToken)

    /// Bytes of a known kind, which nobody has read yet.
    package init(_ kind: TrustSource.Kind, _ bytes: ArraySlice<UInt8>) {
        self =
            switch kind {
            case .anchor, .provider: .certificate(HeldCertificate(bytes))
            case .vical: .vical(HeldVICAL(bytes))
            case .revocationList: .revocationList(HeldRevocationList(bytes))
            case .statusList, .identifierList: .statusToken(HeldStatusToken(bytes))
            }
    }

    /// Reads bytes of which nobody said what they are.
    ///
    /// - Returns: The kind of source that they can be, or nil for bytes of no known kind.
    package static func recognize(
        _ bytes: ArraySlice<UInt8>
    ) -> (kind: TrustSource.Kind, content: SourceContent)? {
        let certificate = HeldCertificate(bytes)
        if (try? certificate.certificate()) != nil { return (.anchor, .certificate(certificate)) }
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
            // A JWT is refused as such, by name, beside the other sources.
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

    /// Whether the content was made for sources of this kind.
    func isForm(of kind: TrustSource.Kind) -> Bool {
        switch (self, kind) {
        case (.certificate, .anchor), (.certificate, .provider), (.vical, .vical),
            (.revocationList, .revocationList), (.statusToken, .statusList), (.statusToken, .identifierList):
            true
        default: false
        }
    }
}

/// The bytes of a root: parsed, and made an anchor, when that is first needed.
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

    /// The anchor that the certificate makes; whether its key can be used shows when something is verified with it.
    ///
    /// - Parameter sha256: The SHA-256 of `der`, which every source has.
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

/// Why the bytes of a root are no anchor.
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

/// The bytes of a VICAL, parsed when that is first needed. The parsed list keeps the verdict on its signature.
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
