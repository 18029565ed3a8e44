internal import OpenSSLCrypto
internal import MdocTrust
internal import PKIX
internal import TestCredentials

/// Certificates one after the other, the leaf first: what each profile finds, and whether they lead to a root.
func fuzzCertificateProfile(_ input: ArraySlice<UInt8>) {
    let chain = certificates(in: input)
    guard let leaf = chain.first else { return }
    for certificate in chain { checkProfiles(of: certificate, issuedBy: chain.last) }
    let world = FuzzWorld.standard
    let snapshot = TrustSnapshot(world.roots)
    let roots = snapshot.anchors.map(\.anchor) + snapshot.providers
    if let root = try? CertificatePath.verify(chain, to: roots, at: world.now) {
        demand(roots.contains { $0 === root }, "a root that nobody pinned")
        demand(world.hasSigned(leaf), "a forged chain is believed")
    }
    let bySelf = chain.compactMap { try? TrustAnchor($0) }
    _ = try? CertificatePath.verify(chain, to: bySelf, at: world.now)
    _ = snapshot.replacing(world.source(.anchor, "further", leaf.der)).lint(at: world.now)
}

private func certificates(in input: ArraySlice<UInt8>) -> [Certificate] {
    var reader = DERReader(input)
    var chain: [Certificate] = []
    while chain.count < 6, let element = try? reader.readElement(),
        let certificate = try? Certificate(der: element.encoding)
    {
        chain.append(certificate)
    }
    return chain
}

private func checkProfiles(of certificate: Certificate, issuedBy issuer: Certificate?) {
    for profile in CertificateProfile.all {
        let found = profile.findings(of: certificate, issuedBy: issuer)
        demand(found.allSatisfy { profile.rules.contains($0.rule) }, "a finding of another profile")
        let order = found.compactMap { CertificateRule.allCases.firstIndex(of: $0.rule) }
        demand(order == order.sorted(), "findings out of order")
        let lenient = profile.refusals(among: found, .lenient)
        demand(profile.refusals(among: found, .strict) == found, "strict rules let something pass")
        demand(Set(lenient).isSubset(of: found), "lenient rules find something more")
        demand(
            certificate.basicConstraints?.isCA != true || profile.name == "iaca" || !lenient.isEmpty,
            "an authority is a leaf")
    }
}

extension FuzzWorld {
    /// Whether a seed has a certificate with this key: only those keys are the world's.
    fileprivate func hasSigned(_ certificate: Certificate) -> Bool {
        let keys = [issuer.key, issuer.authority.pair, provider.pair, listKey]
        return keys.contains { key in
            (try? key.privateKey.publicKey().subjectPublicKeyInfo)
                .map { certificate.subjectPublicKeyInfo.encoding.elementsEqual($0) } ?? false
        }
    }

    func vicalCertificate() throws -> [UInt8] { try Self.signers.get().vical }
    func statusCertificate() throws -> [UInt8] { try Self.signers.get().status }

    /// Signed once, for signing each anew would cost more than what is fuzzed.
    private static let signers = Result {
        (
            vical: try standard.vical().certificate,
            status: try standard.statusToken(.statusList).certificate
        )
    }
}
