internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PresentationService
internal import ReaderAPI

/// A token that was drawn just now. Only its digest is kept.
struct NewToken {
    /// As many as the digest has.
    private static let size = 32

    let text: String
    private let digest: Digest

    init() throws(OpenSSLCryptoError) {
        text = Base64URL.encode(try randomBytes(Self.size))
        digest = Digest(.sha256, of: Array(text.utf8)[...])
    }

    /// What the configuration has of it.
    func member(name: String, scopes: [Scope], lanes: [String]) -> JSONValue {
        let words = { (words: [String]) in JSONValue.array(words.map(JSONValue.string)) }
        return .object(
            [
                ("name", .string(name)), ("sha256", .string(digest.bytes.hexadecimal)),
                ("scopes", words(scopes.map(\.rawValue))),
            ] + (lanes.isEmpty ? [] : [("lanes", words(lanes))]))
    }
}
