import Foundation
import MdocModel
import MdocTrust
import MdocVerification
import TestCredentials
import Testing
import VectorFiles

@testable import Reports

@Suite("Whether there is a portrait to compare")
struct PortraitAnswerTests {
    private func answer(_ items: [TestDocument.Item]) throws -> Answer {
        let issuer = try TestIssuer(authority: TestAuthority.ofACountry())
        let session = try TestSession()
        let document = try TestDocument(items).encoded(issuer: issuer, session: session)
        let response = Encoded.map([
            ("version", Encoded.text("1.0")), ("documents", Encoded.array([document])), ("status", [0x00]),
        ])
        let context = VerificationContext(
            transcript: session.transcript, comparison: .notCompared, readerKey: session.readerKey,
            trust: try issuer.authority.store(), now: try #require(DateText(TrustScene.time.utf8)).instant,
            policy: VerificationPolicy())
        guard case .verified(let verified) = try UnverifiedResponse(response[...]).verify(in: context).verdict
        else {
            throw NotVerified()
        }
        let day = try #require(FullDate(year: 2026, month: 11, day: 1))
        return Answer(Question(docTypes: [TestDocument.mDL], .portrait, on: day), by: verified.documents[0])
    }

    private static func jpeg() throws -> [UInt8] {
        try VectorFiles.bytes(
            of: VectorFiles.repository.appending(path: "Sources/Mdoc/MdocWallet/Resources/portrait.jpg"))
    }

    private struct NotVerified: Error {}

    private static func portrait(_ bytes: [UInt8]) -> TestDocument.Item {
        TestDocument.Item("portrait", Encoded.bytes(bytes))
    }

    @Test("Q225 A whole JPEG or JPEG 2000 image is a portrait to compare")
    func whole() throws {
        let jpeg2000 = try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/lossless.jp2"))
        for bytes in [try Self.jpeg(), jpeg2000] {
            #expect(try answer([Self.portrait(bytes)]).word == .yes)
        }
    }

    @Test("Q225 No bytes, a cut image, another format or no image are no portrait to compare, and are named")
    func others() throws {
        let png = try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/still.png"))
        for (bytes, kind) in [
            ([], "empty"), ([UInt8](repeating: 0, count: 2400), "not an image"), (png, "a PNG image"),
            (Array("GIF89a1234".utf8), "a GIF image"), (Array("RIFF1234WEBPVP8 ".utf8), "a WebP image"),
            (Array("\0\0\0\u{1c}ftypavif".utf8), "an AVIF image"),
            (Array("\0\0\0\u{1c}ftypheic".utf8), "a HEIC image"), (Array("a portrait".utf8), "not an image"),
            (Array(try Self.jpeg().prefix(4)), "a JPEG image that is damaged or cut short"),
        ] {
            let answer = try answer([Self.portrait(bytes)])
            #expect(answer.word == .cannotTell)
            #expect(
                answer.reason == "the portrait is \(kind); ISO/IEC 18013-5 allows JPEG and JPEG 2000")
        }
        let text = try answer([TestDocument.Item("portrait", Encoded.text("data:image/jpeg;base64,"))])
        #expect(text.word == .cannotTell && text.reason.hasPrefix("the portrait is a text;"))
    }

    @Test("Without a portrait nobody can compare")
    func absent() throws {
        let answer = try answer([TestDocument.Item("family_name", Encoded.text("Quillfeather"))])
        #expect(answer == Answer(.cannotTell, because: "no portrait came to compare"))
    }
}
