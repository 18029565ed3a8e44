import CBOR
import COSE
import OpenSSLCrypto
import PKIX
import Testing

@testable import MdocModel

@Suite("Reader identity and reader authentication")
struct ReaderIdentityTests {
    private let fixture: ReaderFixture
    private let transcript: SessionTranscript
    private let draft = DeviceRequestDraft([.mDL("age_over_21"), .mDL("portrait")])
    private let all: EngagementCapabilities = [.extendedRequest, .readerAuthAll]

    init() throws {
        fixture = try ReaderFixture()
        transcript = try ReaderFixture.transcript()
    }

    private func request(_ capabilities: EngagementCapabilities) throws -> DeviceRequest {
        try DeviceRequest(draft.encode(for: capabilities, in: transcript, signedBy: fixture.identity)[...])
    }

    private func key() throws -> PublicKey { try fixture.leaf.publicKey() }

    @Test("Each document is signed over its own bytes and this session, and over no others")
    func perDocument() throws {
        let request = try request([])
        #expect(request.version == "1.0")
        #expect(request.readerAuthAll.isEmpty)
        let (one, other) = (request.docRequests[0], request.docRequests[1])
        let signature = try COSESign1(#require(one.readerAuth))
        #expect(!signature.isTagged)
        #expect(signature.payload == nil)
        #expect(try signature.headers.algorithm() == .es256)
        #expect(!signature.headers.hasProtectedX5Chain)
        let payload = { (transcript: SessionTranscript, document: DeviceRequest.DocRequest) in
            readerAuthenticationBytes(transcript: transcript, itemsRequest: document.itemsRequestBytes)
        }
        try signature.verify(with: key(), detachedPayload: payload(transcript, one))
        #expect(throws: COSEError.signatureInvalid) {
            try signature.verify(with: key(), detachedPayload: payload(transcript, other))
        }
        let elsewhere = try ReaderFixture.transcript()
        #expect(throws: COSEError.signatureInvalid) {
            try signature.verify(with: key(), detachedPayload: payload(elsewhere, one))
        }
        try COSESign1(#require(other.readerAuth)).verify(
            with: key(), detachedPayload: payload(transcript, other))
    }

    @Test("Q168 A wallet that announced readerAuthAll and 1.1 gets one signature over all documents")
    func allDocuments() throws {
        let request = try request(all)
        #expect(request.version == "1.1")
        #expect(request.docRequests.allSatisfy { $0.readerAuth == nil })
        let signature = try COSESign1(#require(request.readerAuthAll.first))
        let items = request.docRequests.map(\.itemsRequestBytes)
        let payload = { [transcript] (items: [EncodedCBOR<ItemsRequest>]) in
            readerAuthenticationAllBytes(transcript: transcript, itemsRequests: items, deviceRequestInfo: nil)
        }
        try signature.verify(with: key(), detachedPayload: payload(items))
        for other in [Array(items.reversed()), [items[0]], []] {
            #expect(throws: COSEError.signatureInvalid) {
                try signature.verify(with: key(), detachedPayload: payload(other))
            }
        }
    }

    @Test("The one signature covers the use cases too")
    func coversInfo() throws {
        var draft = draft
        draft.useCases = [.init(isMandatory: true, documentSets: [[0], [1]])]
        let request = try DeviceRequest(
            draft.encode(for: all, in: transcript, signedBy: fixture.identity)[...])
        let info = try #require(request.deviceRequestInfoBytes)
        let signature = try COSESign1(#require(request.readerAuthAll.first))
        let changed = DeviceRequestInfo(
            useCases: [.init(isMandatory: false, documentSets: [[0], [1]])]
        ).encoded()
        for (candidate, isSigned) in [(info, true), (changed, false), (nil, false)] {
            let payload = readerAuthenticationAllBytes(
                transcript: transcript, itemsRequests: request.docRequests.map(\.itemsRequestBytes),
                deviceRequestInfo: candidate)
            if isSigned {
                try signature.verify(with: key(), detachedPayload: payload)
            } else {
                #expect(throws: COSEError.signatureInvalid) {
                    try signature.verify(with: key(), detachedPayload: payload)
                }
            }
        }
    }

    @Test("ReaderAuthenticationAll is the array of the standard, embedded, with null for no info")
    func structure() throws {
        let items = draft.documents.map { $0.encoded() }
        let bytes = Array(
            readerAuthenticationAllBytes(transcript: transcript, itemsRequests: items, deviceRequestInfo: nil)
                .joined())
        let inner = try EncodedCBOR<Never>(CBORItem.parse(bytes[...])).item()
        let fields = Array(try inner.array())
        #expect(fields.count == 4)
        #expect(fields[0].isText("ReaderAuthenticationAll"))
        #expect(fields[1].encoded == transcript.encoded)
        #expect(try fields[2].array().map(\.encoded) == items.map(\.bytes))
        #expect(fields[3].encoded == [0xf6])
    }

    @Test("Q168 Only one of the two capabilities, and each document is signed by itself")
    func halfCapabilities() throws {
        for capability in [EngagementCapabilities.readerAuthAll, .extendedRequest] {
            let request = try request(capability)
            #expect(request.version == "1.0")
            #expect(request.readerAuthAll.isEmpty)
            #expect(request.docRequests.allSatisfy { $0.readerAuth != nil })
        }
        let unsigned = try DeviceRequest(draft.encode(for: all, in: transcript)[...])
        #expect(unsigned.version == "1.0")
        #expect(unsigned.docRequests.allSatisfy { $0.readerAuth == nil })
    }

    @Test("Q171 The root is never sent")
    func noRoot() throws {
        let signature = try COSESign1(#require(try request([]).docRequests[0].readerAuth))
        #expect(
            try signature.headers.x5chain() == [fixture.leaf.der, fixture.intermediate.der])
        #expect(fixture.identity.key.chain.certificates.count == 3)
    }

    @Test(
        "Readers sign with every curve of the profile",
        arguments: [
            Curve.p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1,
            .brainpoolP512r1, .ed25519, .ed448,
        ])
    func curves(_ curve: Curve) throws {
        let fixture = try ReaderFixture("counter", curve)
        let request = try DeviceRequest(
            draft.encode(for: [], in: transcript, signedBy: fixture.identity)[...])
        let payload = readerAuthenticationBytes(
            transcript: transcript, itemsRequest: request.docRequests[0].itemsRequestBytes)
        try COSESign1(#require(request.docRequests[0].readerAuth)).verify(
            with: fixture.leaf.publicKey(), detachedPayload: payload)
    }

    @Test("Another's key, a key that cannot sign, and a leaf that vouches for itself make no identity")
    func refused() throws {
        let chain = fixture.identity.key.chain
        #expect(throws: CertificateChainError.keyNotOfLeaf) {
            try COSECertifiedKey(PrivateKey.generate(.p256), chain: chain)
        }
        #expect(throws: CertificateChainError.keyNotOfLeaf) {
            try COSECertifiedKey(PrivateKey.generate(.p384), chain: chain)
        }
        #expect(throws: CertificateChainError.keyCannotSign) {
            try COSECertifiedKey(PrivateKey.generate(.x25519), chain: chain)
        }
        #expect(throws: CertificateChainError.leafSelfSigned) {
            let key = try PrivateKey.generate(.p256)
            let own = try ReaderFixture.certificate("Self", key.publicKey(), issuer: "Self", key)
            _ = try COSECertifiedKey(key, chain: CertificateChain([own]))
        }
    }
}

@Suite("Choice of reader identity")
struct ReaderIdentityChoiceTests {
    private let rules: ReaderIdentityChoice

    init() throws {
        let (apple, brand, licence, rest) = (
            try ReaderFixture("apple").identity, try ReaderFixture("brand").identity,
            try ReaderFixture("licence").identity, try ReaderFixture("rest").identity
        )
        rules = ReaderIdentityChoice([
            .init(wallet: "apple", brand: "kiosk", identity: apple), .init(brand: "kiosk", identity: brand),
            .init(docType: "org.iso.18013.5.1.mDL", identity: licence), .init(identity: rest),
        ])
    }

    @Test("Q172 The first rule that fits wallet, brand and documents decides")
    func firstFit() {
        let cases: [(ReaderIdentityChoice.Situation, String)] = [
            (.init(wallet: "apple", brand: "kiosk"), "apple"),
            (.init(wallet: "google", brand: "kiosk"), "brand"),
            (.init(brand: "kiosk", docTypes: ["org.iso.18013.5.1.mDL"]), "brand"),
            (.init(wallet: "apple", docTypes: ["org.iso.18013.5.1.mDL"]), "licence"),
            (.init(docTypes: ["org.iso.18013.5.1.mDL", "eu.europa.ec.eudi.pid.1"]), "rest"),
            (.init(wallet: "apple"), "rest"), (.init(), "rest"),
        ]
        for (situation, name) in cases {
            #expect(rules.identity(in: situation)?.name == name, "\(situation)")
        }
    }

    @Test("Q172 Where no rule fits there is no identity")
    func none() {
        let bound = ReaderIdentityChoice(Array(rules.rules.prefix(3)))
        #expect(bound.identity(in: .init(wallet: "apple")) == nil)
        #expect(ReaderIdentityChoice([]).identity(in: .init()) == nil)
    }
}
