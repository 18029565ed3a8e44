internal import CBOR
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import OpenSSLCrypto
internal import PortraitDecoding
internal import Reports

/// The portrait and name that a clerk sees until the decision. No other personal data of the response to a
/// display request stays in memory. The portrait's bytes are overwritten when this object is released.
final class ShownPerson: Sendable {
    let portrait: Portrait?
    let name: Name?

    struct Name: Sendable {
        let given: String?
        let family: String?
    }

    init?(portrait: Portrait?, name: Name?) {
        guard portrait != nil || name != nil else { return nil }
        self.portrait = portrait
        self.name = name
    }
}

/// A verified portrait, whose bytes are overwritten when the last reference to it is released.
package final class Portrait: Sendable {
    /// `image/jpeg` or `image/png`.
    package let mediaType: String
    private let bytes: SecretBytes

    init(_ shown: ShownPortrait) {
        mediaType = shown.mediaType
        bytes = SecretBytes(copying: shown.bytes[...])
    }

    /// Calls `body` with the bytes, which are overwritten later. A copy that `body` makes is not overwritten.
    package func withBytes<Value>(_ body: (ArraySlice<UInt8>) -> Value) -> Value {
        bytes.withUnprotectedBytes { bytes in body(bytes) }
    }
}

extension ShownPerson.Name {
    /// Reads the name that the issuer signed. Returns `nil` if no name was requested, or if the response has
    /// several documents, since the clerk sees one name.
    init?(_ report: TransactionReport) {
        guard report.documents.count == 1, let document = report.documents.first?.verified else { return nil }
        given = document.text("given_name")
        // Some documents have the whole name in one element.
        family = document.text("family_name") ?? document.text("full_name_unicode")
        guard given != nil || family != nil else { return nil }
    }
}

extension VerifiedDocument {
    /// The text of an element that the issuer signed, without characters that change a terminal's or page's
    /// display.
    fileprivate func text(_ identifier: String) -> String? {
        let element = elements.first { $0.name.identifier == identifier && $0.signedBy == .issuer }
        // An element of another CBOR type counts as absent. ISO/IEC 18013-5 permits names of 150 characters.
        return element.flatMap { try? $0.value.text() }.flatMap { $0.isEmpty ? nil : $0 }.map {
            Terminal.safe($0, limit: 150)
        }
    }
}
