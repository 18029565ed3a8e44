internal import PKIX
import CBOR
import COSE
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

/// What may be wrong with a list.
private enum ListFault: CaseIterable {
    case none, offline, stale, truncated, wrongSigner, wrongSubject, replayedOlder
}

/// A list of one kind, in a store that has one issue of it already.
private protocol FaultyList {
    var kind: TrustSource.Kind { get }
    var name: String { get }
    /// The list with this fault, issued an hour after the one that is there; nil offline.
    func encoded(_ fault: ListFault) throws -> [UInt8]?
}

private struct World {
    let iaca: TestAuthority
    let otherIACA: TestAuthority
    let provider: TestAuthority
    let otherProvider: TestAuthority

    init() throws {
        iaca = try TestAuthority()
        otherIACA = try TestAuthority([(.countryName, "XX"), (.commonName, "Other IACA")])
        provider = try TestAuthority([(.commonName, "Provider")])
        otherProvider = try TestAuthority([(.commonName, "Other provider")])
    }

    var roots: [TrustSource] {
        [
            .test(.anchor, "iaca", iaca.der), .test(.anchor, "other", otherIACA.der),
            .test(.provider, "provider", provider.der), .test(.provider, "other", otherProvider.der),
        ]
    }
}

private struct FaultyCRL: FaultyList {
    let world: World
    let kind = TrustSource.Kind.revocationList
    let name = "https://utopia.example/crl"

    func encoded(_ fault: ListFault) throws -> [UInt8]? {
        var list = TestRevocationList(
            fault == .wrongSubject ? world.otherIACA : world.iaca, number: [fault == .replayedOlder ? 6 : 8])
        list.thisUpdate = TestAuthority.now - (fault == .replayedOlder ? 7200 : 0)
        if fault == .stale { list.nextUpdate = TestAuthority.now - 1 }
        switch fault {
        case .offline: return nil
        case .truncated: return try list.encoded().dropLast()
        case .wrongSigner: return try list.encoded(signedBy: TestKey())
        default: return try list.encoded()
        }
    }
}

private struct FaultyStatusList: FaultyList {
    let world: World
    let kind: TrustSource.Kind
    let name = TestStatusToken.uri

    func encoded(_ fault: ListFault) throws -> [UInt8]? {
        var token = try TestStatusToken(
            kind == .statusList ? .statusList : .identifierList, authority: world.iaca)
        token.issued = TestAuthority.now - (fault == .replayedOlder ? 7200 : 0)
        if fault == .stale { token.expires = TestAuthority.now - 1 }
        if fault == .wrongSubject { token.subject = TestStatusToken.uri + "0" }
        switch fault {
        case .offline: return nil
        case .truncated: return try token.encoded().dropLast()
        case .wrongSigner: return try TestStatusToken(token.kind, authority: TestAuthority()).encoded()
        default: return try token.encoded()
        }
    }
}

private struct FaultyVICAL: FaultyList {
    let world: World
    let kind = TrustSource.Kind.vical
    let name = "https://provider.example/vical"

    func encoded(_ fault: ListFault) throws -> [UInt8]? {
        var list = try TestVICAL(
            [.init(world.iaca.der)],
            provider: fault == .wrongSubject ? world.otherProvider : world.provider)
        list.issueID = fault == .replayedOlder ? 6 : 8
        if fault == .stale { list.nextUpdate = "2026-10-02T11:59:59Z" }
        switch fault {
        case .offline: return nil
        case .truncated: return try list.encoded().dropLast()
        case .wrongSigner: return try list.encoded(signedBy: TestKey())
        default: return try list.encoded()
        }
    }
}

@Suite("Lists with a fault")
struct ListFaultTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    /// What comes of a list: what letting it in says, and what a document is told that it alone decides about.
    private struct Outcome: Hashable {
        let admission: String
        let verdict: String
    }

    /// The words of an admission or refusal, without what depends on the run.
    private func words(_ source: TrustSource?, in snapshot: TrustSnapshot) throws -> String {
        guard let source else { return "nothing came" }
        do {
            return "\(try snapshot.admission(of: source, at: now))"
        } catch {
            switch error {
            case .older: return "older"
            case .otherIssuer: return "other issuer"
            case .shrunken: return "shrunken"
            case .tooManyIncomplete: return "too many"
            case .unusable(.vicalRefused(.expired)): return "stale"
            case .unusable(.revocationListUnreadable), .unusable(.statusListUnreadable),
                .unusable(.vicalRefused(.malformed)):
                return "unreadable"
            case .unusable(.revocationListSignatureInvalid), .unusable(.statusListSignerUnknown),
                .unusable(.vicalRefused(.cose(.signatureInvalid))):
                return "signer"
            case .unusable(.statusListSubjectWrong): return "subject"
            case .unusable(let other): return "\(other)"
            }
        }
    }

    private func verdict(_ list: any FaultyList, _ bytes: [UInt8]?, _ world: World) throws -> String {
        var sources = world.roots
        switch list.kind {
        case .vical: sources.removeFirst()
        case .statusList, .identifierList:
            sources.append(.test(.revocationList, "crl", try TestRevocationList(world.iaca).encoded()))
        default: break
        }
        if let bytes { sources.append(.test(list.kind, list.name, bytes)) }
        let store = TrustStore(TrustSnapshot(sources))
        let der = try world.iaca.sign(world.iaca.signer(for: TestKey()))
        do {
            let proof = try store.verify(
                store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
            let token = try TestStatusToken(authority: world.iaca)
            let reference: [UInt8]? =
                switch list.kind {
                case .statusList: token.reference(index: 1)
                case .identifierList: token.reference(identifier: [1])
                default: nil
                }
            let status = try reference.map { bytes in
                let item = try CBORItem.parse(bytes[...])
                return Result { () throws(CBORError) in try DocumentStatus(item) }
            }
            let finding = store.revocation(of: proof, status: status, at: now, clockSkew: 60)
            #expect(finding.state != .revoked)
            return finding.cause ?? "good"
        } catch let error as IssuerCertificateError {
            return "\(error)"
        }
    }

    private func outcomes(_ list: any FaultyList, _ world: World) throws -> [ListFault: Outcome] {
        var current = TrustSnapshot(world.roots)
        let first: [UInt8]?
        switch list.kind {
        case .revocationList: first = try TestRevocationList(world.iaca).encoded()
        case .vical: first = try TestVICAL([.init(world.iaca.der)], provider: world.provider).encoded()
        case .statusList: first = try TestStatusToken(authority: world.iaca).encoded()
        default: first = try TestStatusToken(.identifierList, authority: world.iaca).encoded()
        }
        current = current.replacing(.test(list.kind, list.name, try #require(first)))
        var outcomes: [ListFault: Outcome] = [:]
        for fault in ListFault.allCases {
            let bytes = try list.encoded(fault)
            let source = bytes.map { TrustSource.test(list.kind, list.name, $0) }
            outcomes[fault] = Outcome(
                admission: try words(source, in: current), verdict: try verdict(list, bytes, world))
        }
        return outcomes
    }

    @Test("Q176, Q182 Of a status or identifier list each fault has its own outcome, and none is revoked")
    func statusLists() throws {
        let world = try World()
        for kind in [TrustSource.Kind.statusList, .identifierList] {
            #expect(
                try outcomes(FaultyStatusList(world: world, kind: kind), world) == [
                    .none: Outcome(admission: "renewed", verdict: "good"),
                    .offline: Outcome(admission: "nothing came", verdict: "document.list_absent"),
                    .stale: Outcome(admission: "renewed", verdict: "document.list_stale"),
                    .truncated: Outcome(admission: "unreadable", verdict: "document.list_malformed"),
                    .wrongSigner: Outcome(admission: "signer", verdict: "document.list_signer_wrong"),
                    .wrongSubject: Outcome(admission: "subject", verdict: "document.list_subject_wrong"),
                    .replayedOlder: Outcome(admission: "older", verdict: "good"),
                ])
        }
    }

    @Test("Q176, Q182 Of a CRL each fault has its own outcome, and none is revoked")
    func revocationLists() throws {
        let world = try World()
        #expect(
            try outcomes(FaultyCRL(world: world), world) == [
                .none: Outcome(admission: "renewed", verdict: "good"),
                .offline: Outcome(admission: "nothing came", verdict: "signer.list_absent"),
                .stale: Outcome(admission: "renewed", verdict: "signer.list_stale"),
                .truncated: Outcome(admission: "unreadable", verdict: "signer.list_malformed"),
                .wrongSigner: Outcome(admission: "signer", verdict: "signer.list_signer_wrong"),
                .wrongSubject: Outcome(admission: "new", verdict: "signer.list_absent"),
                .replayedOlder: Outcome(admission: "older", verdict: "good"),
            ])
    }

    @Test("Q175, Q176 Of a VICAL each fault has its own outcome; one that is stale is kept")
    func vicals() throws {
        let world = try World()
        let (trusted, unknown) = (
            "signer.list_absent", "\(IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA,C=UT"))"
        )
        #expect(
            try outcomes(FaultyVICAL(world: world), world) == [
                .none: Outcome(admission: "renewed", verdict: trusted),
                .offline: Outcome(admission: "nothing came", verdict: unknown),
                .stale: Outcome(admission: "stale", verdict: trusted),
                .truncated: Outcome(admission: "unreadable", verdict: unknown),
                .wrongSigner: Outcome(admission: "signer", verdict: unknown),
                .wrongSubject: Outcome(admission: "other issuer", verdict: trusted),
                .replayedOlder: Outcome(admission: "older", verdict: trusted),
            ])
    }
}
