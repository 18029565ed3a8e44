internal import MdocModel
package import MdocTrust

extension TrustSource {
    /// A source from a file, obtained at the "now" of the tests.
    package static func test(_ kind: Kind, _ name: String, _ bytes: [UInt8]) -> TrustSource {
        TrustSource(
            kind, name: name, provenance: .file(path: name),
            obtained: Timestamp(secondsSince1970: TestAuthority.now), bytes: bytes[...])
    }
}
