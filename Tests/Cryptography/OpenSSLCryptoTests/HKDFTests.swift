import Foundation
import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("HKDF-SHA-256")
struct HKDFTests {
    private struct File: Decodable {
        struct Vector: Decodable {
            let name: String
            let ikm: String
            let salt: String
            let info: String
            let L: Int
            let okm: String
        }
        let vectors: [Vector]
    }

    @Test("The cases of RFC 5869 come out, and another salt gives another key")
    func publishedCases() throws {
        let file: File = try VectorFiles.json(at: VectorFiles.own.appending(path: "rfc5869/hkdf-sha256.json"))
        #expect(file.vectors.map(\.name) == ["A.1", "A.2", "A.3"])
        for vector in file.vectors {
            #expect(try Self.derive(vector, salt: vector.salt.bytes).hex == vector.okm, "\(vector.name)")
            #expect(
                try Self.derive(vector, salt: vector.salt.bytes + [1]).hex != vector.okm, "\(vector.name)")
        }
    }

    private static func derive(_ vector: File.Vector, salt: [UInt8]) throws -> [UInt8] {
        try hkdfSHA256(
            secret: SecretBytes(copying: vector.ikm.bytes[...]), salt: salt[...],
            info: vector.info.bytes[...],
            count: vector.L
        ).withUnprotectedBytes { [UInt8]($0) }
    }

    @Test("The session keys of Annex D come out of its shared secret and salt")
    func sessionKeys() throws {
        let secret = try SecretBytes(copying: VectorFiles.annexD("sharedSecret_Zab")[...])
        let salt = try VectorFiles.annexD("hkdfSalt")
        let reader = try hkdfSHA256(secret: secret, salt: salt[...], info: "SKReader", count: 32)
        let device = try hkdfSHA256(secret: secret, salt: salt[...], info: "SKDevice", count: 32)
        #expect(reader.withUnprotectedBytes { [UInt8]($0) } == (try VectorFiles.annexD("skReader")))
        #expect(device.withUnprotectedBytes { [UInt8]($0) } == (try VectorFiles.annexD("skDevice")))
    }

    @Test("Outputs of nothing or more than 255 blocks, and infos OpenSSL cannot take, are refused")
    func limits() throws {
        let secret = SecretBytes(copying: [1])
        let long = [UInt8](repeating: 0, count: 2049)
        for (count, info) in [(0, long[..<0]), (255 * 32 + 1, long[..<0]), (32, long[...]), (-1, long[..<0])]
        {
            #expect(throws: OpenSSLCryptoError.tooLong) {
                _ = try hkdfSHA256(secret: secret, salt: [], info: info, count: count)
            }
        }
        let longest = try hkdfSHA256(secret: secret, salt: [], info: long.dropLast(), count: 255 * 32)
        #expect(longest.count == 255 * 32)
    }
}
