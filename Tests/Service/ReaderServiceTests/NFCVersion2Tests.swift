import CBOR
import Deadlines
import ISO7816
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

/// A wallet of NFC v2, and how it proves that it holds the document.
struct Version2Case: Sendable, CustomTestStringConvertible {
    let profile: WalletProfile
    let proof: Holder.DeviceAuthentication
    let portrait: Int

    var testDescription: String { "\(profile.name) \(proof.rawValue) \(portrait)" }

    static let all = WalletProfile.version2.flatMap { profile in
        Holder.DeviceAuthentication.allCases.flatMap { proof in
            [2400, 23_000].map { Version2Case(profile: profile, proof: proof, portrait: $0) }
        }
    }

    func scene(_ change: (inout Wallet) -> Void = { _ in }) throws -> Scene {
        try Scene(Scene.presentation(profile, proof, portrait: portrait), change)
    }

    static func scene(_ change: (inout NFCVersion2Behaviour) -> Void = { _ in }) throws -> Scene {
        var profile = WalletProfile.multipazVersion2
        if var version2 = profile.version2 {
            change(&version2)
            profile.version2 = version2
        }
        return try Scene(Scene.presentation(profile))
    }
}

extension RetrievalPlan {
    static func version2(_ use: NFCVersion2, _ transport: Transport = .automatic) -> RetrievalPlan {
        var plan = RetrievalPlan()
        plan.nfcVersion2 = use
        plan.transport = transport
        return plan
    }
}

@Suite("A presentation over NFC v2, in memory")
struct NFCVersion2Tests {
    private static let select: [UInt8] = [
        0x00, 0xa4, 0x04, 0x00, 0x07, 0xa0, 0x00, 0x00, 0x02, 0x48, 0x04, 0x01,
    ]

    @Test(
        "Every NFC v2 wallet's answer is verified, by a reader of long and of short APDUs",
        arguments: Version2Case.all)
    func profiles(_ row: Version2Case) async throws {
        let scene = try row.scene()
        for limits in [ContactlessLimits.extended, .short] {
            let phone = try scene.phone()
            let transaction = try scene.transaction(retrieval: .version2(.automatic))
            let response = await transaction.run(at: Field([phone], limits)).verified()
            #expect(response?.portrait()?.count == row.portrait)
            #expect(response?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature))
            #expect(phone.log.commands.first == Self.select)
            #expect(phone.log.count(of: 0xa4) == 1)
            #expect(phone.log.count(of: 0xb0) == 0)
            #expect(phone.log.readerStatus == .termination)
        }
    }

    @Test("The answer's first byte comes with the third command")
    func threeExchanges() async throws {
        let scene = try Version2Case.scene()
        let phone = try scene.phone()
        #expect(
            try await scene.transaction(retrieval: .version2(.automatic)).run(at: Field(phone)).verified()
                != nil)
        let instructions = phone.log.commands.map { $0[1] }
        // SELECT, handover, request with the beginning of the answer; then the rest and the end.
        #expect(instructions.prefix(3) == [0xa4, 0xc3, 0xc3])
        #expect(instructions.dropFirst(3).dropLast().allSatisfy { $0 == 0xc0 })
        #expect(instructions.last == 0xc3)
    }

    @Test(
        "A phone without NFC v2 costs one command, and off sends what was always sent",
        arguments: WalletCase.overNFC)
    func oneCommandMore(_ row: WalletCase) async throws {
        let scene = try Scene(Scene.presentation(row.profile, row.proof), handover: row.handover)
        var commands: [[[UInt8]]] = []
        for use in [RetrievalPlan.NFCVersion2.off, .automatic] {
            let phone = try scene.phone()
            let transaction = try scene.transaction(retrieval: .version2(use))
            #expect(await transaction.run(at: Field(phone)).verified() != nil)
            commands.append(phone.log.commands)
        }
        #expect(commands[1].first == Self.select)
        // How often a phone is polled that is not ready is not the same twice.
        func others(_ commands: [[UInt8]]) -> [UInt8] { commands.map { $0[1] }.filter { $0 != 0xb0 } }
        #expect(others(commands[1]) == [0xa4] + others(commands[0]))
        #expect(commands[0].first == CommandAPDU.select(application: .ndefTag).encode())
    }

    @Test(
        "Each status that phones without NFC v2 give leads to classic handover in the same activation",
        arguments: [0x6a82, 0x6a81, 0x6d00, 0x6e00, 0x6f00, 0x6985, 0x6999] as [UInt16])
    func fallback(status: UInt16) async throws {
        let scene = try Version2Case.scene { $0.selectStatus = StatusWord(rawValue: status) }
        let phone = try scene.phone()
        let field = Field(phone)
        #expect(
            try await scene.transaction(retrieval: .version2(.automatic)).run(at: field).verified() != nil)
        #expect(field.cards == 1)
        #expect(phone.log.commands[1] == CommandAPDU.select(application: .ndefTag).encode())
    }

    @Test("With `only` a phone without NFC v2 is not asked in another way")
    func only() async throws {
        let scene = try Scene()
        let phone = try scene.phone()
        let deadlines = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(300) }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: .version2(.only))
        let failure = await transaction.run(at: Field(phone)).failure
        #expect(
            failure
                == .engagementOverdue(lastTap: NFCEndReason(.selectVersion2, .status(.notFound))))
        #expect(phone.log.commands.allSatisfy { $0 == Self.select })
        let second = try Version2Case.scene()
        #expect(
            try await second.transaction(retrieval: .version2(.only)).run(at: Field(second.phone()))
                .verified() != nil)
    }

    @Test("A phone of an older draft is let go after the handover, and asked by classic handover next")
    func olderDraft() async throws {
        let scene = try Version2Case.scene { $0.fault = .speaksOlderDraft }
        let phone = try scene.phone()
        let field = Field(phone)
        #expect(
            try await scene.transaction(retrieval: .version2(.automatic)).run(at: field).verified() != nil)
        let selects = phone.log.commands.enumerated().filter { $0.element[1] == 0xa4 }
        #expect(selects[0].element == Self.select)
        // SELECT, ENVELOPE, and nothing more in that activation.
        #expect(selects[1].offset == 2)
        #expect(selects[1].element == CommandAPDU.select(application: .ndefTag).encode())
        #expect(field.cards == 2)
    }

    @Test(
        "A phone that does not answer SELECT or the handover is let go after our own deadline, and asked by classic handover next",
        arguments: [0xa4, 0xc3] as [UInt8])
    func silent(_ instruction: UInt8) async throws {
        let scene = try Version2Case.scene()
        let phone = try scene.phone()
        let field = SilentField(phone, at: instruction)
        let transaction = try scene.transaction(
            deadlines: .ample.with {
                $0.tapPhase = .milliseconds(200)
                $0.tap = .seconds(1)
                $0.nextTry = .milliseconds(50)
            }, retrieval: .version2(.automatic))
        #expect(await transaction.run(at: field).verified() != nil)
        // What it did not answer is not in its log.
        let begun = phone.log.commands.prefix(instruction == 0xa4 ? 1 : 2)
        #expect(begun.last == CommandAPDU.select(application: .ndefTag).encode())
        #expect(phone.log.taps == 2)
    }

    @Test("An empty message in place of the answer: the wallet ended, with no verdict and no other try")
    func endsRequest() async throws {
        let scene = try Version2Case.scene()
        let phone = try scene.phone { $0.version2Fault = .endsRequest }
        let presentation = try await scene.transaction(retrieval: .version2(.automatic)).run(at: Field(phone))
        #expect(presentation.isDeclined)
        #expect(phone.log.taps == 1 && phone.log.count(of: 0xa4) == 1)
    }

    @Test(
        "A phone that fails in the handover is let go by name, and asked by classic handover next",
        arguments: [
            (NFCVersion2Behaviour.Fault.noMethod, NFCFault.version2Methods(count: 0)),
            (.twoMethods, .version2Methods(count: 2)), (.unofferedMethod, .version2MethodNotOffered),
            (.endsHandover, .walletEnded),
        ])
    func handoverFaults(fault: NFCVersion2Behaviour.Fault, named: NFCFault) async throws {
        let scene = try Version2Case.scene { $0.fault = fault }
        let phone = try scene.phone()
        let field = Field(phone)
        let transaction = try scene.transaction(
            deadlines: .ample.with {
                $0.nextTry = .seconds(10)
                $0.tries = .milliseconds(50)
            }, retrieval: .version2(.automatic))
        async let presentation = transaction.run(at: field)
        try await scene.events.reach(1, of: .tapAgain(NFCEndReason(.handoverVersion2, named)))
        let second = try scene.phone()
        field.tap(second)
        #expect(await presentation.verified() != nil)
        #expect(second.log.commands.first == CommandAPDU.select(application: .ndefTag).encode())
    }

    @Test(
        "Each fault of a phone in NFC v2 has its name, or leads to classic handover",
        arguments: WalletVersion2Fault.allCases)
    func namedFaults(fault: WalletVersion2Fault) async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2))
        let phone = try scene.phone { $0.version2Fault = fault }
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .milliseconds(300)
            $0.nextTap = .milliseconds(100)
        }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: .version2(.only))
        let presentation = await transaction.run(at: Field(phone))
        let summary: String? =
            switch presentation.failure {
            case .engagementOverdue(let reason?)?: "\(reason.phase.rawValue) \(reason.fault)"
            default: presentation.isDeclined ? "declined" : nil
            }
        #expect(
            summary?.hasPrefix(Self.names[fault] ?? "-") ?? (Self.names[fault] == nil),
            "\(presentation.result)")
        // What has no name here ends no presentation.
        #expect(
            (presentation.failure == nil) == (Self.names[fault] == nil))
        guard fault != .endsRequest else { return }
        // With `auto` every other ends with an answer.
        let second = try scene.transaction(retrieval: .version2(.automatic))
        let field = Field([phone, try scene.phone()])
        #expect(await second.run(at: field).verified() != nil)
    }

    /// Of all that ends a tap: but for a small limit, a differing copy and wrong numbers.
    private static let names: [WalletVersion2Fault: String] = [
        .absent: "selectVersion2 status", .pulledInSelect: "selectVersion2 cardLost",
        .pulledInHandover: "handoverVersion2 cardLost", .noLimit: "selectVersion2 noCommandLimit",
        .olderDraft: "handoverVersion2 olderVersion2",
        .noMethod: "handoverVersion2 version2Methods(count: 0)",
        .twoMethods: "handoverVersion2 version2Methods(count: 2)",
        .methodNotOffered: "handoverVersion2 version2MethodNotOffered", .ends: "handoverVersion2 walletEnded",
        .malformed: "handoverVersion2 version2Malformed", .endsRequest: "declined",
    ]

    @Test("With Bluetooth alone wanted NFC v2 is not tried")
    func bluetoothAlone() async throws {
        let scene = try Version2Case.scene()
        let phone = try scene.phone()
        let transaction = try scene.transaction(retrieval: .version2(.automatic, .bluetoothLE))
        _ = await transaction.run(at: Field(phone))
        #expect(!phone.log.commands.contains(Self.select))
    }

    @Test(
        "A holder who declines over NFC v2 is an outcome",
        arguments: [Holder.Decision.declines, .returnsNothing])
    func declined(_ decision: Holder.Decision) async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.holder.decision = decision }
        let transaction = try scene.transaction(retrieval: .version2(.automatic))
        #expect(try await transaction.run(at: Field(scene.phone())).isDeclined)
    }

    @Test(
        "A fault in the transfer has its name",
        arguments: [
            (CardFault.transferFails, NFCFault.status(.unknownError)),
            (.surplusByte, .surplusBytes), (.wrongDataObject, .dataObjectMalformed(.unexpectedTag(0x54))),
        ])
    func transferFaults(fault: CardFault, named: NFCFault) async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.cardFault = fault }
        let deadlines = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(500) }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: .version2(.only))
        let presentation = try await transaction.run(at: Field([scene.phone()], .short))
        switch presentation.failure {
        case .transfer(let reason)?: #expect(reason.fault == named)
        case .engagementOverdue(let reason?)?: #expect(reason.fault == named)
        default: Issue.record("\(presentation.result)")
        }
    }
}

/// A field whose phone does not answer one NFC v2 command in its first stay.
private struct SilentField: ContactlessReader {
    private struct Card: ContactlessCard {
        let card: any ContactlessCard
        let instruction: UInt8

        var limits: ContactlessLimits { card.limits }
        var stay: Int { card.stay }

        func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
            let isNDEF = command.elementsEqual(CommandAPDU.select(application: .ndefTag).encode())
            if !isNDEF, command.dropFirst().first == instruction {
                await untilCancelled()
                throw .cancelled
            }
            return try await card.exchange(command)
        }

        func release() async { await card.release() }
    }

    private let field: Field
    private let phone: Phone
    private let instruction: UInt8

    init(_ phone: Phone, at instruction: UInt8) {
        (field, self.phone, self.instruction) = (Field(phone), phone, instruction)
    }

    func beginPresentation() async { await field.beginPresentation() }

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        let card = try await field.nextCard(again: pause)
        return phone.log.taps == 1 ? Card(card: card, instruction: instruction) : card
    }
}

/// One after the other, at the first virtual reader.
@Suite(
    "A presentation over NFC v2 through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct NFCVersion2PCSCTests {
    @Test("Every NFC v2 wallet, proof and size of answer is verified")
    func matrix() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        for row in Version2Case.all {
            let scene = try row.scene()
            let phone = try scene.phone()
            try await reader.hold(phone)
            let transaction = try scene.transaction(retrieval: .version2(.automatic))
            let response = await transaction.run(at: reader.field()).verified()
            #expect(response?.portrait()?.count == row.portrait, "\(row)")
            #expect(response?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature))
            #expect(phone.log.commands.prefix(3).map { $0[1] } == [0xa4, 0xc3, 0xc3])
        }
    }

    @Test("The first tap takes the request, the holder confirms, and the second tap brings the answer")
    func secondTap() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        for row in Version2Case.all where row.profile.name == "multipaz-v2" {
            let scene = try row.scene { $0.consentTime = .milliseconds(1500) }
            let phone = try scene.phone()
            let transaction = try scene.transaction(retrieval: .version2(.automatic))
            let field = reader.field()
            async let presentation = transaction.run(at: field)
            try await reader.hold(phone)
            try await scene.events.first(.awaitingConsent)
            try await reader.takeAway()
            try await scene.events.first(.confirmThenTapAgain)
            try await Task.sleep(for: .milliseconds(1500))
            try await reader.hold(phone)
            let response = await presentation.verified()
            #expect(response?.portrait()?.count == row.portrait, "\(row)")
            #expect(response?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature))
        }
    }
}

@Suite("A presentation over NFC v2 in two taps, in memory")
struct NFCVersion2SecondTapTests {
    private static let retrieval = RetrievalPlan.version2(.automatic)

    /// A phone that leaves once the request is out.
    private func firstTap(
        _ scene: Scene, _ phone: Phone, _ field: Field, _ retrieval: RetrievalPlan = retrieval,
        deadlines: PresentationDeadlines = .ample, asking question: PresentationQuestion? = nil
    ) async throws -> Task<Presentation, Never> {
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: retrieval, asking: question)
        let task = Task { await transaction.run(at: field) }
        try await scene.events.first(.awaitingConsent)
        // The event comes before the request is out.
        try await until("the request", every: .milliseconds(1)) { !phone.log.requests.isEmpty }
        field.lift()
        return task
    }

    @Test(
        "Each tap has its own engagement, keys and transcript, and the same request; the verdict is of the second"
    )
    func twoTaps() async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.consentTime = .milliseconds(400) }
        let phone = try scene.phone()
        let field = Field(phone)
        let task = try await firstTap(scene, phone, field)
        let first = try #require(phone.engagement)
        try await scene.events.first(.confirmThenTapAgain)
        field.tap(phone)
        let presentation = await task.value
        #expect(presentation.verified() != nil)
        let second = try #require(phone.engagement)
        #expect(first.deviceEngagement != second.deviceEngagement)
        // One structure of request: it is logged again only where its bytes differ.
        #expect(phone.log.requests.count == 1)
        let establishments = phone.log.commands.filter { $0[1] == 0xc3 && $0.count > 100 }
        #expect(Set(establishments).count == 2)
        #expect(scene.events.count(of: .engaged) == 2)
        #expect(scene.events.count(of: .confirmThenTapAgain) == 1)
        #expect(scene.events.count(of: .offerQR) == 0)
    }

    @Test(
        "A confirmed request is answered at once at the second tap; before that the holder is waited for again"
    )
    func consentIsKept() async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.consentTime = .seconds(3) }
        let phone = try scene.phone()
        let field = Field(phone)
        let task = try await firstTap(scene, phone, field)
        try await scene.events.first(.confirmThenTapAgain)
        try await Task.sleep(for: .milliseconds(2900))
        field.tap(phone)
        let (presentation, time) = await timed { await task.value }
        #expect(presentation.verified() != nil)
        #expect(time < .seconds(2))
    }

    @Test(
        "A signed request is signed again for each tap, with the same protected header and the certificates unprotected, and the consent is kept",
        arguments: [true, false])
    func signedForEachTap(_ isExtended: Bool) async throws {
        let reader = try TestReader()
        var profile = WalletProfile.multipazVersion2
        if !isExtended { (profile.engagementVersion, profile.extraEngagementMembers) = ("1.0", []) }
        let scene = try Scene(Scene.presentation(profile)) {
            $0.consentTime = .seconds(2)
            $0.holder.readerTrust = ReaderTrust(.alwaysRequire, roots: [reader.root])
        }
        let phone = try scene.phone()
        let field = Field(phone)
        let drafts = [DeviceRequestDraft(scene.presented.requests)]
        let task = try await firstTap(
            scene, phone, field,
            asking: PresentationQuestion(.drafts(drafts), identities: reader.always))
        try await scene.events.first(.confirmThenTapAgain)
        try await Task.sleep(for: .milliseconds(1900))
        field.tap(phone)
        let (presentation, time) = await timed { await task.value }
        #expect(presentation.verified() != nil)
        #expect(time < .milliseconds(1500))
        let requests = try phone.log.requests.map { try DeviceRequest($0[...]) }
        #expect(requests.map(\.version) == [isExtended ? "1.1" : "1.0", isExtended ? "1.1" : "1.0"])
        #expect(requests.map { $0.readerAuthAll.count } == (isExtended ? [1, 1] : [0, 0]))
        #expect(
            requests[0].docRequests.map(\.itemsRequestBytes.bytes)
                == requests[1].docRequests.map(\.itemsRequestBytes.bytes))
        let signatures = try requests.map { try Array(#require($0.signature).untagged(18).array()) }
        #expect(signatures[0][0].encoded == signatures[1][0].encoded)
        #expect(signatures[0][3].encoded != signatures[1][3].encoded)
        for signature in signatures {
            #expect(try signature[1].map()[33] != nil)
            #expect(try CBORItem.parse(signature[0].byteString()).map()[33] == nil)
        }
    }

    @Test("The request waits for its time, and then the holder did not answer")
    func armedTime() async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.consentTime = .seconds(60) }
        let phone = try scene.phone()
        let field = Field(phone)
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .milliseconds(200)
            $0.nextTap = .milliseconds(100)
            $0.armed = .milliseconds(600)
        }
        let task = try await firstTap(scene, phone, field, deadlines: deadlines)
        let (presentation, time) = await timed { await task.value }
        #expect(presentation.failure == .consentOverdue)
        #expect((.milliseconds(500)...(.milliseconds(600) + DeadlineTests.margin)).contains(time))
    }

    @Test("While it waits it can be cancelled")
    func cancelled() async throws {
        let scene = try Scene(Scene.presentation(.multipazVersion2)) { $0.consentTime = .seconds(60) }
        let phone = try scene.phone()
        let field = Field(phone)
        let task = try await firstTap(scene, phone, field)
        try await scene.events.first(.confirmThenTapAgain)
        task.cancel()
        #expect(await task.value.failure == .cancelled)
    }

    @Test("Over classic NFC a phone that leaves in the time for consent is asked to tap again, as before")
    func classic() async throws {
        let scene = try Scene { $0.consentTime = .milliseconds(400) }
        let phone = try scene.phone()
        let field = Field(phone)
        let task = try await firstTap(scene, phone, field, RetrievalPlan())
        try await scene.events.reach(1, of: .tapAgain(NFCEndReason(.awaitResponse, .cardLost)))
        field.tap(phone)
        #expect(await task.value.verified() != nil)
        #expect(scene.events.count(of: .confirmThenTapAgain) == 0)
    }
}

extension DeviceRequest {
    /// The first signature: over the whole request, or over its first document.
    fileprivate var signature: CBORItem? { readerAuthAll.first ?? docRequests.first?.readerAuth }
}
