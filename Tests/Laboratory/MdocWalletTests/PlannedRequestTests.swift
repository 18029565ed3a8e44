import COSE
import MdocModel
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import PKIX
import RequestPlanner
import Testing

/// What a wallet returns for what the planner asks.
@Suite("Planned requests, answered")
struct PlannedRequestTests {
    private static let now = Timestamp(secondsSince1970: 1_793_534_400)

    private let transcript: SessionTranscript
    private let issuer: TestIssuer

    init() throws {
        transcript = SessionTranscript(
            deviceEngagement: try randomBytes(30),
            eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes, handover: .qr)
        issuer = try TestIssuer(entropy: .seed("planned"), now: Self.now)
    }

    /// A phone with a licence and an age card.
    private func holder(attested: [Int] = [18, 21]) throws -> Holder {
        var licence = TestLicence()
        licence.attestedAges = attested
        var card = TestDocument(docType: "eu.europa.ec.av.1")
        card.add(to: "eu.europa.ec.av.1", ["age_over_18": true])
        return Holder(
            documents: try [licence.document(on: Self.now.dayInUTC), card].map {
                try issuer.issue($0, for: COSEKeyPair(PrivateKey.generate(.p256)))
            })
    }

    private func answer(
        _ intent: String, for capabilities: EngagementCapabilities, by holder: Holder
    ) throws -> (verdict: Judgement, draft: DeviceRequestDraft) {
        let draft = try RequestPlan(RequestIntent(parsing: intent), keeping: .none)
            .drafts(for: capabilities)[0]
        let request = try draft.encode(for: capabilities, in: transcript)
        guard case .response(let bytes) = try holder.answer(request[...], transcript: transcript) else {
            throw Declined()
        }
        let context = VerificationContext(
            transcript: transcript, comparison: .requested(draft.documents), readerKey: nil,
            trust: TrustStore(anchors: [try TrustAnchor(Certificate(der: issuer.root[...]))]), now: Self.now,
            policy: VerificationPolicy(rules: .strict))
        return (try UnverifiedResponse(bytes[...]).verify(in: context), draft)
    }

    private struct Declined: Error {}

    private func documents(
        _ intent: String, for capabilities: EngagementCapabilities, by holder: Holder
    ) throws -> [VerifiedDocument] {
        guard case .verified(let response) = try answer(intent, for: capabilities, by: holder).verdict
        else { throw Declined() }
        return response.documents
    }

    @Test("Any of two documents: one comes, in the order of preference, and never both")
    func oneOfTwo() throws {
        let holder = try holder()
        for capabilities in [EngagementCapabilities.extendedRequest, []] {
            let types = { (intent: String) in
                try documents(intent, for: capabilities, by: holder).map(\.docType)
            }
            #expect(try types("age over 18; from av or mdl") == ["eu.europa.ec.av.1"])
            #expect(try types("age over 18; from mdl or av") == ["org.iso.18013.5.1.mDL"])
        }
        let photoID = try documents("age over 18; from photoid or av", for: .extendedRequest, by: holder)
        #expect(photoID.map(\.docType) == ["eu.europa.ec.av.1"])
    }

    @Test(
        "Q160 Where the licence has no attestation its age in years comes, if the wallet knows alternatives")
    func alternative() throws {
        let bare = try holder(attested: [])
        let answered = try documents("age over 21", for: .extendedRequest, by: bare)
        #expect(answered.flatMap(\.elements).map(\.name.identifier) == ["age_in_years"])
        guard
            case .yes(let name) = answered[0].isAgeAtLeast(
                21, accepting: .ageInYears, on: Self.now.dayInUTC)
        else {
            Issue.record("no answer")
            return
        }
        #expect(name.identifier == "age_in_years")
        #expect(try documents("age over 21", for: [], by: bare).flatMap(\.elements).isEmpty)
        let attested = try documents("age over 21", for: .extendedRequest, by: holder())
        #expect(attested.flatMap(\.elements).map(\.name.identifier) == ["age_over_21"])
    }

    @Test("A rental request brings what answers whether its category may be driven today")
    func rental() throws {
        let rental = "rental: name, licence number, categories B, class C, expiry, portrait"
        let licence = try #require(try documents(rental, for: [], by: holder()).first)
        let today = Self.now.dayInUTC
        for vehicle in [DrivingClass.category("B"), .domesticClass("C")] {
            guard case .yes(let until, let restrictions) = licence.mayDrive(vehicle, on: today) else {
                Issue.record("\(vehicle)")
                continue
            }
            #expect(until > today && restrictions.isEmpty)
        }
        #expect(licence.mayDrive(.category("C1"), on: today) == .no(.notGranted))
        #expect(licence.mayDrive(.domesticClass("M"), on: today) == .no(.notGranted))
        #expect(licence.elements.allSatisfy { $0.name.identifier != "birth_date" })
    }

    @Test("Q172 A wallet that insists on a signature declines without one; one that does not answers")
    func untrusted() throws {
        var holder = try holder()
        holder.readerTrust = ReaderTrust(.alwaysRequire, roots: [])
        #expect(throws: Declined.self) { try documents("age over 18", for: [], by: holder) }
        holder.readerTrust = ReaderTrust(.enforceIfPresent, roots: [])
        #expect(try documents("age over 18", for: [], by: holder).count == 1)
    }
}
