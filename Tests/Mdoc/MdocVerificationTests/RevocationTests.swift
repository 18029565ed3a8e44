internal import PKIX
import CBOR
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Verdict in parts")
struct VerdictPartsTests {
    private struct Case {
        var presentation: Presentation
        var sources: [TrustSource]
        var policy = RevocationPolicy.age

        init(index: UInt64? = nil, _ change: (inout TestDocument) -> Void = { _ in }) throws {
            var document = try TestDocument([.age(21, true)])
            let issuer = try TestIssuer()
            let token = try TestStatusToken(authority: issuer.authority)
            document.status = index.map { token.reference(index: $0) }
            change(&document)
            presentation = try Presentation(document, issuer: issuer)
            sources = [
                .test(.anchor, "root", issuer.authority.der),
                .test(.revocationList, "crl", try TestRevocationList(issuer.authority).encoded()),
                .test(.statusList, TestStatusToken.uri, try token.encoded()),
            ]
        }

        var snapshot: TrustSnapshot { TrustSnapshot(sources) }

        mutating func drop(_ kind: TrustSource.Kind) { sources.removeAll { $0.kind == kind } }

        func judgement() throws -> Judgement {
            let base = try presentation.context()
            let context = VerificationContext(
                transcript: base.transcript, comparison: base.comparison, readerKey: base.readerKey,
                trust: TrustStore(snapshot), now: base.now,
                policy: VerificationPolicy(revocation: policy))
            return try UnverifiedResponse(presentation.response()[...]).verify(in: context)
        }

        func report() throws -> (report: DocumentReport, isVerified: Bool, snapshot: TrustSnapshot.ID) {
            let judgement = try judgement()
            #expect(judgement.basis.policy == VerificationPolicy(revocation: policy))
            switch judgement {
            case .verified(let response):
                #expect(response.documents[0].revocation == response.reports[0].revocation)
                return (response.reports[0], true, judgement.basis.trustSnapshot)
            case .rejected(let rejected):
                return (rejected.reports[0], false, judgement.basis.trustSnapshot)
            }
        }
    }

    private func outcome(_ report: DocumentReport) -> CheckReport.Finding? {
        report.checks.first { $0.id == .revocation }?.outcome
    }

    @Test("A document that its lists know as good is so, and the verdict names the snapshot")
    func good() throws {
        let one = try Case(index: 1)
        let (report, isVerified, snapshot) = try one.report()
        #expect(isVerified)
        #expect(snapshot == one.snapshot.id)
        let parts = report.parts
        #expect(parts.authentic == .yes && parts.fresh == .yes && parts.holderBound == .yes)
        #expect(parts.documentCurrent == .unknown)
        #expect(parts.revocation == .good(ageSeconds: TestAuthority.day))
    }

    @Test("A revoked document is rejected under every policy, although it passes all other checks")
    func revoked() throws {
        for policy in [RevocationPolicy.age, .rental(staleDays: 9)] {
            var one = try Case(index: 0)
            one.policy = policy
            let (report, isVerified, _) = try one.report()
            #expect(!isVerified)
            #expect(outcome(report) == .failed(.revoked(.documentRevoked)))
            #expect(report.parts.revocation == .revoked(.documentRevoked, ageSeconds: 3600))
            #expect(
                report.parts.authentic == .yes && report.parts.fresh == .yes
                    && report.parts.holderBound == .yes)
        }
    }

    @Test(
        "Q182, Q183 A list that is not at hand is undetermined: accepted for an age, refused for a rental, told in both"
    )
    func undetermined() throws {
        var one = try Case(index: 1)
        one.drop(.statusList)
        let finding = RevocationFinding.undetermined(.listAbsent, about: .document, ageSeconds: nil)
        let (report, isVerified, _) = try one.report()
        #expect(isVerified)
        #expect(report.parts.revocation == finding)
        #expect(report.parts.revocation.state == .undetermined)
        one.policy = .rental(staleDays: 3)
        let (refused, isAccepted, _) = try one.report()
        #expect(!isAccepted)
        #expect(refused.parts.revocation == finding)
        #expect(outcome(refused) == .undetermined(.revocationUndetermined(.listAbsent, .document)))
    }

    @Test("Q183 A rental takes a list that is stale for so many days, and no longer")
    func stale() throws {
        for (days, isAccepted) in [(3, true), (2, false)] {
            var one = try Case(index: 1)
            one.presentation.now = "2026-11-05T06:00:00Z"  // the list ended on the 2nd at noon
            one.policy = .rental(staleDays: days)
            #expect(try one.report().isVerified == isAccepted)
        }
    }

    @Test("A document without a status is judged by its signer's CRL; with nothing at all nothing is known")
    func nothingPublished() throws {
        var one = try Case()
        #expect(try one.report().report.parts.revocation == .good(ageSeconds: TestAuthority.day))
        one.drop(.revocationList)
        let finding = try one.report().report.parts.revocation
        #expect(finding == .undetermined(.listAbsent, about: .signer, ageSeconds: nil))
    }

    @Test("A status that cannot be read leaves the document standing, and revocation unknown")
    func unreadable() throws {
        for status in [Encoded.text("x"), [0xa0], Encoded.map([("status_list", Encoded.text("x"))])] {
            let one = try Case { $0.status = status }
            let (report, isVerified, _) = try one.report()
            #expect(isVerified)
            #expect(
                report.parts.revocation
                    == .undetermined(.referenceUnreadable, about: .document, ageSeconds: nil))
        }
    }

    @Test("Of a document that nobody signed, no list is asked, and its parts say no more than is known")
    func notAuthentic() throws {
        var one = try Case(index: 0)
        one.sources[0] = .test(.anchor, "root", try TestAuthority().der)
        let (report, isVerified, _) = try one.report()
        #expect(!isVerified)
        #expect(outcome(report) == .skipped)
        #expect(report.parts.authentic == .no)
        #expect(report.parts.fresh == .yes && report.parts.holderBound == .yes)
        #expect(report.parts.revocation == .undetermined(.notChecked, about: .document, ageSeconds: nil))
    }

    @Test("What fails one part leaves the others as they are")
    func partByPart() throws {
        var expired = try Case(index: 1)
        expired.presentation.now = "2026-12-21T00:00:00Z"
        var parts = try expired.report().report.parts
        #expect(parts.authentic == .yes && parts.fresh == .no && parts.holderBound == .yes)
        let unbound = try Case(index: 1) { $0.deviceAuth = .none }
        parts = try unbound.report().report.parts
        #expect(parts.authentic == .yes && parts.fresh == .yes && parts.holderBound == .no)
        var unknown = try Case(index: 1) { $0.deviceAuth = .mac }
        unknown.presentation.hasReaderKey = false
        parts = try unknown.report().report.parts
        #expect(parts.authentic == .yes && parts.holderBound == .undetermined)
        #expect(parts.revocation == .good(ageSeconds: TestAuthority.day))
    }

    @Test("A document past its own expiry date is not current, and still authentic")
    func current() throws {
        for (day, expected) in [("2026-10-31", DocumentCurrency.no), ("2026-11-01", .yes)] {
            let one = try Case(index: 1) { $0.items.append(.init("expiry_date", Encoded.day(day))) }
            var asked = one
            asked.presentation = try Presentation(
                one.presentation.documents[0], issuer: one.presentation.issuer)
            let parts = try asked.report().report.parts
            #expect(parts.documentCurrent == expected)
            #expect(parts.authentic == .yes)
        }
    }

    @Test("A VICAL's issuer is believed for the types listed alone")
    func docType() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        for (docTypes, isVerified) in [([TestDocument.mDL], true), (["org.iso.23220.photoid.1"], false)] {
            var one = try Case()
            let list = try TestVICAL(
                [.init(one.presentation.issuer.authority.der, for: docTypes)], provider: provider)
            one.sources[0] = .test(.vical, "list", try list.encoded())
            one.sources.append(.test(.provider, "provider", provider.der))
            let (report, verified, _) = try one.report()
            #expect(verified == isVerified)
            if !isVerified {
                #expect(
                    report.checks.first
                        == .failed(
                            .issuerCertificate, .issuerCertificate(.docTypeNotTrusted(TestDocument.mDL))))
            }
        }
    }
}
