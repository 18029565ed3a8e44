import Foundation
import VectorFiles

@testable import OpenSSLCrypto

/// The published figures of RFC 9180, A.3.1.
struct RFC9180: Decodable {
    struct Encryption: Decodable {
        let seq: Int
        let aad: String
        let pt: String
        let ct: String
    }

    let info: String
    let skRm: String
    let skEm: String
    let pkRm: String
    let enc: String
    let sharedSecret: String
    let encryptions: [Encryption]

    enum CodingKeys: String, CodingKey {
        case info, skRm, skEm, pkRm, enc, encryptions
        case sharedSecret = "shared_secret"
    }

    private struct File: Decodable { let vectors: [RFC9180] }

    /// The vector of base mode.
    static func base() throws -> RFC9180 {
        let path = "rfc9180/a3-p256-aes128gcm.json"
        let file: File = try VectorFiles.json(at: VectorFiles.own.appending(path: path))
        guard let vector = file.vectors.first else { throw Missing() }
        return vector
    }

    struct Missing: Error {}

    static func privateKey(_ scalar: String) throws -> PrivateKey {
        try PrivateKey(curve: .p256, scalar: scalar.bytes[...])
    }

    static func publicKey(_ point: String) throws -> PublicKey {
        try PublicKey(curve: .p256, uncompressedPoint: point.bytes[...])
    }

    /// The sender's secret.
    func sent() throws -> SecretBytes {
        try HPKEKeyEncapsulation.secret(
            to: Self.publicKey(pkRm), ephemeralKey: Self.privateKey(skEm))
    }

    /// The recipient's secret.
    func received() throws -> SecretBytes {
        try HPKEKeyEncapsulation.secret(
            encapsulatedIn: Self.publicKey(enc), recipientKey: Self.privateKey(skRm))
    }

    /// The first message, opened with what is given in place of the vector's own.
    func open(
        _ ciphertext: ArraySlice<UInt8>? = nil, info other: [UInt8]? = nil, encapsulatedKey: [UInt8]? = nil,
        recipientKey: String? = nil, extra: [UInt8]? = nil
    ) throws -> [UInt8] {
        let message = encryptions[0]
        return try HPKE.open(
            ciphertext ?? message.ct.bytes[...], encapsulatedKey: (encapsulatedKey ?? enc.bytes)[...],
            with: Self.privateKey(recipientKey ?? skRm), info: (other ?? info.bytes)[...],
            authenticating: (extra ?? message.aad.bytes)[...])
    }
}
