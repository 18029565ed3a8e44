import CBOR
import COSE
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import Testing

@Suite("The holder answers what was asked for")
struct HolderTests {
    private func response(_ presentation: PresentationCase) throws -> UnverifiedResponse {
        let written = try WrittenCase(presentation)
        return try UnverifiedResponse(written.bytes("device_response.cbor"))
    }

    /// The ages that come back for the ages that were asked for.
    private func ages(_ asked: Int..., holder age: Int, attested: [Int]) throws -> [String: Bool] {
        let presentation = PresentationCase("age") {
            $0.licence.age = age
            $0.licence.attestedAges = attested
            $0.requests = [
                PresentationCase.request([TestLicence.nameSpace: asked.map { "age_over_\($0)" }])
            ]
        }
        let document = try #require(try response(presentation).documents.first)
        return try document.nameSpaces.flatMap(\.items).reduce(into: [:]) {
            $0[$1.identifier] = try $1.value.boolean()
        }
    }

    @Test("Q159 The smallest attested age above that is true, else the largest below that is false")
    func nearestAge() throws {
        #expect(try ages(20, holder: 40, attested: [18, 21, 25, 65]) == ["age_over_21": true])
        #expect(try ages(21, holder: 40, attested: [18, 21, 25, 65]) == ["age_over_21": true])
        #expect(try ages(68, holder: 40, attested: [18, 21, 60, 65]) == ["age_over_65": false])
        #expect(try ages(65, holder: 40, attested: [18, 21, 60, 65]) == ["age_over_65": false])
        #expect(try ages(25, holder: 19, attested: [18, 21]) == ["age_over_21": false])
    }

    @Test("Q159 Where no attestation answers, none is returned and the element is in errors")
    func noAge() throws {
        #expect(try ages(50, holder: 40, attested: [18, 21, 65]).isEmpty)
        #expect(try ages(16, holder: 17, attested: [18, 21]).isEmpty)
        let document = try #require(
            try response(
                PresentationCase("age") {
                    $0.requests = [PresentationCase.request([TestLicence.nameSpace: ["age_over_50"]])]
                }
            ).documents.first)
        #expect(document.errors.map(\.identifier) == ["age_over_50"])
    }

    @Test("Two ages with one attestation bring it once")
    func sharedAttestation() throws {
        #expect(try ages(19, 20, holder: 40, attested: [18, 21]) == ["age_over_21": true])
    }

    @Test("An identifier that only looks like an age is an element like any other")
    func notAnAge() throws {
        let odd = ["age_over_-5", "age_over_", "age_over_x1", "age_over_123", "age_over_٢١"]
        let document = try #require(
            try response(
                PresentationCase("age") {
                    $0.requests = [PresentationCase.request([TestLicence.nameSpace: odd])]
                }
            ).documents.first)
        #expect(document.nameSpaces.isEmpty)
        #expect(document.errors.map(\.identifier) == odd)
    }

    @Test("Only what was asked for is returned, in the order of the request")
    func selection() throws {
        let document = try #require(
            try response(
                PresentationCase("selection") {
                    $0.requests = [
                        PresentationCase.request([
                            TestLicence.aamvaNameSpace: ["DHS_compliance", "weight_range"],
                            TestLicence.nameSpace: ["given_name", "eye_colour", "family_name"],
                        ])
                    ]
                }
            ).documents.first)
        #expect(
            document.nameSpaces.map { [$0.name] + $0.items.map(\.identifier) } == [
                [TestLicence.aamvaNameSpace, "DHS_compliance"],
                [TestLicence.nameSpace, "given_name", "family_name"],
            ])
        #expect(
            document.errors.map { [$0.nameSpace, $0.identifier] } == [
                [TestLicence.aamvaNameSpace, "weight_range"], [TestLicence.nameSpace, "eye_colour"],
            ])
        #expect(document.errors.allSatisfy { $0.code == 0 })
    }

    @Test("Q157 Two requests for one document type bring two documents")
    func twoRequests() throws {
        let presentation = PresentationCase("two") {
            $0.requests = [
                PresentationCase.request([TestLicence.nameSpace: ["family_name"]]),
                PresentationCase.request([TestLicence.aamvaNameSpace: ["DHS_compliance"]]),
            ]
        }
        let verified = try #require(try WrittenCase(presentation).judge(.strict).verified())
        #expect(verified.documents.count == 2)
    }

    @Test("A type that the phone has not is in documentErrors")
    func documentErrors() throws {
        let presentation = try #require(PresentationCase.named("ok.document_error"))
        let response = try response(presentation)
        #expect(response.documentErrors.map(\.docType) == ["eu.europa.ec.eudi.pid.1"])
        let verified = try #require(try WrittenCase(presentation).judge(.strict).verified())
        #expect(verified.notReturned.contains(.document(docType: "eu.europa.ec.eudi.pid.1", code: 0)))
    }

    @Test(
        "A document that is asked for with a zero-knowledge proof alone is not returned; where the proof is a wish it is",
        arguments: [true, false])
    func zeroKnowledge(_ isRequired: Bool) throws {
        let written = try WrittenCase(PresentationCase("ok"))
        let transcript = try SessionTranscript(stored: written.bytes("session_transcript.cbor"))
        let wallet = try PresentedWallet(PresentationCase("ok"), at: WrittenCase.now).wallet
        let items: CBORDraft = [
            "docType": .text(TestLicence.docType),
            "nameSpaces": [.text(TestLicence.nameSpace): ["family_name": .boolean(false)]],
            "requestInfo": ["zkRequest": ["zkRequired": .boolean(isRequired)]],
        ]
        let request: CBORDraft = [
            "version": "1.1", "docRequests": .array([["itemsRequest": .embedded(items)]]),
        ]
        guard
            case .response(let bytes) = try wallet.holder.answer(
                request.encode()[...], transcript: transcript)
        else {
            Issue.record("declined")
            return
        }
        let response = try UnverifiedResponse(bytes[...])
        #expect(response.documents.count == (isRequired ? 0 : 1))
        #expect(response.documentErrors.map(\.docType) == (isRequired ? [TestLicence.docType] : []))
    }

    @Test("A person who declines: the session ends without data, or nothing is returned")
    func declines() throws {
        func judged(_ decision: Holder.Decision) throws -> WalletOutcome {
            try WrittenCase(PresentationCase("decline") { $0.decision = decision }).judge(.interoperable)
        }
        guard case .ended(.status(.termination), terminationStatus: nil) = try judged(.declines),
            case .verdict(.rejected(let response)) = try judged(.returnsNothing)
        else {
            Issue.record("not declined")
            return
        }
        #expect(response.failures == [.noDocuments])
        #expect(response.notReturned == [.document(docType: TestLicence.docType, code: 0)])
    }

    @Test("Q162 Decoy digests change nothing")
    func decoys() throws {
        func digests(_ decoys: Int) throws -> Int {
            let written = try WrittenCase(PresentationCase("decoys") { $0.issuing.decoyDigests = decoys })
            #expect(try written.judge(.strict).verified() != nil)
            let credential = try CBORItem.parse(written.bytes("credential.cbor"))
            let issuerAuth = try #require(try credential.map()["issuerAuth"])
            let payload = try #require(try COSESign1(issuerAuth).payload)
            let object = try EncodedCBOR<MobileSecurityObject>(CBORItem.parse(payload)).item()
            let nameSpaces = try #require(try object.map()["valueDigests"]).map()
            return try nameSpaces.reduce(0) { try $0 + $1.value.map().count }
        }
        #expect(try digests(5) == digests(0) + 2 * 5)
    }

    @Test("Bytes that are no request are refused by name")
    func notARequest() throws {
        let written = try WrittenCase(PresentationCase("ok"))
        let transcript = try SessionTranscript(stored: written.bytes("session_transcript.cbor"))
        #expect(throws: HolderError.request(.malformed(.deviceRequest, .missingMember(at: 0)))) {
            try Holder(documents: []).answer([0xa0], transcript: transcript)
        }
    }
}
