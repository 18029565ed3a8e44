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
    private func answer(
        _ items: [TestDocument.Item], of docType: String = TestDocument.mDL
    ) throws -> Answer {
        let day = try #require(FullDate(year: 2026, month: 11, day: 1))
        return Answer(
            Question(docTypes: [docType], .portrait, on: day), by: try document(items, of: docType))
    }

    private func document(_ items: [TestDocument.Item], of docType: String) throws -> VerifiedDocument {
        let issuer = try TestIssuer(authority: TestAuthority.ofACountry())
        let session = try TestSession()
        var draft = try TestDocument(items)
        draft.docType = docType
        let document = try draft.encoded(issuer: issuer, session: session)
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
        return verified.documents[0]
    }

    private static func jpeg() throws -> [UInt8] {
        try VectorFiles.bytes(
            of: VectorFiles.repository.appending(path: "Sources/Mdoc/MdocWallet/Resources/portrait.jpg"))
    }

    private struct NotVerified: Error {}

    private static func portrait(
        _ bytes: [UInt8], in nameSpace: String = TestDocument.nameSpace
    ) -> TestDocument.Item {
        TestDocument.Item("portrait", Encoded.bytes(bytes), in: nameSpace)
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

    @Test(
        "Q244 Only a portrait in the namespaces of the document's type is one to compare",
        arguments: [
            (TestDocument.mDL, "org.iso.18013.5.1", "com.example.x"),
            (TestDocument.mDL, "org.iso.18013.5.1", "org.iso.18013.5.1.aamva"),
            ("org.iso.23220.photoid.1", "org.iso.23220.1", "org.iso.18013.5.1"),
            ("eu.europa.ec.eudi.pid.1", "eu.europa.ec.eudi.pid.1", "org.iso.18013.5.1"),
            ("org.iso.23220.1.jp.mnc", "org.iso.23220.1.jp", "org.iso.23220.1"),
        ])
    func nameSpaces(_ docType: String, own: String, other: String) throws {
        let jpeg = try Self.jpeg()
        let stranger = jpeg + [0]
        let elsewhere = Self.portrait(jpeg, in: other)
        let alone = try answer([elsewhere], of: docType)
        #expect(alone.word == .cannotTell && alone.reason.contains("\(other)/portrait "), "\(alone.reason)")
        #expect(try document([elsewhere], of: docType).portrait == nil)
        for items in [
            [Self.portrait(stranger, in: other), Self.portrait(jpeg, in: own)],
            [Self.portrait(jpeg, in: own), Self.portrait(stranger, in: other)],
        ] {
            #expect(try answer(items, of: docType).word == .yes)
            #expect(try document(items, of: docType).portrait.map { Array($0) } == jpeg)
        }
        #expect(try answer([Self.portrait([], in: own), elsewhere], of: docType).word == .cannotTell)
    }

    @Test("Q244 Of a type that is not known the portrait may be in any namespace, that of its name first")
    func unknownType() throws {
        let jpeg = try Self.jpeg()
        let docType = "org.example.club.1"
        let elsewhere = Self.portrait(jpeg, in: "org.example.people")
        #expect(try answer([elsewhere], of: docType).word == .yes)
        #expect(try answer([elsewhere, Self.portrait([], in: docType)], of: docType).word == .cannotTell)
    }

    @Test("Without a portrait nobody can compare")
    func absent() throws {
        let answer = try answer([TestDocument.Item("family_name", Encoded.text("Quillfeather"))])
        #expect(answer == Answer(.cannotTell, because: "no portrait came to compare"))
    }
}
