import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import Testing

@Test(
    "A licence is issued, presented and verified under strict rules",
    arguments: Holder.DeviceAuthentication.allCases)
func thread(kind: Holder.DeviceAuthentication) throws {
    let now = Timestamp(secondsSince1970: 1_800_000_000)
    let entropy = TestEntropy.seed("thread")
    let issuer = try TestIssuer(entropy: entropy, now: now)
    let deviceKey = COSEKeyPair(try entropy.key(on: .p256, for: "device"))
    let document = try issuer.issue(TestLicence().document(on: now.dayInUTC), for: deviceKey)
    var holder = Holder(documents: [document])
    holder.deviceAuthentication = kind
    let readerKey = COSEKeyPair(try entropy.key(on: .p256, for: "reader"))
    let transcript = SessionTranscript(
        deviceEngagement: [0xa0], eReaderKey: readerKey.publicKeyBytes, handover: .qr)
    let items = ItemsRequest(
        docType: TestLicence.docType,
        nameSpaces: [
            .init(
                name: TestLicence.nameSpace,
                elements: [
                    .init(identifier: "portrait", intentToRetain: false),
                    .init(identifier: "age_over_21", intentToRetain: false),
                ])
        ])
    let request = DeviceRequest.encode([(items.encoded(), nil)])
    guard case .response(let bytes) = try holder.answer(request[...], transcript: transcript) else {
        Issue.record("declined")
        return
    }
    let trust = TrustStore(anchors: [try TrustAnchor(Certificate(der: issuer.root[...]))])
    let response = try UnverifiedResponse(bytes[...])
    let verdict = response.verify(
        in: VerificationContext(
            transcript: transcript, comparison: .requested([items]), readerKey: readerKey, trust: trust,
            now: now,
            rules: .strict))
    guard case .verified(let verified) = verdict else {
        Issue.record("\(verdict)")
        return
    }
    #expect(
        verified.documents[0].isAgeAtLeast(21)
            == .yes(by: .init(nameSpace: TestLicence.nameSpace, identifier: "age_over_21")))
}
