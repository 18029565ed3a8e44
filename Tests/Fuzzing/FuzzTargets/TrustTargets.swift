internal import OpenSSLCrypto
internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import PKIX
internal import TestCredentials

/// CRLs: their entries, who signed them, and whether a store lets them in.
func fuzzRevocationList(_ input: ArraySlice<UInt8>) {
    let world = FuzzWorld.standard
    let issuer = CertificateRevocationList.issuer(of: input)
    let snapshot = TrustSnapshot(world.roots)
    let source = world.source(.revocationList, "crl", input)
    let isAdmitted = (try? snapshot.admission(of: source, at: world.now)) != nil
    guard let list = try? CertificateRevocationList(der: input) else {
        return demand(!isAdmitted, "what is no CRL is let in")
    }
    demand(list.der == input, "the list's bytes do not survive")
    demand(issuer == list.issuer, "the issuer at first sight is another")
    demand(list.count <= CertificateRevocationList.maximumEntries, "a list without end")
    for serial in [[], [0], FuzzWorld.revoked] as [[UInt8]] {
        demand(list.entry(serialNumber: serial[...]) == nil || list.count > 0, "an empty list has an entry")
    }
    _ = snapshot.replacing(source).lint(at: world.now)
    demand(!isAdmitted || list.isSeed, "a forged CRL is believed")
}

extension CertificateRevocationList {
    /// The three that the world's root signed: one empty, one with a hold, one with a revocation.
    fileprivate var isSeed: Bool {
        guard thisUpdate == TestAuthority.now - TestAuthority.day, number == [7] else { return false }
        switch count {
        case 0: return true
        case 1: return entry(serialNumber: [1, 2])?.reason == .certificateHold
        case 2: return entry(serialNumber: FuzzWorld.revoked[...])?.reason == .keyCompromise
        default: return false
        }
    }
}

/// VICALs, as they come and with the input as what a provider signed; and RICALs, of which the provider signed none.
func fuzzVICAL(_ input: ArraySlice<UInt8>) {
    let world = FuzzWorld.standard
    let readers = try? UnverifiedRICAL(input).verify(by: TrustSnapshot(world.roots).providers, at: world.now)
    demand(readers == nil, "a forged RICAL is believed")
    if let list = verifiedVICAL(input) {
        let subjects = list.entries.map(\.certificate.subject)
        demand(subjects == [world.issuer.authority.name], "a forged VICAL is believed")
    }
    guard let certificate = try? world.vicalCertificate() else { fatalError("no signer") }
    _ = verifiedVICAL(world.signed(input, certificate: certificate)[...])
}

private func verifiedVICAL(_ bytes: ArraySlice<UInt8>) -> VerifiedVICAL? {
    let world = FuzzWorld.standard
    guard let list = try? UnverifiedVICAL(bytes) else { return nil }
    let snapshot = TrustSnapshot(world.roots)
    let lenient = try? list.verify(by: snapshot.providers, at: nil, .lenient)
    let strict = try? list.verify(by: snapshot.providers, at: world.now)
    demand(strict == nil || lenient != nil, "strict rules take what lenient ones refuse")
    let source = world.source(.vical, "list", bytes)
    let further = snapshot.replacing(source)
    if let lenient {
        demand(lenient.entries.count <= VerifiedVICAL.maximumEntries, "a list without end")
        demand(further.anchors.count <= lenient.entries.count + 1, "anchors out of nothing")
        demand(
            Set(lenient.entries.map(\.certificate.der)).count == lenient.entries.count,
            "an entry stands twice")
    } else {
        demand(further.anchors.count == snapshot.anchors.count, "an unverified list is used")
    }
    _ = further.lint(at: world.now)
    _ = further.difference(from: snapshot)
    let isAdmitted = (try? snapshot.admission(of: source, at: world.now)) != nil
    demand(lenient != nil || !isAdmitted, "a list is let in that does not verify")
    demand(strict == nil || isAdmitted, "a list that verifies is not let in")
    return strict
}

/// Status and identifier lists, as they come and with the input as the claims that a signer signed.
func fuzzStatusToken(_ input: ArraySlice<UInt8>) {
    let world = FuzzWorld.standard
    if checkToken(input) { demand(isSeed(input), "a forged list is believed") }
    guard let certificate = try? world.statusCertificate() else { fatalError("no signer") }
    for kind in [StatusToken.Kind.statusList, .identifierList] {
        _ = checkToken(world.signed(input, type: kind.rawValue, certificate: certificate)[...])
    }
}

private func isSeed(_ bytes: ArraySlice<UInt8>) -> Bool {
    (try? StatusToken(bytes))?.subject == TestStatusToken.uri
}

/// Whether a store lets the token in.
private func checkToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let token = try? StatusToken(bytes) else { return false }
    let world = FuzzWorld.standard
    demand(token.timeToLive ?? 1 > 0, "a list that ends before it begins")
    _ = (token.issued.description, token.expires?.description)
    if let list = try? token.statusList() {
        demand(list.count <= 8 * StatusList.maximumSize, "a list without end")
        demand(list[UInt64(list.count)] == nil, "a place beyond the list")
        demand(list.count == 0 || list[UInt64(list.count) - 1] != nil, "a list without its last place")
    }
    _ = try? token.identifiers()
    let kind: TrustSource.Kind = token.kind == .statusList ? .statusList : .identifierList
    let source = world.source(kind, token.subject, bytes)
    let snapshot = TrustSnapshot(world.roots)
    let isAdmitted = (try? snapshot.admission(of: source, at: world.now)) != nil
    _ = snapshot.replacing(source).lint(at: world.now)
    ask(TrustStore(snapshot.replacing(source)), about: token)
    return isAdmitted
}

/// What a document of the world is told by the list that it points to, twice and a day later.
private func ask(_ store: TrustStore, about token: StatusToken) {
    let world = FuzzWorld.standard
    let reference = Encoded.map([
        ("status_list", Encoded.map([("idx", [0x05]), ("uri", Encoded.text(token.subject))])),
        (
            "identifier_list",
            Encoded.map([("id", Encoded.bytes(FuzzWorld.revoked)), ("uri", Encoded.text(token.subject))])
        ),
    ])
    guard let item = try? CBORItem.parse(reference[...]) else { return }
    let status = Result { () throws(CBORError) in try DocumentStatus(item) }
    func finding(at now: Timestamp) -> RevocationFinding? {
        do throws(IssuerCertificateError) {
            let proof = try store.verify(
                store.issuerCertificate(der: world.issuer.certificate[...]), for: TestDocument.mDL, at: now)
            return store.revocation(of: proof, status: status, at: now, clockSkew: 60)
        } catch {
            return nil
        }
    }
    let first = finding(at: world.now)
    _ = finding(at: world.now.advanced(bySeconds: 86_400))
    demand(finding(at: world.now) == first, "asked again, a list says something else")
    demand(first != nil, "the world's signer is not believed any more")
    demand(
        first?.state != .revoked || first.map(RevocationPolicy.age.accepts) == false, "revoked is accepted")
}

/// Bundles, as they come and with the input as what their key signed.
func fuzzTrustBundle(_ input: ArraySlice<UInt8>) {
    let world = FuzzWorld.standard
    if let bundle = opened(input) {
        demand(bundle.snapshot.sources.map(\.name) == ["root", "provider"], "a forged bundle is believed")
    }
    guard let bundle = opened(world.signed(input, certificate: [])[...]) else { return }
    let again = try? TrustBundle.export(
        bundle.snapshot, created: bundle.created, signedWith: world.listKey.privateKey)
    guard let again, let second = opened(again[...]) else { fatalError("a bundle made anew is refused") }
    demand(second.snapshot.id == bundle.snapshot.id, "a bundle made anew is another")
    demand(second.snapshot.difference(from: bundle.snapshot).isEmpty, "the same sources differ")
}

private func opened(_ bytes: ArraySlice<UInt8>) -> TrustBundle? {
    let world = FuzzWorld.standard
    do {
        let bundle = try TrustBundle(
            bytes, signedBy: world.listKey.privateKey.publicKey(), notOlderThan: nil, at: world.now)
        _ = bundle.created.description
        for source in bundle.snapshot.sources { _ = source.obtained.description }
        _ = bundle.snapshot.lint(at: world.now)
        return bundle
    } catch {
        return nil
    }
}

extension FuzzWorld {
    func source(_ kind: TrustSource.Kind, _ name: String, _ bytes: ArraySlice<UInt8>) -> TrustSource {
        TrustSource(kind, name: name, provenance: .file(path: ""), obtained: now, bytes: bytes)
    }
}
