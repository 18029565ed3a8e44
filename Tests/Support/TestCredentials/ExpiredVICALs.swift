package import MdocTrust
internal import PKIX

/// Issues of one VICAL that ended longer ago than is tolerated, each with its provider's root, as the sources of a bundle.
package struct ExpiredVICALs {
    /// Issue 7, which lists ten roots.
    package let present: [TrustSource]
    /// Issue 6.
    package let older: [TrustSource]
    /// Issue 8, which lists seven of the ten roots.
    package let shrunken: [TrustSource]
    /// Issue 8 of another provider.
    package let ofOtherProvider: [TrustSource]
    /// Issue 8, which lists all ten roots.
    package let later: [TrustSource]
    /// The identity of the list in each of them.
    package var list: TrustSource.Identity { TrustSource.Identity(kind: .vical, name: "list") }

    package init() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
        let other = try TestAuthority([(.countryName, "UT"), (.commonName, "Other provider")])
        let roots = try (0..<10).map { try TestAuthority([(.commonName, "Root \($0)")]).der }
        present = try Self.sources(7, roots, by: provider)
        older = try Self.sources(6, roots, by: provider)
        shrunken = try Self.sources(8, Array(roots.prefix(7)), by: provider)
        ofOtherProvider = try Self.sources(8, roots, by: other)
        later = try Self.sources(8, roots, by: provider)
    }

    private static func sources(
        _ issue: UInt64, _ roots: [[UInt8]], by provider: TestAuthority
    ) throws -> [TrustSource] {
        var list = try TestVICAL(roots.map { .init($0) }, provider: provider) { signer in
            var signer = signer
            signer.notBefore -= 60 * TestAuthority.day
            signer.notAfter -= 60 * TestAuthority.day
            return signer
        }
        list.issueID = issue
        list.date = "2026-08-0\(issue)T00:00:00Z"
        list.nextUpdate = "2026-09-01T00:00:00Z"
        return [
            .test(.provider, "\(provider.name)", provider.der), .test(.vical, "list", try list.encoded()),
        ]
    }
}
