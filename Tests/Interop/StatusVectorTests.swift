import CBOR
import COSE
import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

/// The published status vectors: the objects they come in, and what they say.
@Suite("Published status objects")
struct StatusVectorTests {
    @Test("An issuerAuth whose MSO has a status verifies with its own signer, and tells where the status is")
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
        let status = try #require(object.status).get()
        let entry = try #require(status.statusList).get()
        #expect(entry.index == 412)
        #expect(entry.uri == "https://example.com/statuslists/1")
        #expect(status.identifierList == nil)
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
            let parsed = try StatusToken([UInt8](hex: token)[...])
            #expect(parsed.kind == .statusList)
            #expect(parsed.subject == "https://example.com/statuslists/1")
            #expect(parsed.issued.secondsSince1970 == 1_686_920_170)
            #expect(parsed.expires?.secondsSince1970 == 2_291_720_170)
            #expect(parsed.timeToLive == 43_200)
            let statuses = try #require(vector["statuses"] as? [Int])
            try Self.expect(parsed.statusList(), statuses)
        }
    }

    private static func expect(_ list: StatusList, _ statuses: [Int]) throws {
        #expect(list.count >= statuses.count)
        for (index, status) in statuses.enumerated() {
            let value: StatusList.Value =
                switch status {
                case 0: .valid
                case 1: .invalid
                case 2: .suspended
                default: .other(UInt8(status))
                }
            #expect(list[UInt64(index)] == value, "\(index)")
        }
        #expect(list[UInt64(list.count)] == nil)
    }

    @Test("Q181 The published lists of 1, 2, 4 and 8 bits are read, and the same bytes as 3 bits refused")
    func lists() throws {
        let vectors = try #require(StatusVectors.vector("status list bits")["vectors"] as? [[String: Any]])
        #expect(vectors.count >= 5)
        for vector in vectors {
            let statuses = try #require(vector["statuses"] as? [Int])
            let bits = try #require(vector["bits"] as? Int)
            let list: [UInt8]
            if let hex = vector["cbor"] as? String {
                try Self.expect(StatusList(CBORItem.parse([UInt8](hex: hex)[...])), statuses)
                let members = try CBORItem.parse([UInt8](hex: hex)[...]).map()
                list = Array(try #require(members["lst"]).byteString())
            } else {
                list = try StatusVectors.base64(vector["lst_base64url"] as? String)
                try Self.expect(Self.list(bits: bits, list), statuses)
            }
            #expect(throws: StatusTokenError.bitsWrong(3)) { try Self.list(bits: 3, list) }
        }
    }

    private static func list(bits: Int, _ bytes: [UInt8]) throws -> StatusList {
        let item = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.text("bits")
            encoder.integer(Int64(bits))
            encoder.text("lst")
            encoder.byteString(bytes)
        }
        return try StatusList(CBORItem.parse(item[...]))
    }

    @Test("An identifier list in an MSO gives its id, its place and its signer's certificate")
    func identifierList() throws {
        let hex = try StatusVectors.hex("ISO 18013-5 2nd ed. Annex D.7 identifier_list in MSO status")
        let status = try DocumentStatus(CBORItem.parse([UInt8](hex: hex)[...]))
        let identifier = try #require(status.identifierList).get()
        #expect(identifier.identifier.hex == "cccc")
        #expect(identifier.uri == "https://example.com/identifierlists/1")
        guard case .certificate(let certificate) = identifier.signer else {
            Issue.record("no certificate")
            return
        }
        #expect(certificate.hex == "aa")
        #expect(status.statusList == nil)
    }

    @Test("The published body of an identifier list, in a token, names its three identifiers and no other")
    func identifierListBody() throws {
        let hex = try StatusVectors.hex("identifier list body (modified Annex D.7)")
        let claims = CBOREncoder.encode { encoder in
            encoder.map(count: 4)
            encoder.integer(2)
            encoder.text("https://example.com/identifierlists/1")
            encoder.integer(6)
            encoder.integer(1)
            encoder.integer(4)
            encoder.integer(2)
            encoder.integer(65_530)
            encoder.encoded([UInt8](hex: hex))
        }
        var signer = COSESigner(algorithm: .es256)
        signer.protected = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.integer(1)
            encoder.integer(-7)
            encoder.integer(16)
            encoder.text("application/identifierlist+cwt")
        }
        let token = try signer.sign1(
            claims, detached: false, with: .generate(.p256), algorithm: .ecdsa(.sha256))
        let identifiers = try StatusToken(token[...]).identifiers()
        #expect(identifiers.isComplete)
        #expect(identifiers.identifiers == [[0xab, 0xcd], [0xaa, 0xaa], [0xcc, 0xcc]])
    }
}

private enum StatusVectors {
    static func vector(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: VectorFiles.own.appending(path: "status/mso-status.json"))
        let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let vectors = try #require(json["vectors"] as? [[String: Any]])
        return try #require(vectors.first { $0["name"] as? String == name })
    }

    static func hex(_ name: String) throws -> String {
        try #require(vector(name)["hex"] as? String)
    }

    static func base64(_ text: String?) throws -> [UInt8] {
        let characters = try #require(text).utf8
        return try #require(Base64URL.decode(Array(characters)))
    }
}
