internal import OpenSSLCrypto

/// The SHA-256 of a token, as a file has it in place of the token.
package enum TokenDigest {
    /// Whether the digest is of an empty text or of blanks and ends of lines: of a variable without a value, with `echo` or without.
    package static func isOfNoText(_ digest: [UInt8]) -> Bool {
        ["", "\n", "\r\n", " ", " \n"].contains { Digest(.sha256, of: Array($0.utf8)[...]).bytes == digest }
    }
}
