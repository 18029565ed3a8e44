import BlueZBench
import COSE
import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import PCSCBench
import PresentationStage
import TapToPresent
import Testing

/// An app that reads at the first virtual reader, from phones of these customers or of nobody it trusts.
private struct BenchApp {
    let reader: MobileDocumentReader
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tap-\(UUID())").path

    init(
        trusting customers: Customers, _ change: (inout MobileDocumentReader.Setup) -> Void = { _ in }
    ) {
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = folder
        setup.reader = VirtualBench.first
        setup.trust = .roots([Data(customers.root)])
        // The wallet's issuer is a test's, and has no revocation list.
        setup.acceptsTestDocuments = true
        setup.revocation[.elements] = .age
        change(&setup)
        reader = MobileDocumentReader(setup)
    }

    func clean() { try? FileManager.default.removeItem(atPath: folder) }

    func newToken() async throws -> MobileDocumentReader.Token {
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        return try await TapStage.newToken(in: folder, at: now)
    }

    /// The family name of whoever's phone `come` brings once the reader waits for one, and the steps up to it.
    func familyName(
        _ come: @escaping @Sendable (MobileDocumentReader.Event) async throws -> Void
    ) async throws -> (name: String?, events: [MobileDocumentReader.Event]) {
        let session = try await reader.prepare(using: newToken())
        let request = MobileDriversLicenseDataRequest(nonRetainedElements: [.familyName])
        let (response, events) = try await answer(come) { try await session.requestDocument(request) }
        return (response.documentElements.nameComponents?.familyName, events)
    }

    /// What `ask` comes to with the phone that `come` brings, and the steps up to it.
    func answer<Answer: Sendable>(
        _ come: @escaping @Sendable (MobileDocumentReader.Event) async throws -> Void,
        to ask: @escaping @Sendable () async throws -> Answer
    ) async throws -> (answer: Answer, events: [MobileDocumentReader.Event]) {
        let stream = reader.events
        let watching = Task {
            var events: [MobileDocumentReader.Event] = []
            for await event in stream {
                events.append(event)
                if case .done = event { return events }
                try await come(event)
            }
            return events
        }
        let answer = await Task { try await ask() }.result
        let events = try await watching.value
        return (try answer.get(), events)
    }
}

extension [MobileDocumentReader.Event] {
    /// Those without hints and verdicts.
    fileprivate var steps: [MobileDocumentReader.Event] {
        filter {
            switch $0 {
            case .hint, .judged: false
            default: true
            }
        }
    }
}

@Suite(
    "The library for apps, with a tap through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct PCSCPresentTests {
    /// One for all tests: the phone of each comes a second after that of the one before was seen away (Q208).
    private static let reader = Result { try VirtualReader() }

    @Test(
        "A tap gives an app the element that it asked for; one of an issuer that it does not trust gives none"
    )
    func tapped() async throws {
        let customers = try Customers()
        let reader = try Self.reader.get()
        for isTrusted in [true, false] {
            let app = BenchApp(trusting: isTrusted ? customers : try Customers())
            defer { app.clean() }
            @Sendable func come(_ event: MobileDocumentReader.Event) async throws {
                if event == .armed { try await reader.hold(customers.phone()) }
            }
            if isTrusted {
                let (name, events) = try await app.familyName(come)
                #expect(name == "Testrup-Ødegård")
                #expect(
                    events.steps == [.armed, .engaged, .awaitingConsent, .receiving, .verifying, .done(nil)])
            } else {
                await #expect(throws: MobileDocumentReaderError.invalidResponse) {
                    try await app.familyName(come)
                }
            }
            try await reader.takeAway()
        }
    }

    /// A phone of a customer with this document alone.
    private static func phone(of customers: Customers, with document: TestDocument) throws -> Phone {
        let key = try COSEKeyPair(PrivateKey.generate(.p256))
        let card = try customers.presented.issuer.issue(document, for: key)
        return try customers.phone { $0.holder = Holder(documents: [card]) }
    }

    @Test("A file from iOS reads a licence and a national ID card, and none of an issuer that is not trusted")
    func ported() async throws {
        let customers = try Customers()
        let today = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970)).dayInUTC
        let (licence, card) = (TestLicence().document(on: today), TestDocument.nationalIDCard())
        let reader = try Self.reader.get()
        for isTrusted in [true, false] {
            let app = BenchApp(trusting: isTrusted ? customers : try Customers())
            defer { app.clean() }
            let desk = RentalDesk(reader: app.reader) { _ in try await app.newToken().tokenString }
            #expect(desk.isAvailable)
            @Sendable func come(with document: TestDocument, at event: MobileDocumentReader.Event)
                async throws
            {
                guard event == .armed else { return }
                try await reader.hold(Self.phone(of: customers, with: document))
            }
            if isTrusted {
                let categories = try await app.answer({ try await come(with: licence, at: $0) }) {
                    try await desk.categories()
                }
                #expect(categories.answer == ["B"])
                try await reader.takeAway()
                let name = try await app.answer({ try await come(with: card, at: $0) }) {
                    try await desk.nameOnNationalIDCard()
                }
                #expect(name.answer == "試験")
            } else {
                let error = await #expect(throws: MobileDocumentReaderError.invalidResponse) {
                    try await app.answer({ try await come(with: card, at: $0) }) {
                        try await desk.nameOnNationalIDCard()
                    }
                }
                #expect(desk.advice(after: try #require(error)) == "The phone's answer is not valid.")
            }
            try await reader.takeAway()
        }
    }
}

@Suite(
    "The library for apps, with a tap through the real pcscd and the answer through the real bluetoothd",
    .serialized, .enabled(if: AirBench.isHere, AirBench.absence),
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct BluetoothPresentTests {
    @Test("The phone is tapped and lifted, and its answer comes to the app through the air")
    func tapped() async throws {
        try await AirBench.control(.start)
        let customers = try Customers.withBluetooth()
        let app = BenchApp(trusting: customers)
        defer { app.clean() }
        let reader = try VirtualReader()
        defer { reader.lift() }
        let tapped = try TappedAirPhone(of: customers)
        let (name, events) = try await app.familyName { event in
            if event == .armed { try await reader.hold(tapped.phone) }
            if event == .engaged { reader.lift() }
        }
        #expect(name == "Testrup-Ødegård", "\(tapped.air.lines)")
        #expect(events.steps == [.armed, .engaged, .awaitingConsent, .receiving, .verifying, .done(nil)])
        #expect(try await tapped.end().readerStatus == .termination)
    }
}
