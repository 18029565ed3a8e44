import BlueZBench
import Foundation
import MdocModel
import PCSCBench
import PresentationStage
import TapToPresent
import Testing

/// An app that reads at the first virtual reader, from phones of these customers or of nobody it trusts.
private struct BenchApp {
    let reader: MobileDocumentReader
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tap-\(UUID())").path

    init(trusting customers: Customers) {
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = folder
        setup.reader = VirtualBench.first
        setup.trust = .roots([Data(customers.root)])
        // The wallet's issuer is a test's, and has no revocation list.
        setup.acceptsTestDocuments = true
        setup.revocation[.elements] = .age
        reader = MobileDocumentReader(setup)
    }

    func clean() { try? FileManager.default.removeItem(atPath: folder) }

    /// The family name of whoever's phone `come` brings once the reader waits for one, and the steps up to it.
    func familyName(
        _ come: @escaping @Sendable (MobileDocumentReader.Event) async throws -> Void
    ) async throws -> (name: String?, events: [MobileDocumentReader.Event]) {
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        let session = try await reader.prepare(using: TapStage.newToken(in: folder, at: now))
        let stream = session.events
        let watching = Task {
            var events: [MobileDocumentReader.Event] = []
            for await event in stream {
                events.append(event)
                if case .done = event { return events }
                try await come(event)
            }
            return events
        }
        let request = MobileDriversLicenseDataRequest(nonRetainedElements: [.familyName])
        let response = await Task { try await session.requestDocument(request) }.result
        let events = try await watching.value
        return (try response.get().documentElements.nameComponents?.familyName, events)
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
    @Test(
        "A tap gives an app the element that it asked for; one of an issuer that it does not trust gives none"
    )
    func tapped() async throws {
        let customers = try Customers()
        let reader = try VirtualReader()
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
