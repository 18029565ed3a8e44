import Deadlines
import Foundation
import Glibc
import MdocModel
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderStore
import Reports
import Synchronization
import Testing
import VectorFiles

@testable import TapToPresent

@Suite("Display requests", .serialized)
struct DisplayTests {
    private typealias Outcome = MobileDriversLicenseDisplayRequest.Response.ValidationOutcome

    private static func request(
        _ elements: [MobileDriversLicenseDisplayRequest.Element] = [
            .givenName, .familyName, .ageAtLeast(21),
        ],
        _ mode: MobileDriversLicenseDisplayRequest.Options.ValidationMode = .confirm
    ) -> MobileDriversLicenseDisplayRequest {
        MobileDriversLicenseDisplayRequest(elements: elements, options: .init(validationMode: mode))
    }

    /// A display that says what it was given.
    private final class SeenDisplay: DisplayChannel {
        private let outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
        private let seen = Mutex<[ShownResult]>([])
        private let wiped = Mutex(false)

        init(_ outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome = .dismissed) {
            self.outcome = outcome
        }

        var results: [ShownResult] { seen.withLock { $0 } }
        var isWiped: Bool { wiped.withLock { $0 } }

        func show(
            _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
        ) throws(MobileDocumentReaderError)
            -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
        {
            seen.withLock { $0.append(result) }
            shown()
            defer { wiped.withLock { $0 = true } }
            if isAsking { return outcome }
            while !time.isOver { Thread.sleep(forTimeInterval: 0.005) }
            return .dismissed
        }
    }

    /// An app's buttons.
    private struct Buttons: MobileDocumentPresenter {
        let outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
        let asked = Mutexed()

        final class Mutexed: Sendable {
            private let all = Mutex<[MobileDocumentPresentation]>([])
            var presentations: [MobileDocumentPresentation] { all.withLock { $0 } }
            func append(_ one: MobileDocumentPresentation) { all.withLock { $0.append(one) } }
        }

        func validationOutcome(
            of presentation: MobileDocumentPresentation
        ) async -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome {
            asked.append(presentation)
            return outcome
        }
    }

    private func outcome(
        _ request: some MobileDocumentRequest, by display: MobileDocumentDisplay,
        _ presenter: (any MobileDocumentPresenter)? = nil,
        of documents: [TestDocument] = [TestLicence().document(on: TapStage.now.dayInUTC)],
        decoder: String? = nil
    ) async throws -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome? {
        let stage = try TapStage(
            documents,
            setup: {
                $0.display = display
                $0.presenter = presenter
                $0.portraitDecoder = decoder
            })
        defer { stage.clean() }
        let response = try await stage.reader.prepare().requestDocument(request)
        return (response as? MobileDriversLicenseDisplayRequest.Response)?.validationOutcome
    }

    @Test(
        "The display gets name, answers and portrait; the app the operator's decision",
        arguments: [Outcome.approved, .rejected, .dismissed])
    func decision(_ outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome) async throws {
        let display = SeenDisplay(outcome)
        #expect(try await self.outcome(Self.request(), by: .init(display)) == outcome)
        let result = try #require(display.results.first)
        #expect(result.familyName == "Testrup-Ødegård" && result.givenName == "Lumi Séraphine")
        #expect(result.ages.map(\.years) == [21] && result.ages.map(\.answer) == [.yes])
        #expect(result.portrait?.isEmpty == false && result.age == nil && result.brand == nil)
        #expect(!"\(result)".contains("Testrup"))
    }

    @Test("In a session with a token the display names the brand")
    func brand() async throws {
        let display = SeenDisplay()
        let stage = try TapStage(setup: { $0.display = .init(display) })
        defer { stage.clean() }
        try await stage.prepared().requestDocument(Self.request())
        #expect(display.results.map(\.brand) == ["Test brand"])
    }

    @Test("What was not asked for is not shown")
    func least() async throws {
        let display = SeenDisplay()
        _ = try await outcome(Self.request([.age]), by: .init(display))
        let result = try #require(display.results.first)
        #expect(
            result.age == 40 && result.familyName == nil && result.givenName == nil && result.ages.isEmpty)
    }

    @Test("Without a question there is no decision")
    func check() async throws {
        for mode in [MobileDriversLicenseDisplayRequest.Options.ValidationMode.check, .checkMultiple] {
            #expect(
                try await outcome(Self.request([.age], mode), by: .init(SeenDisplay(.approved))) == .dismissed
            )
        }
    }

    @Test(
        "Nobody can approve what is not proven",
        arguments: [([18], Outcome.approved), ([18, 65], .rejected), ([50], .dismissed)])
    func unproven(
        _ ages: [Int], _ expected: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
    ) async throws {
        var licence = TestLicence().document(on: TapStage.now.dayInUTC)
        licence["age_in_years"] = nil
        let request = Self.request(ages.map { .ageAtLeast($0) })
        for presenter in [nil, Buttons(outcome: .approved)] as [(any MobileDocumentPresenter)?] {
            let found = try await outcome(
                request, by: .init(SeenDisplay(.approved)), presenter, of: [licence])
            #expect(found == expected)
        }
    }

    @Test("Nobody can approve where no portrait came")
    func noPortrait() async throws {
        var licence = TestLicence().document(on: TapStage.now.dayInUTC)
        licence["portrait"] = nil
        let found = try await outcome(
            Self.request([.givenName]), by: .init(SeenDisplay(.approved)), of: [licence])
        #expect(found == .dismissed)
    }

    private static func licence(portrait: [UInt8]) -> TestDocument {
        var licence = TestLicence().document(on: TapStage.now.dayInUTC)
        licence["portrait"] = .bytes(portrait)
        return licence
    }

    @Test(
        "Q247 Nobody can approve where the portrait does not decode though its header is good; the twin that does is compared"
    )
    func brokenPortrait() async throws {
        for image in try BrokenPortrait.all {
            for (portrait, expected) in [(image.bytes, Outcome.dismissed), (image.whole, .approved)] {
                let display = SeenDisplay(.approved)
                let found = try await outcome(
                    Self.request(), by: .init(display), of: [Self.licence(portrait: portrait)])
                let result = try #require(display.results.first)
                let isBroken = expected == .dismissed
                #expect(found == expected && (result.portrait == nil) == isBroken, "\(image.name)")
                #expect(result.portraitFault == (isBroken ? "the portrait cannot be decoded" : nil))
                // The other answers stay.
                #expect(result.ages.map(\.answer) == [.yes])
            }
        }
    }

    @Test("Q247 Without a decoder that can be used no portrait is compared, and the display has the reason")
    func noDecoder() async throws {
        for decoder in ["/nowhere/countersign-portrait", "/bin/false"] {
            let display = SeenDisplay(.approved)
            #expect(try await outcome(Self.request(), by: .init(display), decoder: decoder) == .dismissed)
            let result = try #require(display.results.first)
            #expect(result.portrait == nil)
            #expect(result.portraitFault?.hasPrefix("the portrait was not decoded, so nobody knows") == true)
        }
    }

    @Test("Nobody can approve where an answer is no, and who dismisses it does not change that")
    func denied() async throws {
        for decision in [Outcome.approved, .rejected, .dismissed] {
            #expect(
                try await outcome(Self.request([.ageAtLeast(65)]), by: .init(SeenDisplay(decision)))
                    == .rejected)
        }
    }

    @Test("The app's own buttons decide, know what was asked alone, and the display is wiped")
    func presenter() async throws {
        let (display, buttons) = (SeenDisplay(), Buttons(outcome: .approved))
        #expect(try await outcome(Self.request(), by: .init(display), buttons) == .approved)
        let presentation = try #require(buttons.asked.presentations.first)
        #expect(presentation.elements == [.givenName, .familyName, .ageAtLeast(21)])
        #expect(display.isWiped)
        var text = ""
        dump(presentation, to: &text)
        #expect(!text.contains("Testrup"))
    }

    @Test("The app's own buttons decide nothing where the display shows nothing")
    func presenterWithoutDisplay() async throws {
        let buttons = Buttons(outcome: .approved)
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await outcome(Self.request(), by: .viewer(atSocket: "/nowhere/at-all"), buttons)
        }
        #expect(error?.reason == .displayUnavailable(id: "viewer.absent"))
        #expect(buttons.asked.presentations.isEmpty)
    }

    @Test("What an app gets of a display request holds no text, number or bytes, however deep one looks")
    func noValues() async throws {
        let stage = try TapStage(setup: { $0.display = .init(SeenDisplay(.approved)) })
        defer { stage.clean() }
        let session = try await stage.reader.prepare()
        let response = try await session.requestDocument(Self.request())
        #expect(Self.leaves(of: response) == ["ValidationOutcome"])
        let other = try await session.requestDocument(
            .displayDocument(
                [.familyName, .age],
                options: .init(allowedDocumentTypes: [.driversLicense], validationMode: .confirm)))
        #expect(Self.leaves(of: other) == ["ValidationOutcome"])
        // The twin: a data request's answer would be found.
        #expect(Self.leaves(of: Example(name: "Testrup")) == ["String"])
    }

    private struct Example { let name: String }

    private static func leaves(of value: Any) -> [String] {
        let children = Mirror(reflecting: value).children
        return children.isEmpty ? ["\(type(of: value))"] : children.flatMap { leaves(of: $0.value) }
    }

    @Test(
        "Any of several documents is shown, whichever the holder has",
        arguments: TestDocumentKind.allCases.prefix(2))
    func documents(_ kind: TestDocumentKind) async throws {
        let display = SeenDisplay(.approved)
        let request = MobileDocumentDisplayRequest(
            elements: [.familyName, .ageAtLeast(18)],
            options: .init(allowedDocumentTypes: [.photoID, .driversLicense], validationMode: .confirm))
        let document = kind.document(for: TestLicence(), on: TapStage.now.dayInUTC)
        #expect(try await outcome(request, by: .init(display), of: [document]) == .approved)
        #expect(display.results.first?.familyName == "Testrup-Ødegård")
    }

    @Test("A national ID card is shown with its name and face")
    func nationalIDCard() async throws {
        let display = SeenDisplay(.approved)
        let request = MobileNationalIDCardDisplayRequest(
            region: .japan, elements: [.familyName, .givenName, .ageAtLeast(20)],
            options: .init(validationMode: .confirm))
        #expect(try await outcome(request, by: .init(display), of: [.nationalIDCard()]) == .approved)
        let result = try #require(display.results.first)
        #expect(result.familyName == "試験" && result.givenName == "花子")
        #expect(result.portrait?.isEmpty == false && result.ages.map(\.answer) == [.yes])
    }

    @Test("An age beside a question about it is shown, and its answer still decides")
    func ageBesideQuestion() async throws {
        let display = SeenDisplay(.approved)
        #expect(
            try await outcome(Self.request([.age, .ageAtLeast(65)]), by: .init(display)) == .rejected)
        #expect(display.results.first?.age == 40)
    }

    @Test("Q221 Without an element that every licence has and that was asked for, nobody is approved")
    func withheld() async throws {
        for (identifier, expected) in [
            ("family_name", MobileDriversLicenseDisplayRequest.Response.ValidationOutcome.dismissed),
            ("portrait", .dismissed), ("height", .approved),
        ] {
            let name = ElementName(nameSpace: TestLicence.nameSpace, identifier: identifier)
            let stage = try TapStage(
                phone: { $0.holder.documents = $0.holder.documents.map { $0.withholding([name]) } },
                setup: { $0.display = .init(SeenDisplay(.approved)) })
            defer { stage.clean() }
            let request = Self.request([.familyName, .ageAtLeast(21)])
            let response = try await stage.reader.prepare().requestDocument(request)
            #expect(response.validationOutcome == expected, "without \(identifier)")
        }
    }

    @Test("A rejected answer is not shown")
    func rejected() async throws {
        let display = SeenDisplay(.approved)
        let stage = try TapStage(
            phone: { $0.holder.fault = .signatureFlipped }, setup: { $0.display = .init(display) })
        defer { stage.clean() }
        await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await stage.reader.prepare().requestDocument(Self.request())
        }
        #expect(display.results.isEmpty)
    }

    @Test("An app that never decides keeps nobody: the display's time ends the request")
    func deaf() async throws {
        struct Deaf: MobileDocumentPresenter {
            func validationOutcome(
                of presentation: MobileDocumentPresentation
            ) async -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome {
                // Goes on although it is cancelled.
                await Task.detached { try? await Task.sleep(for: .seconds(60)) }.value
                return .approved
            }
        }
        let display = SeenDisplay()
        var setup = MobileDocumentReader.Setup()
        setup.display = .init(display)
        setup.presenter = Deaf()
        var showing = ResultShowing(setup, brand: nil)
        showing.timeout = .milliseconds(50)
        let result = ShownResult(asked: .init(elements: [], validationMode: .confirm))
        let (outcome, time) = try await timed { try await showing.outcome(of: result) }
        #expect(outcome == .dismissed && time < .seconds(50))
        #expect(display.isWiped)
    }

    @Test("Cancelling the task while the operator decides wipes the display")
    func cancelled() async throws {
        struct Undecided: MobileDocumentPresenter {
            func validationOutcome(
                of presentation: MobileDocumentPresentation
            ) async -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome {
                await untilCancelled()
                return .approved
            }
        }
        let display = SeenDisplay()
        let stage = try TapStage(
            setup: {
                $0.display = .init(display)
                $0.presenter = Undecided()
            })
        defer { stage.clean() }
        let session = try await stage.reader.prepare()
        var events = stage.reader.events.makeAsyncIterator()
        let task = Task { try await session.requestDocument(Self.request()) }
        while let event = await events.next(), event != .presenting {
            if case .done = event { break }
        }
        task.cancel()
        await #expect(throws: MobileDocumentReaderError.cancelled) { try await task.value }
        #expect(display.isWiped)
    }
}

extension ShownResult {
    /// A result with nothing in it.
    fileprivate init(asked: MobileDocumentPresentation) {
        self.init(
            brand: nil, asked: asked, isTest: false, familyName: nil, givenName: nil, age: nil, ages: [],
            portrait: nil, portraitFault: nil, evidence: Conclusion.Evidence())
    }
}
