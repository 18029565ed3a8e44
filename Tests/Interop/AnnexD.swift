import CBOR
import COSE
import Foundation
import MdocModel
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

/// The published figures of ISO/IEC 18013-5 Annex D.
struct AnnexD: Decodable, Sendable {
    struct Vector: Decodable {
        let name: String
        let hex: String?
        let text: String?
    }

    struct Item: Decodable {
        let namespace: String
        let digestID: UInt64
        let elementIdentifier: String
        let issuerSignedItemBytes: String
        let sha256: String
    }

    let vectors: [Vector]
    let issuerSignedItemDigests: [Item]

    static func load() throws -> AnnexD {
        try VectorFiles.json(at: VectorFiles.own.appending(path: "iso18013-5/annex-d.json"))
    }

    func callAsFunction(_ name: String) throws -> [UInt8] {
        [UInt8](hex: try #require(vectors.first { $0.name == name }?.hex, "\(name)"))
    }

    func text(_ name: String) throws -> String {
        try #require(vectors.first { $0.name == name }?.text, "\(name)")
    }

    func key(_ name: String) throws -> COSEKeyPair {
        COSEKeyPair(try PrivateKey(curve: .p256, scalar: self("\(name)_d")[...]))
    }

    func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: self(name)[...])
    }

    /// The content of a published `…Bytes`.
    func content<Content>(_ name: String, of type: Content.Type = Never.self) throws -> [UInt8] {
        Array(try EncodedCBOR<Content>(CBORItem.parse(self(name)[...])).content)
    }

    func transcript() throws -> SessionTranscript {
        SessionTranscript(
            deviceEngagement: try engagement(), eReaderKey: try key("eReaderKey").publicKeyBytes,
            handover: try handover())
    }

    /// The engagement of this session: in the Handover Select message, and so in the transcript.
    func engagement() throws -> [UInt8] {
        let stored = try SessionTranscript(stored: content("sessionTranscriptBytes")[...])
        return Array(try #require(stored.deviceEngagementBytes).content)
    }

    func handover() throws -> Handover {
        .nfc(select: try self("nfcHandoverSelect"), request: try self("nfcHandoverRequest"))
    }
}
