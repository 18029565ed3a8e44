internal import CBOR
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import OpenSSLCrypto
internal import PortraitDecoding
internal import Reports

/// What a clerk sees of a person beside the answers, until the clerk decides: the only personal data of a display
/// request. The portrait is wiped when this object is released.
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

/// A verified portrait in memory that is overwritten when its last owner goes.
package final class Portrait: Sendable {
    /// `image/jpeg` or `image/png`.
    package let mediaType: String
    private let bytes: SecretBytes

    init(_ shown: ShownPortrait) {
        mediaType = shown.mediaType
        bytes = SecretBytes(copying: shown.bytes[...])
    }

    /// Lends the bytes, which are overwritten afterwards unless they were copied.
    package func withBytes<Value>(_ body: (ArraySlice<UInt8>) -> Value) -> Value {
        bytes.withUnprotectedBytes { bytes in body(bytes) }
    }
}

extension ShownPerson.Name {
    /// What the issuer signed of it, where it was asked for and one document came.
    init?(_ report: TransactionReport) {
        guard report.documents.count == 1, let document = report.documents.first?.verified else { return nil }
        given = document.text("given_name")
        // Some documents have the whole name in one element.
        family = document.text("family_name") ?? document.text("full_name_unicode")
        guard given != nil || family != nil else { return nil }
    }
}

extension VerifiedDocument {
    fileprivate func text(_ identifier: String) -> String? {
        let element = elements.first { $0.name.identifier == identifier && $0.signedBy == .issuer }
        return element.flatMap { try? $0.value.text() }.flatMap { $0.isEmpty ? nil : $0 }.map {
            Terminal.safe($0, limit: 150)
        }
    }
}
