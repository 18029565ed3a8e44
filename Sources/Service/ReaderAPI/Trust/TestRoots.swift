internal import MdocVerification

/// Which of the trusted issuers are for tests: what they sign is shown as a test, and never as verified.
package enum TestRoots: Equatable, Sendable {
    /// Those of `UT`, the code that the standard's examples and software wallets use, which is not a real country
    /// (ISO/IEC 18013-5 Annex D).
    case ofNoCountry
    /// Those whose certificates have these SHA-256, and no others.
    case named(Set<[UInt8]>)

    private static let country = "UT"

    func contain(_ issuer: DocumentIssuer) -> Bool {
        switch self {
        case .ofNoCountry: issuer.country == Self.country
        case .named(let digests): issuer.anchorSHA256.map { digests.contains($0) } ?? false
        }
    }
}
