import CommandBench
import Foundation
import MdocModel
import MdocTrust
import MdocVerification
import PortraitDecoding
import ReaderStore
import TestCredentials
import Testing
import VectorFiles

@testable import Reports

@Suite("Whether there is a portrait to compare")
struct PortraitAnswerTests {
    private static let day = FullDate(year: 2026, month: 11, day: 1)

    private func answer(
        _ items: [TestDocument.Item], of docType: String = TestDocument.mDL
    ) throws -> ReasonedAnswer {
        let day = try #require(Self.day)
        return ReasonedAnswer(
            Question(docTypes: [docType], .portrait, on: day), by: try document(items, of: docType))
    }

    private func document(_ items: [TestDocument.Item], of docType: String) throws -> VerifiedDocument {
        try verified(items, of: docType).documents[0]
    }

    private func verified(
        _ items: [TestDocument.Item], of docType: String = TestDocument.mDL
    ) throws -> VerifiedResponse {
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
        guard case .verified(let verified) = try UnverifiedResponse(response[...]).verify(in: context)
        else {
            throw NotVerified()
        }
        return verified
    }

    private static func jpeg() throws -> [UInt8] {
        try VectorFiles.bytes(
            of: VectorFiles.repository.appending(path: "Sources/Laboratory/MdocWallet/Resources/portrait.jpg")
        )
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

    @Test("Q225 An empty, truncated or unsupported image is reported and is no portrait to compare")
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
            #expect(answer.word == .unknown)
            #expect(
                answer.reason == "the portrait is \(kind); ISO/IEC 18013-5 allows JPEG and JPEG 2000")
        }
        let text = try answer([TestDocument.Item("portrait", Encoded.text("data:image/jpeg;base64,"))])
        #expect(text.word == .unknown && text.reason.hasPrefix("the portrait is a text;"))
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
        #expect(alone.word == .unknown && alone.reason.contains("\(other)/portrait "), "\(alone.reason)")
        #expect(try document([elsewhere], of: docType).portrait == nil)
        for items in [
            [Self.portrait(stranger, in: other), Self.portrait(jpeg, in: own)],
            [Self.portrait(jpeg, in: own), Self.portrait(stranger, in: other)],
        ] {
            #expect(try answer(items, of: docType).word == .yes)
            #expect(try document(items, of: docType).portrait.map { Array($0) } == jpeg)
        }
        #expect(try answer([Self.portrait([], in: own), elsewhere], of: docType).word == .unknown)
    }

    @Test(
        "Q244 The portrait of an unknown document type may be in any namespace, and a bad one does not hide a good one"
    )
    func unknownType() throws {
        let jpeg = try Self.jpeg()
        let docType = "org.example.club.1"
        let elsewhere = Self.portrait(jpeg, in: "org.example.people")
        #expect(try answer([elsewhere], of: docType).word == .yes)
        let empty = Self.portrait([], in: docType)
        #expect(try answer([empty], of: docType).word == .unknown)
        // A portrait that is of no use hides no good one, and two good ones leave open which of them is the holder's.
        for none in [empty, TestDocument.Item("portrait", [0xf6], in: docType)] {
            for items in [[elsewhere, none], [none, elsewhere]] {
                #expect(try answer(items, of: docType).word == .yes)
                #expect(try document(items, of: docType).portrait.map { Array($0) } == jpeg)
            }
        }
        #expect(try answer([elsewhere, Self.portrait(jpeg, in: docType)], of: docType).word == .yes)
        let grey = try BrokenPortrait.vector("grey.jpg")
        let two = try answer([elsewhere, Self.portrait(grey, in: docType)], of: docType)
        #expect(two == ReasonedAnswer(.unknown, because: "several different portraits were returned"))
    }

    @Test("Without a portrait nobody can compare")
    func absent() throws {
        let answer = try answer([TestDocument.Item("family_name", Encoded.text("Quillfeather"))])
        #expect(answer == ReasonedAnswer(.unknown, because: "no portrait was returned for comparison"))
    }

    /// A report on a portrait and an age, after the portrait was decoded.
    private func report(
        _ portrait: [UInt8], _ expectation: AnswerExpectation, by decoder: PortraitDecoder?
    ) async throws -> TransactionReport {
        let response = try verified([
            Self.portrait(portrait), TestDocument.Item("age_over_21", Encoded.boolean(true)),
        ])
        var report = TransactionReport(
            .verified(response), expecting: expectation, requestCompared: true)
        await report.decodePortraits(by: decoder)
        return report
    }

    @Test(
        "Q247 A portrait with a good header and broken data cannot be compared, on every channel")
    func brokenData() async throws {
        let decoder = try #require(PortraitDecoder.installed, "build countersign-portrait")
        let day = try #require(Self.day)
        let asking = AnswerExpectation(
            [.portrait, .ageOver(21, by: .attestation)].map {
                Question(docTypes: [TestDocument.mDL], $0, on: day)
            }, of: [])
        for image in try BrokenPortrait.all {
            let (broken, whole) = (image.bytes, image.whole)
            #expect(try answer([Self.portrait(broken)]).word == .yes, "the header alone says nothing")
            let report = try await report(broken, asking, by: decoder)
            let answers = report.documents[0].answers
            #expect(answers[0].answer == ReasonedAnswer(.unknown, because: "the portrait cannot be decoded"))
            #expect(answers[1].answer.word == .yes)
            #expect(report.conclusion.outcome == .unclear)
            let twin = try await self.report(whole, asking, by: decoder)
            #expect(twin.documents[0].answers.map(\.answer.word) == [.yes, .yes])
            #expect(twin.conclusion.outcome == .allow)
        }
    }

    @Test("Q247 A portrait that no decoder checked cannot be compared, and the answer says so")
    func noDecoder() async throws {
        let day = try #require(Self.day)
        let asking = AnswerExpectation(
            [Question(docTypes: [TestDocument.mDL], .portrait, on: day)], of: [])
        let jpeg2000 = try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/lossless.jp2"))
        for path in [nil, "/nowhere/countersign-portrait", "/bin/false", "/bin/true"] {
            let report = try await report(
                path == nil ? jpeg2000 : Self.jpeg(), asking, by: path.map { PortraitDecoder(executable: $0) }
            )
            let answer = try #require(report.documents[0].answers.first?.answer)
            #expect(answer.word == .unknown && answer.reason.hasPrefix("the portrait was not decoded"))
            #expect(report.conclusion.outcome == .unclear)
            // What is refused for its form keeps that reason.
            let empty = try await self.report([], asking, by: nil)
            #expect(
                empty.documents[0].answers.first?.answer.reason.hasPrefix("the portrait is empty") == true)
        }
    }

    @Test("Q247 Where no decoder is installed a JPEG image is read to its last block all the same")
    func jpegWithoutDecoder() async throws {
        let day = try #require(Self.day)
        let asking = AnswerExpectation(
            [Question(docTypes: [TestDocument.mDL], .portrait, on: day)], of: [])
        for image in try BrokenPortrait.all where image.whole.starts(with: [0xff, 0xd8]) {
            let whole = try await report(image.whole, asking, by: nil)
            #expect(whole.documents[0].answers.first?.answer.word == .yes, "\(image.name)")
            let broken = try await report(image.bytes, asking, by: nil)
            #expect(broken.documents[0].answers.first?.answer.word == .unknown, "\(image.name)")
        }
    }

    /// The report on an answer to a request for `element`, in whose place one of the alternatives may come.
    private func report(
        of docType: String = TestDocument.mDL, on element: String, or alternatives: [String],
        _ items: [TestDocument.Item]
    ) async throws -> TransactionReport {
        let decoder = try #require(PortraitDecoder.installed, "build countersign-portrait")
        let space = TestDocument.nameSpace
        let request = ItemsRequest(
            docType: docType,
            nameSpaces: [.init(name: space, elements: [.init(identifier: element, intentToRetain: false)])],
            alternatives: [
                AlternativeDataElements(
                    requestedElement: ElementName(nameSpace: space, identifier: element),
                    sets: alternatives.map { [ElementName(nameSpace: space, identifier: $0)] })
            ])
        var report = TransactionReport(
            .verified(try verified(items, of: docType)),
            expecting: AnswerExpectation(of: [request], on: try #require(Self.day)), requestCompared: true)
        await report.decodePortraits(by: decoder)
        return report
    }

    @Test("Q247 A portrait that came in another element's place is decoded too")
    func portraitAsAlternative() async throws {
        let png = try BrokenPortrait.vector("still.png")
        for image in try BrokenPortrait.all {
            for docType in [TestDocument.mDL, "org.example.club.1"] {
                let broken = try await report(
                    of: docType, on: "signature_usual_mark", or: ["portrait"], [Self.portrait(image.bytes)])
                #expect(broken.unusable.map(\.text) == ["org.iso.18013.5.1/portrait cannot be decoded"])
                #expect(broken.conclusion.outcome == .unclear, "\(docType)")
                let whole = try await report(
                    of: docType, on: "signature_usual_mark", or: ["portrait"], [Self.portrait(image.whole)])
                #expect(whole.conclusion.outcome == .allow && whole.unusable.isEmpty, "\(docType)")
            }
        }
        let other = try await report(
            on: "signature_usual_mark", or: ["portrait"], [Self.portrait(png)])
        #expect(other.conclusion.outcome == .unclear)
    }

    @Test("Q247 A portrait that does not decode silences no good element that came in its place")
    func alternativeToPortrait() async throws {
        let number = TestDocument.Item("document_number", Encoded.text("D 1234"))
        let empty = TestDocument.Item("document_number", Encoded.text(""))
        let png = try BrokenPortrait.vector("still.png")
        for bytes in try BrokenPortrait.all.map(\.bytes) + [png] {
            let portrait = Self.portrait(bytes)
            for (element, alternative) in [
                ("portrait", "document_number"), ("document_number", "portrait"),
            ] {
                let good = try await report(on: element, or: [alternative], [portrait, number])
                #expect(good.conclusion.outcome == .allow && good.unusable.isEmpty)
                let bad = try await report(on: element, or: [alternative], [portrait, empty])
                #expect(bad.conclusion.outcome == .unclear && bad.unusable.count == 1)
            }
        }
    }

    @Test(
        "A birth date of no person is of no use where it was asked for, as null is; an approximate one is content",
        arguments: [
            (TestDocument.mDL, "org.iso.18013.5.1"), ("org.iso.23220.photoid.1", "org.iso.23220.1"),
        ])
    func implausibleBirthDate(_ docType: String, _ nameSpace: String) async throws {
        let birth = ElementName(nameSpace: nameSpace, identifier: "birth_date")
        let request = ItemsRequest(
            docType: docType,
            nameSpaces: [
                .init(
                    name: nameSpace,
                    elements: ["age_over_21", "age_in_years", "birth_date"].map {
                        .init(identifier: $0, intentToRetain: false)
                    })
            ])
        let asking = AnswerExpectation(of: [request], on: try #require(Self.day))
        let report = { (value: [UInt8]) -> TransactionReport in
            let items = [
                TestDocument.Item("age_in_years", Encoded.unsigned(30), in: nameSpace),
                TestDocument.Item("birth_date", value, in: nameSpace),
            ]
            return TransactionReport(
                .verified(try verified(items, of: docType)), expecting: asking, requestCompared: true)
        }
        let masked = Encoded.map([
            ("birth_date", Encoded.day("1990-01-01")), ("approximate_mask", Encoded.text("00001111")),
        ])
        for value in [Encoded.day("0001-01-01"), [0xf6]] {
            let report = try report(value)
            #expect(report.conclusion.outcome == .unclear)
            #expect(report.unusable.map(\.name) == [birth])
        }
        let twin = try report(Encoded.day("1996-01-01"))
        #expect(twin.conclusion.outcome == .allow && twin.unusable.isEmpty)
        // Only the photo ID has a form for it.
        guard docType != TestDocument.mDL else { return }
        let approximate = try report(masked)
        #expect(approximate.conclusion.outcome == .allow && approximate.unusable.isEmpty)
    }

    @Test("Q247 A stored request that needs a portrait is not answered by one whose data is broken")
    func storedRequest() async throws {
        let decoder = try #require(PortraitDecoder.installed, "build countersign-portrait")
        let day = try #require(Self.day)
        let request = ItemsRequest(
            docType: TestDocument.mDL,
            nameSpaces: [
                .init(
                    name: "org.iso.18013.5.1",
                    elements: ["portrait", "age_over_21"].map { .init(identifier: $0, intentToRetain: false) }
                )
            ])
        let asking = AnswerExpectation(of: [request], on: day)
        for image in try BrokenPortrait.all {
            let (broken, whole) = (image.bytes, image.whole)
            let report = try await report(broken, asking, by: decoder)
            #expect(report.unusable.map(\.text) == ["org.iso.18013.5.1/portrait cannot be decoded"])
            #expect(report.conclusion.outcome == .unclear)
            #expect(report.conclusion.reasons.map(\.id) == ["element.unusable"])
            let twin = try await self.report(whole, asking, by: decoder)
            #expect(twin.conclusion.outcome == .allow && twin.unusable.isEmpty)
        }
    }

    @Test(
        "Q247 verify says that a portrait that was asked for cannot be decoded, and exits with 1; a whole one answers"
    )
    func verifyCommand() throws {
        let scene = try TrustScene()
        let root = try scene.write("root.der", scene.root.der)
        let items = ItemsRequest(
            docType: TestDocument.mDL,
            nameSpaces: [
                .init(
                    name: TestDocument.nameSpace,
                    elements: ["portrait", "age_over_21"].map { .init(identifier: $0, intentToRetain: false) }
                )
            ])
        let request = try scene.write("request", DeviceRequest.encode([(items.encoded(), nil)]))
        let portrait = try #require(try BrokenPortrait.all.first)
        for (image, status) in [(portrait.bytes, Int32(1)), (portrait.whole, 0)] {
            let document = try TestDocument([
                Self.portrait(image), TestDocument.Item("age_over_21", Encoded.boolean(true)),
            ])
            let run = try scene.verify(
                ["--trust", root, "--request", request], changing: { $0 = document })
            #expect(run.status == status, "\(run.everything)")
            #expect(
                run.output.contains("org.iso.18013.5.1/portrait cannot be decoded  [element.unusable]")
                    == (status == 1))
        }
    }
}
