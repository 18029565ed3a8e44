package import HTTPTypes
internal import OpenSSLCrypto
internal import Glibc

extension HTTPFields {
    /// The first value of a field without a predefined constant; its name is in lower case.
    package func first(_ name: String) -> String? {
        first { $0.name.canonicalName == name }?.value
    }
}

extension String {
    /// The token of credentials of the scheme `Bearer` (RFC 6750 2.1), in capital or small letters (RFC 9110 11.1); nil for others.
    package var bearerToken: String? {
        let scheme = "bearer "
        guard prefix(scheme.count).lowercased() == scheme, count > scheme.count else { return nil }
        return String(dropFirst(scheme.count))
    }
}

/// The SHA-256 of a token, as a file has it in place of the token.
package enum TokenDigest {
    /// Whether the digest is of an empty text or of blanks and ends of lines: of a variable without a value, with `echo` or without.
    package static func isOfNoText(_ digest: [UInt8]) -> Bool {
        ["", "\n", "\r\n", " ", " \n"].contains { Digest(.sha256, of: Array($0.utf8)[...]).bytes == digest }
    }
}

/// The time in the form of HTTP (RFC 9110, 5.6.7 and 6.6.1).
package enum HTTPDate {
    package static var now: String { text(of: time(nil)) }

    static func text(of seconds: time_t) -> String {
        var seconds = seconds
        var fields = unsafe tm()
        guard unsafe gmtime_r(&seconds, &fields) != nil else { return "" }
        // This program never leaves the C locale, so these are the names that the standard wants.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            let length = unsafe strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
            return unsafe String(decoding: text.prefix(length).map(UInt8.init), as: UTF8.self)
        }
    }
}
