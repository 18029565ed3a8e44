import MdocTrust
import PKIX
import Testing
import TestCredentials
import TrustFetch

@Suite("What is asked for")
struct FetchPlanTests {
    private let root: TestAuthority
    private let snapshot: TrustSnapshot

    init() throws {
        root = try TestAuthority()
        let distributing = try root.sign(
            root.template.with(.crlDistributionPoint(uri: "http://utopia.example/crl")))
        snapshot = TrustSnapshot([
            .test(.anchor, "https://utopia.example/root", root.der),
            .test(.anchor, "roots/2.der", distributing),
            .test(.provider, "https://provider.example/root", root.der),
            .test(.vical, "https://provider.example/vical", []), .test(.vical, "vical.cbor", []),
            .test(.revocationList, "http://utopia.example/crl", []),
            .test(.statusList, "https://utopia.example/status/1", []),
            TrustSource(
                .revocationList, name: "utopia", provenance: .fetched(url: "https://utopia.example/full.crl"),
                obtained: FetchScene.now, bytes: []),
        ])
    }

    private func lines(_ plan: FetchPlan) -> [String] {
        plan.targets.map { "\($0.identity.kind.rawValue) \($0.identity.name) \($0.url)" }
    }

    @Test(
        "Lists known by URL and the CRLs that anchors name, each once; files and pinned roots are not asked for"
    )
    func renewal() {
        let plan = FetchPlan(renewing: snapshot)
        #expect(
            lines(plan) == [
                "anchor https://utopia.example/root https://utopia.example/root",
                "vical https://provider.example/vical https://provider.example/vical",
                "revocation_list http://utopia.example/crl http://utopia.example/crl",
                "revocation_list utopia https://utopia.example/full.crl",
                "status_list https://utopia.example/status/1 https://utopia.example/status/1",
            ])
        #expect(plan.refused.isEmpty)
    }

    @Test("A location that nobody is asked at is reported with the reason")
    func refused() throws {
        let distributing = try root.sign(
            root.template.with(.crlDistributionPoint(uri: "ldap://utopia.example/cn=crl")))
        let plan = FetchPlan(
            renewing: TrustSnapshot([
                .test(.anchor, "root.der", distributing),
                .test(.statusList, "http://utopia.example/status", []),
            ]))
        #expect(plan.targets.isEmpty)
        #expect(
            plan.refused.map(\.identity.name) == [
                "ldap://utopia.example/cn=crl", "http://utopia.example/status",
            ])
        #expect(plan.refused.allSatisfy { $0.fault == .schemeRefused })
    }
}

@Suite("Locations")
struct FetchTargetTests {
    private func fault(_ kind: TrustSource.Kind, _ url: String) -> TrustFetchError? {
        do throws(TrustFetchError) {
            _ = try FetchTarget(kind, name: "list", url: url)
            return nil
        } catch {
            return error
        }
    }

    @Test("Lists are asked for with TLS, and a CRL alone without", arguments: TrustSource.Kind.allCases)
    func schemes(_ kind: TrustSource.Kind) {
        let isPinned = kind == .provider
        let refused = TrustFetchError.locationRefused(isPinned ? .pinned : .schemeRefused)
        #expect(fault(kind, "https://utopia.example/list") == (isPinned ? refused : nil))
        #expect(fault(kind, "http://utopia.example/list") == (kind == .revocationList ? nil : refused))
        for scheme in ["ftp", "file", "ldap", "unix", "http+unix", "https+unix"] {
            #expect(fault(kind, "\(scheme)://utopia.example/list") == refused)
        }
    }

    @Test(
        "What is no location is refused",
        arguments: [
            ("", LocationFault.unreadable), ("https:", .unreadable), ("https://", .unreadable),
            ("https:///list", .unreadable), ("https://utopia.example/a list", .unreadable),
            ("https://utopia.example/\r\nX: y", .unreadable), ("https://ütopia.example/", .unreadable),
            ("https://utopia.example:port/", .unreadable), ("list", .schemeRefused),
            ("//utopia.example/list", .schemeRefused), ("https://me@utopia.example/", .credentials),
            ("https://:secret@utopia.example/", .credentials),
        ])
    func refused(_ url: String, _ expected: LocationFault) {
        #expect(fault(.vical, url) == .locationRefused(expected))
    }

    @Test("A location has 2048 bytes at most")
    func length() {
        let start = "https://utopia.example/"
        let rest = String(repeating: "a", count: 2048 - start.count)
        #expect(fault(.vical, start + rest) == nil)
        #expect(fault(.vical, start + rest + "a") == .locationRefused(.unreadable))
    }

    @Test("Every error has its own word, and none speaks of revocation")
    func words() {
        let errors: [TrustFetchError] = [
            .locationRefused(.unreadable), .locationRefused(.schemeRefused), .locationRefused(.credentials),
            .locationRefused(.pinned), .timedOut(.connect), .timedOut(.headers), .timedOut(.progress),
            .timedOut(.whole), .timedOut(.batch), .tooLarge(limit: 1), .status(404), .status(500),
            .redirectedElsewhere, .redirectedToPlaintext, .redirectedTooOften(limit: 3), .contentEncoded,
            .tls(.certificateRefused), .tls(.hostNameWrong), .tls(.handshakeFailed), .nameUnresolved,
            .unreachable, .truncated, .malformed, .cancelled, .serverRootsUnreadable,
            .libraryMissing,
        ]
        #expect(Set(errors.map(\.id)).count == errors.count)
        #expect(errors.allSatisfy { !$0.id.contains("revoked") })
    }
}
