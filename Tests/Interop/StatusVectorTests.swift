import CBOR
import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import Testing
import VectorFiles

/// What of the published status vectors does not need status lists: the objects they come in.
@Suite(
    "Published status objects",
    .enabled(if: StatusVectors.isThere, "the shared vectors are not beside this checkout"))
struct StatusVectorTests {
    @Test("An issuerAuth whose MSO has a status verifies with its own signer, and the status is passed over")
    func issuerAuth() throws {
        let bytes = [UInt8](hex: try StatusVectors.hex("issuerAuth with status_list in the MSO"))
        let signature = try COSESign1(CBORItem.parse(bytes[...]))
        let signer = try Certificate(der: signature.headers.x5chain()[0])
        try signature.verify(with: signer.publicKey())
        let other = try PrivateKey.generate(.p256).publicKey()
        #expect(throws: COSEError.signatureInvalid) { try signature.verify(with: other) }
        let object = try MobileSecurityObject(payload: try #require(signature.payload))
        #expect(object.validityInfo.validFrom.instant.description == "2024-10-01T13:30:02Z")
        #expect(object.validityInfo.validUntil.instant.description == "2025-10-01T13:30:02Z")
    }

    @Test("Each status list token is a tagged COSE_Sign1 of the example key, and of no other")
    func tokens() throws {
        let vector = try StatusVectors.vector("status list token CWT")
        let jwk = try #require(vector["signing_key_jwk"] as? [String: String])
        let (x, y) = (try StatusVectors.base64(jwk["x"]), try StatusVectors.base64(jwk["y"]))
        let key = try PublicKey(curve: .p256, x: x[...], y: y[...])
        let other = try PrivateKey.generate(.p256).publicKey()
        let tokens = try #require(vector["hex"] as? [String: String])
        #expect(!tokens.isEmpty)
        for token in tokens.values {
            let signature = try COSESign1(CBORItem.parse([UInt8](hex: token)[...]))
            #expect(signature.isTagged)
            try signature.verify(with: key)
            #expect(throws: COSEError.signatureInvalid) { try signature.verify(with: other) }
            let claims = try CBORItem.parse(#require(signature.payload)).map()
            #expect(try claims[2]?.text() == "https://example.com/statuslists/1")
            #expect(try claims[65_533]?.map()["bits"]?.unsigned() == 1)
        }
    }

    @Test("An identifier list in an MSO is well-formed CBOR with its id and place")
    func identifierList() throws {
        let hex = try StatusVectors.hex("ISO 18013-5 2nd ed. Annex D.7 identifier_list in MSO status")
        let list = try CBORItem.parse([UInt8](hex: hex)[...]).map()["identifier_list"]?.map()
        #expect(try list?["id"]?.byteString().hex == "cccc")
        #expect(try list?["uri"]?.text() == "https://example.com/identifierlists/1")
    }
}

private enum StatusVectors {
    nonisolated(unsafe) static let loaded: [[String: Any]]? = VectorFiles.shared.flatMap { shared in
        let file = shared.appending(path: "vectors/mso-status.json")
        guard let data = try? Data(contentsOf: file) else { return nil }
        let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return json?["vectors"] as? [[String: Any]]
    }

    static let isThere = unsafe loaded != nil

    static func vector(_ name: String) throws -> [String: Any] {
        try #require(unsafe loaded?.first { $0["name"] as? String == name })
    }

    static func hex(_ name: String) throws -> String {
        try #require(vector(name)["hex"] as? String)
    }

    static func base64(_ text: String?) throws -> [UInt8] {
        let characters = try #require(text).utf8
        return try #require(Base64URL.decode(Array(characters)))
    }
}
