package import MdocModel
package import MdocTrust

extension TrustSource {
    /// A source from a file, obtained at the "now" of the tests.
    package static func test(_ kind: Kind, _ name: String, _ bytes: [UInt8]) -> TrustSource {
        TrustSource(
            kind, name: name, provenance: .file(path: name),
            obtained: Timestamp(secondsSince1970: TestAuthority.now), bytes: bytes[...])
    }
}

/// Trust as a test wants it, which nobody was asked about: programs change it by a `TrustChange` alone.
extension TrustSnapshot {
    package func replacing(_ source: TrustSource) -> TrustSnapshot {
        TrustSnapshot(sources.filter { $0.identity != source.identity } + [source])
    }

    package func removing(_ identity: TrustSource.Identity) -> TrustSnapshot {
        TrustSnapshot(sources.filter { $0.identity != identity })
    }

    /// The kind of change that admitting `candidate` makes.
    @discardableResult
    package func admission(
        of candidate: TrustSource, at now: Timestamp, clockSkew: Int64 = 60,
        namedIssuers: [ArraySlice<UInt8>] = []
    ) throws(AdmissionRefusal) -> Admission {
        try admission(
            of: candidate, by: TrustRules(now: now, clockSkew: clockSkew, signers: namedIssuers)
        ).admission
    }

    package func remarks(
        on source: TrustSource, at now: Timestamp, clockSkew: Int64 = 60,
        namedIssuers: [ArraySlice<UInt8>] = []
    ) -> [TrustCondition] {
        remarks(on: source, by: TrustRules(now: now, clockSkew: clockSkew, signers: namedIssuers))
    }
}
