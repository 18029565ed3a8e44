package import JSON
package import ReaderIdentityStore

/// Why the registry of brands cannot be read or changed.
package enum BrandRegistryError: Error, Equatable, Sendable {
    /// The system refused a file, or others may change it.
    case file(IdentityStoreError)
    /// The file is no JSON of its form; where, if it is in one place.
    case misshapen(line: Int?, JSONError)
    /// The file is of its form, and says what cannot be.
    case faulty(line: Int, BrandFault)
    /// What is to be added or changed cannot be.
    case refused(BrandFault)
    /// The logo cannot be shown.
    case logo(LogoFault)
}

/// What is wrong with a brand.
package enum BrandFault: Error, Equatable, Sendable {
    /// `id` or `kid` is none (`TokenText`).
    case identifierMisshapen
    case nameMisshapen
    case logoNameMisshapen
    case identityNameMisshapen
    /// `notAfter` is no RFC 3339 instant.
    case instantMisshapen
    /// The key is no point of P-256 as a JWK writes it (RFC 7518 6.2.1).
    case keyNotP256
    case tooManyBrands(limit: Int)
    case tooManyKeys(limit: Int)
    /// There is a brand with this `id` already.
    case brandTwice
    /// There is a key with this `kid` already, of this brand or another.
    case keyTwice
    case brandUnknown
    case keyUnknown
}

/// What is wrong with a logo.
package enum LogoFault: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    /// Not a whole PNG: its signature, header or end is missing.
    case notPNG
    /// Wider or higher than a page shows.
    case tooLarge(limit: Int)
}
