package import HTTPTypes
internal import OpenSSLCrypto
internal import Glibc

extension HTTPFields {
    /// The first value of a header field.
    ///
    /// - Parameter name: the field's name in lower case.
    package func first(_ name: String) -> String? {
        first { $0.name.canonicalName == name }?.value
    }
}

extension String {
    /// The token of an `Authorization` header with the scheme `Bearer` (RFC 6750, 2.1), or `nil` for another
    /// scheme. Schemes are case-insensitive (RFC 9110, 11.1).
    package var bearerToken: String? {
        let scheme = "bearer "
        guard prefix(scheme.count).lowercased() == scheme, count > scheme.count else { return nil }
        return String(dropFirst(scheme.count))
    }
}

/// The SHA-256 of a token, which configuration files contain instead of the token.
package enum TokenDigest {
    /// Whether the digest is the digest of an empty text, a blank or a line end. Such a digest results from a
    /// shell variable that is not set.
    package static func isOfNoText(_ digest: [UInt8]) -> Bool {
        ["", "\n", "\r\n", " ", " \n"].contains { Digest(.sha256, of: Array($0.utf8)[...]).bytes == digest }
    }
}

/// The format of the header `Date` (RFC 9110, 5.6.7 and 6.6.1).
package enum HTTPDate {
    package static var now: String { text(of: time(nil)) }

    /// The header's text for a time in seconds since 1970.
    static func text(of seconds: time_t) -> String {
        var seconds = seconds
        var fields = unsafe tm()
        guard unsafe gmtime_r(&seconds, &fields) != nil else { return "" }
        // The program never leaves the C locale. `strftime` therefore writes the English names that the RFC
        // requires.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            let length = unsafe strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
            return unsafe String(decoding: text.prefix(length).map(UInt8.init), as: UTF8.self)
        }
    }
}
