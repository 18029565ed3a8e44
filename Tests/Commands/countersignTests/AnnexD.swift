import CBOR
import CommandBench
import Foundation
import OpenSSLCrypto
import Testing
import VectorFiles

/// The published transaction of ISO/IEC 18013-5 Annex D as files: what `verify` reads, in every clone.
final class AnnexD {
    /// A time at which everything in it was valid.
    static let time = "2020-12-24T12:00:00Z"

    let folder = try? TemporaryFolder()

    func bytes(_ name: String) throws -> [UInt8] { try VectorFiles.annexD(name) }

    /// A file with these bytes, or with a published figure.
    func file(_ name: String, _ bytes: [UInt8]? = nil) throws -> String {
        try #require(folder).write(bytes ?? self.bytes(name), as: name)
    }

    /// The bare array in SessionTranscriptBytes.
    func transcript() throws -> [UInt8] {
        Array(try EncodedCBOR<Never>(CBORItem.parse(bytes("sessionTranscriptBytes")[...])).content)
    }

    /// The engagement of this session, which came in the Handover Select message.
    func engagement() throws -> [UInt8] {
        var fields = try CBORItem.parse(transcript()[...]).array().makeIterator()
        let first = try #require(fields.next() as CBORItem?)
        return Array(try EncodedCBOR<Never>(first).content)
    }

    func readerKeyPEM() throws -> [UInt8] {
        try PrivateKey(curve: .p256, scalar: bytes("eReaderKey_d")[...]).unprotectedPEM()
            .withUnprotectedBytes(Array.init)
    }

    /// `verify` on the response, with everything it can be given but a key and a request.
    func decrypted(_ further: String..., at time: String = AnnexD.time) throws -> [String] {
        [
            "verify", "--response", try file("deviceResponse"), "--transcript",
            try file("transcript", transcript()), "--trust", try file("iacaCertificate"), "--at", time,
        ] + further
    }

    /// `verify` on the session, with everything that is needed to decrypt.
    func encrypted(_ further: String...) throws -> [String] {
        [
            "verify", "--session-data", try file("sessionData"), "--engagement",
            try file("engagement", engagement()), "--handover-select", try file("nfcHandoverSelect"),
            "--handover-request", try file("nfcHandoverRequest"), "--reader-key", try readerKey(),
            "--trust", try file("iacaCertificate"), "--at", Self.time,
        ] + further
    }

    /// A file with the reader's private key.
    func readerKey() throws -> String { try file("scalar", Array("\(bytes("eReaderKey_d").hex)\n".utf8)) }
}
