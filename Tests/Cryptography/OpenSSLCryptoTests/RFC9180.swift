import Foundation
import VectorFiles

@testable import OpenSSLCrypto

/// The published figures of RFC 9180, A.3.
struct RFC9180: Decodable {
    struct Encryption: Decodable {
        let seq: Int
        let aad: String
        let pt: String
        let ct: String
    }

    struct Export: Decodable {
        let exporterContext: String
        let length: Int
        let value: String

        enum CodingKeys: String, CodingKey {
            case exporterContext = "exporter_context"
            case length = "L"
            case value = "exported_value"
        }
    }

    let mode: Int
    let info: String
    let skRm: String
    let skEm: String
    let skSm: String?
    let pkRm: String
    let pkSm: String?
    let enc: String
    let sharedSecret: String
    let psk: String?
    let pskIdentifier: String?
    let encryptions: [Encryption]
    let exports: [Export]

    enum CodingKeys: String, CodingKey {
        case mode, info, skRm, skEm, skSm, pkRm, pkSm, enc, psk, encryptions, exports
        case sharedSecret = "shared_secret"
        case pskIdentifier = "psk_id"
    }

    private struct File: Decodable { let vectors: [RFC9180] }

    static func all() throws -> [RFC9180] {
        let path = "rfc9180/a3-p256-aes128gcm.json"
        let file: File = try VectorFiles.json(at: VectorFiles.own.appending(path: path))
        return file.vectors
    }

    /// The vector of base mode.
    static func base() throws -> RFC9180 {
        guard let vector = try all().first(where: { $0.mode == 0 }) else { throw Missing() }
        return vector
    }

    struct Missing: Error {}

    func preSharedKey(flipping bit: UInt8 = 0) throws -> HPKEPreSharedKey? {
        guard let psk, let pskIdentifier else { return nil }
        var key = psk.bytes
        key[0] ^= bit
        return try HPKEPreSharedKey(
            key: SecretBytes(copying: key[...]), identifier: pskIdentifier.bytes)
    }

    static func privateKey(_ scalar: String) throws -> PrivateKey {
        try PrivateKey(curve: .p256, scalar: scalar.bytes[...])
    }

    static func publicKey(_ point: String) throws -> PublicKey {
        try PublicKey(curve: .p256, uncompressedPoint: point.bytes[...])
    }

    func sealing() throws -> HPKESealingContext {
        let recipient = try Self.publicKey(pkRm)
        let ephemeral = try Self.privateKey(skEm)
        guard let skSm else {
            return try HPKESealingContext(
                to: recipient, info: info.bytes[...], preSharedKey: preSharedKey(), ephemeralKey: ephemeral)
        }
        return try HPKESealingContext(
            to: recipient, info: info.bytes[...], senderKey: Self.privateKey(skSm),
            preSharedKey: preSharedKey(), ephemeralKey: ephemeral)
    }

    /// The recipient's end, or one that differs in what is given.
    func opening(
        info other: [UInt8]? = nil, encapsulatedKey: [UInt8]? = nil, recipientKey: String? = nil,
        sender: String? = nil, preSharedKey otherKey: HPKEPreSharedKey? = nil
    ) throws -> HPKEOpeningContext {
        let encapsulated = encapsulatedKey ?? enc.bytes
        let key = try Self.privateKey(recipientKey ?? skRm)
        let (info, preSharedKey) = (other ?? info.bytes, try otherKey ?? preSharedKey())
        guard let pkSm else {
            return try HPKEOpeningContext(
                encapsulatedKey: encapsulated[...], recipientKey: key, info: info[...],
                preSharedKey: preSharedKey)
        }
        return try HPKEOpeningContext(
            encapsulatedKey: encapsulated[...], recipientKey: key, info: info[...],
            sender: Self.publicKey(sender ?? pkSm), preSharedKey: preSharedKey)
    }
}
