/// The text of a QR code (ISO/IEC 18013-5 8.2.2.3): `mdoc:` and the engagement in base64url without padding.
package enum EngagementURI {
    /// The maximum length of a text, in bytes. It is more than any QR code can hold.
    package static let maximumLength = 8192

    /// Returns the bytes of the DeviceEngagement in a text. The letter case of the scheme, slashes after the
    /// scheme, padding, and blanks around the text are ignored (Q49).
    package static func deviceEngagement(in text: String) throws(MdocModelError) -> [UInt8] {
        guard text.utf8.count <= maximumLength else { throw .notAnEngagementURI }
        var rest = Array(text.utf8)[...]
        let blanks = Set(" \t\r\n".utf8)
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        rest = rest.drop { blanks.contains($0) }
        let (lowerCase, upperCase) = ("mdoc:".utf8, "MDOC:".utf8)
        // Each letter of the scheme may be small or capital.
        guard rest.count > lowerCase.count,
            zip(rest, zip(lowerCase, upperCase)).allSatisfy({ $0 == $1.0 || $0 == $1.1 })
        else { throw .notAnEngagementURI }
        rest = rest.dropFirst(lowerCase.count).drop { $0 == UInt8(ascii: "/") }
        var padding = 0
        // At most two characters `=` are padding.
        while rest.last == UInt8(ascii: "="), padding < 2 {
            rest.removeLast()
            padding += 1
        }
        guard !rest.isEmpty, let bytes = Base64URL.decode(rest) else { throw .notAnEngagementURI }
        return bytes
    }

    package static func text(for deviceEngagement: some Sequence<UInt8>) -> String {
        "mdoc:" + Base64URL.encode(deviceEngagement)
    }
}
