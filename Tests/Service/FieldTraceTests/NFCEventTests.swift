import FieldTrace
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderService
import Reports
import Testing

@Suite("What a field trace says of a tap")
struct NFCEventTests {
    private func trace(
        _ profile: WalletProfile, _ handover: HandoverKind, version2: RetrievalPlan.NFCVersion2 = .off,
        _ change: (inout Wallet) -> Void = { _ in }
    ) async throws -> ArraySlice<FieldTraceLine> {
        let scene = try Scene(Scene.presentation(profile), handover: handover, change)
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .seconds(1)
            $0.nextTap = .seconds(1)
        }
        var retrieval = RetrievalPlan()
        retrieval.nfcVersion2 = version2
        let recorded = try await RecordedScene(
            scene, at: Field(scene.phone()), deadlines: deadlines, retrieval: retrieval)
        return try recorded.trace.parsed().lines[...]
    }

    private func end(_ lines: ArraySlice<FieldTraceLine>) throws -> EndFacts {
        try #require(TracedPhone(lines).end)
    }

    @Test("Negotiated handover: limits, waiting times, polls, records, carriers and engagement")
    func negotiated() async throws {
        let events = try await trace(.apple, .negotiated)
        let phone = TracedPhone(events)
        #expect(phone.capabilities?.maximumResponse == 0x0400 && phone.capabilities?.fileSize == 0x0802)
        #expect(phone.service?.waitingTimeInteger == 0x14 && phone.service?.waitingTimeExtensions == 15)
        #expect(phone.engagement?.version == TraceVersion("1.1"))
        #expect(phone.engagement?.keys == [0, 1, 5, 6] && phone.engagement?.capabilities == [3, 4])
        let exchanges = events.exchanges
        // The status is ready at the second look, the Handover Select at the fifth.
        #expect(exchanges.count { $0.command.word == .readLength && $0.length == 0 } == 5)
        let written: [MessageFacts] = events.messages.filter { $0.direction.word == .toPhone }
        #expect(
            written.map { $0.records.map(\.word) } == [
                [.serviceSelect], [.handoverRequest, .readerEngagement, .nfcCarrier],
            ])
        let read = events.messages.filter { $0.direction.word == .fromPhone }
        #expect(read.map { $0.records.first?.word } == [.serviceParameter, .status, .handoverSelect])
        #expect(read.last?.carriers.map(\.kind.word) == [.nfc])
        #expect(exchanges.allSatisfy { $0.status != nil && $0.took >= 0 })
        let end = try end(events)
        #expect(end.milestone.word == .judged && end.verdict.word == .mock && end.next.word == .none)
        #expect(end.request?.isExtended == false && end.error == nil)
        #expect(end.phases.map(\.name.word) == [.engagement, .request, .consent, .transfer, .verification])
    }

    @Test("Static handover: the order of the records, and Bluetooth by its role")
    func staticHandover() async throws {
        let events = try await trace(.samsung, .static)
        let phone = TracedPhone(events)
        #expect(phone.service == nil)
        #expect(
            phone.select?.records.map(\.word) == [
                .handoverSelect, .nfcCarrier, .bluetoothLE, .deviceEngagement,
            ])
        let bluetooth = try #require(phone.select?.carriers.last)
        #expect(bluetooth.role?.word == .centralOnly && bluetooth.uuids == 1 && bluetooth.uuid != nil)
        #expect(phone.capabilities?.writeAccess == 0xff)
    }

    @Test("NFC v2: the phone's limit, what it chose and its engagement; and the status of a phone without it")
    func version2() async throws {
        let events = try await trace(.multipazVersion2, .static, version2: .automatic)
        let phone = TracedPhone(events)
        #expect(phone.version2?.limit == 65_536 && phone.version2?.methods == [5])
        #expect(phone.version2?.dialect.word == .e)
        #expect(phone.engagement?.capabilities == [3, 4])
        let commands = events.exchanges.compactMap(\.command.word)
        #expect(commands.prefix(3) == [.selectVersion2, .envelope, .envelope])
        let first: PresentationFacts? = events.lazy.compactMap { line in
            if case .presentation(let facts) = line.event { facts } else { nil }
        }.first
        #expect(first?.nfcV2?.word == .automatic)
        #expect(try end(events).verdict.word == .mock)

        let others = try await trace(.generic, .static, version2: .automatic)
        #expect(others.exchanges.first?.command.word == .selectVersion2)
        #expect(others.exchanges.first?.status == TraceStatus(0x6a82))
        #expect(TracedPhone(others).version2 == nil)
    }

    @Test("The checks of the document are in it, with the certificate's departures")
    func checks() async throws {
        let documents = try await trace(.generic, .static).compactMap { line in
            if case .document(let facts) = line.event { facts } else { nil }
        }
        #expect(documents.map(\.kind.word) == [.drivingLicence])
        #expect(documents[0].checks.map(\.id.word).contains(.deviceAuthentication))
        #expect(documents[0].checks.allSatisfy { $0.outcome.word != .failed })
    }

    @Test(
        "How a tap failed, how far it came and what to try",
        arguments: [
            (CardFault.transferFails, Milestone.answerBegun, NFCFaultWord.status, NextStep.liftAndTapAgain),
            (.garbledCapabilities, .walletSelected, .capabilityContainerInvalid, .liftAndTapAgain),
            (.locked, .phoneSeen, .noWalletYet, .openIDFirst),
            (.noEngagement, .walletSelected, .noDeviceEngagement, .liftAndTapAgain),
        ])
    func failures(
        _ fault: CardFault, _ milestone: Milestone, _ word: NFCFaultWord, _ next: NextStep
    ) async throws {
        let end = try end(try await trace(.generic, .static) { $0.cardFault = fault })
        #expect(end.milestone.word == milestone)
        #expect(end.cause?.nfc?.word == word)
        #expect(end.next.word == next)
        #expect(end.verdict.word == .incomplete && end.error != nil)
    }

    @Test("A removal in the middle of a command is one without a status word")
    func removal() async throws {
        let exchanges = try await trace(.generic, .static) { $0.cardFault = .pulledInConsent }.exchanges
        let last = try #require(exchanges.last)
        #expect(last.command.word == .envelope && last.failure?.word == .cardLost && last.status == nil)
    }
}

extension ArraySlice<FieldTraceLine> {
    var exchanges: [ExchangeFacts] {
        compactMap { line in if case .exchange(let facts) = line.event { facts } else { nil } }
    }

    var messages: [MessageFacts] {
        compactMap { line in if case .message(let facts) = line.event { facts } else { nil } }
    }
}
