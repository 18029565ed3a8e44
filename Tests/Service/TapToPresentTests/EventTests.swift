import MdocWallet
import PresentationStage
import Testing

@testable import TapToPresent

@Suite("Events of the library")
struct EventTests {
    private static let data = MobileDriversLicenseDataRequest(nonRetainedElements: [.familyName])

    /// What a listener hears of one read.
    private func events(of stage: TapStage) async throws -> [MobileDocumentReader.Event] {
        defer { stage.clean() }
        let session = try await stage.prepared()
        let stream = session.events
        _ = try? await session.requestDocument(Self.data)
        var events: [MobileDocumentReader.Event] = []
        for await event in stream {
            events.append(event)
            if case .done = event { break }
        }
        return events
    }

    @Test("A read is reported phase by phase, with the verdict and its reasons")
    func phases() async throws {
        let events = try await events(of: try TapStage())
        guard events.count == 7, case .judged(let verdict) = events[5] else {
            Issue.record("\(events)")
            return
        }
        #expect(events.prefix(5) == [.armed, .engaged, .awaitingConsent, .receiving, .verifying])
        #expect(events.last == .done(nil))
        #expect(verdict.isTest && !verdict.isVerified && verdict.failures.isEmpty)
        #expect(verdict.documents.map(\.docType) == ["org.iso.18013.5.1.mDL"])
        #expect(verdict.documents[0].issuingCountry == "UT")
        #expect(verdict.documents[0].checks.count == 10)
        #expect(verdict.documents[0].checks.allSatisfy { $0.outcome == .passed })
        #expect(verdict.documents[0].revocation == "undetermined")
    }

    @Test("A rejected answer is reported with what failed, and a read that fails with its error")
    func rejected() async throws {
        let events = try await events(of: try TapStage { $0.holder.fault = .signatureFlipped })
        guard case .judged(let verdict) = events.dropLast().last else {
            Issue.record("\(events)")
            return
        }
        #expect(verdict.failures == ["device_authentication"] && verdict.isTest && !verdict.isVerified)
        #expect(events.last == .done(.invalidResponse))
    }

    @Test("A test document is refused unless the app takes those, and is never verified")
    func testDocument() async throws {
        let events = try await events(of: try TapStage(setup: { $0.acceptsTestDocuments = false }))
        guard case .judged(let verdict) = events.dropLast().last else {
            Issue.record("\(events)")
            return
        }
        #expect(verdict.isTest && !verdict.isVerified && verdict.failures == ["document.test"])
        #expect(events.last == .done(.invalidResponse))
    }

    @Test("No event and no verdict holds an element value")
    func nothingPersonal() async throws {
        for stage in [try TapStage(), try TapStage { $0.holder.fault = .signatureFlipped }] {
            let events = try await events(of: stage)
            var text = ""
            dump(events, to: &text)
            #expect(!text.isEmpty && !text.contains("Testrup"))
        }
    }

    @Test("Every listener hears everything, and is notified when the reader is removed")
    func listeners() async throws {
        var stage: TapStage? = try TapStage()
        let streams = [stage?.reader.events, stage?.reader.events]
        var session = try await stage?.prepared()
        _ = try await session?.requestDocument(Self.data)
        stage?.clean()
        (stage, session) = (nil, nil)
        for stream in streams {
            var count = 0
            if let stream { for await _ in stream { count += 1 } }
            #expect(count == 7)
        }
    }
}
