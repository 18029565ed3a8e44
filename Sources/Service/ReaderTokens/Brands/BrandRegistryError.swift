package import JSON
package import ReaderIdentityStore

/// The error of an operation on the brands of a folder.
package enum BrandRegistryError: Error, Equatable, Sendable {
    /// The system refused a file, or other users may change it.
    case file(IdentityStoreError)
    /// The file is not JSON of the expected form. `line` is `nil` if the fault has no single position.
    case malformed(line: Int?, JSONError)
    /// The file has the expected form, but a value in it is not allowed.
    case faulty(line: Int, BrandFault)
    /// The requested change is not allowed.
    case refused(BrandFault)
    /// The given file is no usable logo.
    case logo(LogoFault)
    /// The registry names a logo whose file is missing.
    case logoMissing(LogoName)
    /// A logo that the registry names is unusable.
    case logoUnfit(LogoName, LogoFault)
    /// A logo that no brand of the registry names.
    case logoUnnamed(LogoName)
}

/// The fault of a brand or of one of its keys.
package enum BrandFault: Error, Equatable, Sendable {
    /// `id` or `kid` is malformed (`TokenText`).
    case identifierMalformed
    case nameMalformed
    case logoNameMalformed
    case identityNameMalformed
    /// `notAfter` is not an RFC 3339 instant.
    case instantMalformed
    /// The key is not a point of P-256 in the form of a JWK (RFC 7518 6.2.1).
    case keyNotP256
    case tooManyBrands(limit: Int)
    case tooManyKeys(limit: Int)
    case brandTwice
    /// A key with this `kid` exists already, of this brand or another.
    case keyTwice
    case brandUnknown
    case keyUnknown
}

/// The reason why a file cannot be a logo.
package enum LogoFault: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    /// The file is not a complete PNG: its signature, header or end is missing.
    case notPNG
    /// The picture has more than `limit` pixels in width or height.
    case tooLarge(limit: Int)
}

extension BrandRegistryError {
    /// A text that says what is wrong, and what to do.
    package var explanation: String {
        switch self {
        case .file(let error): error.explanation
        case .malformed(let line?, let error): "brands.json, line \(line): \(error.explanation)"
        case .malformed(nil, let error): "brands.json: \(error.explanation)"
        case .faulty(let line, let fault): "brands.json, line \(line): \(fault.explanation)"
        case .refused(let fault): fault.explanation
        case .logo(let fault): "the logo: \(fault.explanation)"
        case .logoMissing(let name):
            "brands.json names the logo \(name.text), but the file is missing: put it beside brands.json"
        case .logoUnfit(let name, let fault): "the logo \(name.text): \(fault.explanation)"
        case .logoUnnamed(let name):
            "no brand in brands.json names the logo \(name.text): remove the file, or name it in a brand"
        }
    }
}

extension BrandFault {
    fileprivate var explanation: String {
        switch self {
        case .identifierMalformed:
            "an identifier must have 1 to \(TokenText.longest) characters: ASCII letters, digits, -, _, . and :, beginning with a letter or digit"
        case .nameMalformed: "a brand's name must have 1 to 64 characters in one line, all of them visible"
        case .logoNameMalformed: "a logo must be a file beside brands.json whose name ends in .png"
        case .identityNameMalformed: "the value of \"identity\" is not a valid identity name"
        case .instantMalformed: "the value of \"notAfter\" must be a date and time in the form of RFC 3339"
        case .keyNotP256:
            "a key must have \"kty\": \"EC\", \"crv\": \"P-256\", and a point on that curve as \"x\" and \"y\""
        case .tooManyBrands(let limit): "there are more than \(limit) brands"
        case .tooManyKeys(let limit): "a brand has more than \(limit) keys"
        case .brandTwice: "a brand with this identifier exists already"
        case .keyTwice:
            "a key with this identifier exists already: no two keys, even of different brands, may share an identifier"
        case .brandUnknown: "there is no such brand: countersign brand list shows all brands"
        case .keyUnknown: "there is no such key: countersign brand list shows all keys"
        }
    }
}

extension LogoFault {
    fileprivate var explanation: String {
        switch self {
        case .tooLong(let limit): "the file is longer than \(limit >> 10) KiB"
        case .notPNG:
            "the file is not a complete PNG, and no other format is accepted: an SVG can contain scripts and addresses"
        case .tooLarge(let limit): "the picture has more than \(limit) pixels in width or height"
        }
    }
}
