internal import MdocModel

/// The origin of a web page or of an Android app.
///
/// - A page's origin is serialised as in browsers (WHATWG HTML, 7.1.1): scheme, host, and the port unless it
///   is the scheme's default.
/// - Android's origin of an app is the hash of the certificate that signed the app (Q238).
package struct WebOrigin: Hashable, Sendable {
    /// The origin as text, such as `https://shop.example` without a slash at its end, or
    /// `android:apk-key-hash:…`. Two origins are equal only if their whole texts are equal.
    package let serialised: String

    /// Parses the origin of a secure page or of an Android app.
    ///
    /// A secure page has the scheme `https`; `http` is allowed only for a page of this computer itself, for
    /// tests. A host name with non-ASCII characters must be in its ASCII form, in lower case.
    ///
    /// - Throws: `WalletPresentationError.originMalformed` for any other text.
    package init(_ text: String) throws(WalletPresentationError) {
        if text.hasPrefix(Self.androidApp) {
            guard Self.isCertificateHash(text.dropFirst(Self.androidApp.count).utf8) else {
                throw .originMalformed
            }
            serialised = text
            return
        }
        let (scheme, rest, defaultPort): (String, Substring.UTF8View, Int)
        // 8 and 7 are the lengths of `https://` and `http://`.
        if text.hasPrefix("https://") {
            (scheme, rest, defaultPort) = ("https", text.dropFirst(8).utf8, 443)
        } else if text.hasPrefix("http://") {
            (scheme, rest, defaultPort) = ("http", text.dropFirst(7).utf8, 80)
        } else {
            throw .originMalformed
        }
        let parts = rest.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, Self.isHost(host) else { throw .originMalformed }
        // Browsers leave out the default port, so an origin with the default port would never match a
        // browser's origin.
        if parts.count == 2 {
            guard let port = Self.port(parts[1]), port != defaultPort else { throw .originMalformed }
        }
        let isLocal = Self.local.contains { host.elementsEqual($0.utf8) }
        guard scheme == "https" || isLocal else { throw .originMalformed }
        serialised = text
    }

    private static let androidApp = "android:apk-key-hash:"

    /// Whether the text is a SHA-256 in base64url without padding, which always has 43 characters (Q238).
    private static func isCertificateHash(_ text: Substring.UTF8View) -> Bool {
        text.count == 43 && Base64URL.decode(text)?.count == 32
    }

    private static let local = ["localhost", "127.0.0.1"]

    /// Whether the host has labels of lower-case letters, digits and hyphens, joined by dots (RFC 1035,
    /// 2.3.1).
    private static func isHost(_ host: Substring.UTF8View) -> Bool {
        guard (1...253).contains(host.count) else { return false }
        return host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            (1...63).contains($0.count) && $0.first != UInt8(ascii: "-") && $0.last != UInt8(ascii: "-")
                && $0.allSatisfy { isLabelCharacter($0) }
        }
    }

    private static func isLabelCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Returns a port of one to five digits without a leading zero; `nil` for other text.
    private static func port(_ digits: Substring.UTF8View) -> Int? {
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let port = digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        return port <= 65_535 ? port : nil
    }
}
