import CBOR
import MdocModel
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

@testable import COSE

/// ISO/IEC 18013-5 Annex D.5.2 to D.5.4: what is signed, digested and authenticated, byte for byte.
@Suite("Annex D, signatures")
struct AnnexDSignatureTests {
    let annex: AnnexD

    init() throws {
        annex = try AnnexD.load()
    }

    private func issuerAuth() throws -> COSESign1 {
        try COSESign1(CBORItem.parse(annex("issuerAuth")[...]))
    }

    @Test("The document signer signed issuerAuth, over the published Sig_structure")
    func issuerSignature() throws {
        let signature = try issuerAuth()
        #expect(!signature.isTagged)
        #expect(try signature.headers.algorithm() == .es256)
        let payload = try #require(signature.payload)
        #expect(try Array(payload) == annex("mobileSecurityObjectBytes"))
        let signed = signedBytes(
            context: "Signature1", protected: signature.headers.protected, payload: [payload])
        #expect(try Array(signed.joined()) == annex("issuerAuthSigStructure"))
        #expect(try signature.headers.x5chain().map(Array.init) == [annex("dsCertificate")])
        try signature.verify(with: annex.certificate("dsCertificate").publicKey())
    }

    @Test("One bit of payload or signature, or another key, and the issuer did not sign it")
    func issuerSignatureTwins() throws {
        let key = try annex.certificate("dsCertificate").publicKey()
        for index in [900, 1508] {
            var bytes = try annex("issuerAuth")
            bytes[index] ^= 1
            let changed = try COSESign1(CBORItem.parse(bytes[...]))
            #expect(throws: COSEError.signatureInvalid) { try changed.verify(with: key) }
        }
        #expect(throws: COSEError.signatureInvalid) {
            try issuerAuth().verify(with: annex.certificate("iacaCertificate").publicKey())
        }
    }

    @Test("The certificates chain as published, and not across")
    func certificates() throws {
        for (leaf, root) in [
            ("dsCertificate", "iacaCertificate"), ("iacaCertificate", "iacaCertificate"),
            ("readerCertificate", "readerRootCertificate"),
            ("readerRootCertificate", "readerRootCertificate"),
        ] {
            let key = try annex.certificate(root).publicKey()
            try annex.certificate(leaf).verifySignature(with: key)
        }
        let key = try annex.certificate("readerRootCertificate").publicKey()
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try annex.certificate("dsCertificate").verifySignature(with: key)
        }
    }

    @Test("The MSO is read")
    func mobileSecurityObject() throws {
        let object = try MobileSecurityObject(payload: annex("mobileSecurityObjectBytes")[...])
        #expect(object.version == "1.0")
        #expect(object.digestAlgorithm == "SHA-256")
        #expect(object.docType == "org.iso.18013.5.1.mDL")
        #expect(object.valueDigests.map(\.nameSpace) == ["org.iso.18013.5.1", "org.iso.18013.5.1.US"])
        #expect(object.form.isEmpty)
        #expect(object.validityInfo.form.isEmpty)
        #expect("\(object.validityInfo.signed.instant)" == "2020-10-01T13:30:02Z")
        #expect("\(object.validityInfo.validFrom.instant)" == "2020-10-01T13:30:02Z")
        #expect("\(object.validityInfo.validUntil.instant)" == "2021-10-01T13:30:02Z")
        #expect(object.validityInfo.expectedUpdate == nil)
        #expect(object.keyAuthorizations.nameSpaces.isEmpty)
        let key = try object.deviceKey.publicKey()
        #expect(try key.x == annex("sDeviceKey_x"))
        #expect(try key.y == annex("sDeviceKey_y"))
    }

    @Test("Q140 Each item's digest is over its tag-24 bytes, and stands in the MSO")
    func digests() throws {
        let object = try MobileSecurityObject(payload: annex("mobileSecurityObjectBytes")[...])
        let document = try #require(try UnverifiedResponse(annex("deviceResponse")[...]).documents.first)
        let items = document.nameSpaces.flatMap { space in space.items.map { (space.name, $0) } }
        #expect(items.count == annex.issuerSignedItemDigests.count)
        for ((nameSpace, item), published) in zip(items, annex.issuerSignedItemDigests) {
            #expect(nameSpace == published.namespace)
            #expect(item.digestID == published.digestID)
            #expect(item.identifier == published.elementIdentifier)
            #expect(item.bytes.bytes.hex == published.issuerSignedItemBytes)
            let digest = Digest(.sha256, of: item.bytes.bytes)
            #expect(digest.bytes.hex == published.sha256)
            let listed = try #require(object.digest(nameSpace: nameSpace, digestID: item.digestID))
            #expect(digest.equals(listed))
            #expect(!Digest(.sha256, of: item.bytes.content).equals(listed))
        }
        #expect(object.digest(nameSpace: "org.iso.18013.5.1", digestID: 99) == nil)
        #expect(object.digest(nameSpace: "org.iso.18013.5.1.UT", digestID: 0) == nil)
    }

    @Test("Element values are slices of the response: the portrait and the driving privileges as published")
    func values() throws {
        let response = try annex("deviceResponse")
        let document = try #require(try UnverifiedResponse(response[...]).documents.first)
        let items = document.nameSpaces.flatMap(\.items)
        let portrait = try #require(try items.first { $0.identifier == "portrait" }?.value.byteString())
        #expect(try Array(portrait) == annex("portrait"))
        #expect(Array(response[portrait.indices]) == Array(portrait))
        let privileges = try #require(items.first { $0.identifier == "driving_privileges" }?.value.encoded)
        #expect(try Array(privileges) == annex("drivingPrivileges"))
    }

    @Test("Q152 The MAC is over the published structure, with the key of reader and document")
    func deviceMac() throws {
        let document = try #require(try UnverifiedResponse(annex("deviceResponse")[...]).documents.first)
        let nameSpaces = try #require(document.deviceSigned.nameSpacesBytes)
        let payload = deviceAuthenticationBytes(
            transcript: try annex.transcript(), docType: document.docType, nameSpaces: nameSpaces)
        #expect(try Array(payload.joined()) == annex("deviceAuthenticationBytes"))

        let mac = try COSEMac0(#require(document.deviceSigned.deviceMac))
        #expect(document.deviceSigned.deviceSignature == nil)
        #expect(try Array(mac.authenticationTag) == annex("deviceMacTag"))
        let structure = signedBytes(context: "MAC0", protected: mac.headers.protected, payload: payload)
        #expect(try Array(structure.joined()) == annex("deviceMacStructure"))
        try mac.verify(with: SecretBytes(copying: annex("eMacKey")[...]), detachedPayload: payload)

        let secret = try annex.key("eReaderKey").privateKey.sharedSecret(
            with: annex.key("sDeviceKey").privateKey.publicKey())
        #expect(try secret.equals(SecretBytes(copying: annex("eMacKey_Zab")[...])))
    }

    @Test("With the session's key, or over one byte less, the MAC does not verify")
    func deviceMacTwins() throws {
        let document = try #require(try UnverifiedResponse(annex("deviceResponse")[...]).documents.first)
        let mac = try COSEMac0(#require(document.deviceSigned.deviceMac))
        let payload = try annex("deviceAuthenticationBytes")[...]
        #expect(throws: COSEError.signatureInvalid) {
            try mac.verify(with: SecretBytes(copying: annex("skDevice")[...]), detachedPayload: [payload])
        }
        #expect(throws: COSEError.signatureInvalid) {
            try mac.verify(
                with: SecretBytes(copying: annex("eMacKey")[...]), detachedPayload: [payload.dropLast()])
        }
    }

    @Test("The request is read, and the reader signed it over the published structure")
    func readerAuthentication() throws {
        let request = try DeviceRequest(annex("deviceRequest")[...])
        #expect(request.version == "1.0")
        let docRequest = try #require(request.docRequests.first)
        #expect(request.docRequests.count == 1)
        #expect(try Array(docRequest.itemsRequestBytes.content) == annex("itemsRequest"))
        #expect(docRequest.itemsRequest.docType == "org.iso.18013.5.1.mDL")
        let asked = docRequest.itemsRequest.nameSpaces.flatMap(\.elements)
        #expect(
            asked.filter(\.intentToRetain).map(\.identifier) == [
                "family_name", "document_number", "driving_privileges", "issue_date", "expiry_date",
            ])
        #expect(asked.filter { !$0.intentToRetain }.map(\.identifier) == ["portrait"])
        #expect(try Array(docRequest.itemsRequest.encoded().content) == annex("itemsRequest"))

        let readerAuth = try #require(docRequest.readerAuth)
        #expect(try Array(readerAuth.encoded) == annex("readerAuth"))
        let payload = readerAuthenticationBytes(
            transcript: try annex.transcript(), itemsRequest: docRequest.itemsRequestBytes)
        #expect(try Array(payload.joined()) == annex("readerAuthenticationBytes"))
        let signature = try COSESign1(readerAuth)
        let structure = signedBytes(
            context: "Signature1", protected: signature.headers.protected, payload: payload)
        #expect(try Array(structure.joined()) == annex("readerSigStructure"))
        #expect(try signature.headers.x5chain().map(Array.init) == [annex("readerCertificate")])
        let key = try annex.certificate("readerCertificate").publicKey()
        try signature.verify(with: key, detachedPayload: payload)
        #expect(throws: COSEError.signatureInvalid) {
            try signature.verify(with: key, detachedPayload: payload.dropLast())
        }
        #expect(throws: COSEError.payloadMisplaced) { try signature.verify(with: key) }
    }

    @Test("Our encoder writes the published request from its parts")
    func request() throws {
        let items = try #require(
            try DeviceRequest(annex("deviceRequest")[...]).docRequests.first?.itemsRequest)
        let written = try DeviceRequest.encode([(items: items.encoded(), readerAuth: annex("readerAuth"))])
        #expect(try written == annex("deviceRequest"))
    }
}
