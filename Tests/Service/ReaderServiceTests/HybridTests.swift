import ISO7816
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import NDEF
import PCSCBench
import PresentationStage
import Synchronization
import Testing
import Transport

@testable import ReaderService

/// A phone of NFC v2 that chooses Bluetooth, on a reader with a radio.
private struct HybridStage {
    let scene: Scene
    let phone: Phone
    let field: Field

    init(
        _ proof: Holder.DeviceAuthentication = .signature, portrait: Int = 2400,
        _ change: (inout Wallet) -> Void = { _ in }
    ) throws {
        scene = try Scene(Scene.presentation(.version2Hybrid, proof, portrait: portrait), change)
        phone = try scene.phone()
        field = Field(phone)
    }

    func presentation(
        _ radio: any BluetoothLERadio, deadlines: PresentationDeadlines = .ample
    ) async throws -> Presentation {
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: .version2(.automatic))
        return await transaction.run(at: field, radio: radio)
    }

    /// A radio to which the phone comes, after a time.
    func radio(after time: Duration = .zero) -> MemoryRadio {
        MemoryRadio(connecting: { try? await Task.sleep(for: time) }) { [scene, phone] link in
            guard let engagement = phone.engagement else { return await link.close() }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
        }
    }

    /// The messages that came over NFC, put together.
    var messagesOverNFC: [[UInt8]] {
        var messages: [[UInt8]] = []
        var object: [UInt8] = []
        for command in phone.log.commands.compactMap({ try? CommandAPDU.parse($0[...]) })
        where command.ins == CommandAPDU.Instruction.envelope {
            object += command.data
            guard !command.isChained else { continue }
            if let header = try? DiscretionaryData.parseHeader(object[...]) {
                messages.append(Array(object[header.size...]))
            }
            object = []
        }
        return messages
    }
}

@Suite("NFC v2 over NFC and Bluetooth at once, in memory")
struct HybridTests {
    @Test(
        "The answer is verified, whichever bearer is first", arguments: Holder.DeviceAuthentication.allCases,
        [2400, 23_000])
    func first(_ proof: Holder.DeviceAuthentication, _ portrait: Int) async throws {
        for time in [Duration.zero, .milliseconds(50), .seconds(20)] {
            let stage = try HybridStage(proof, portrait: portrait) { $0.consentTime = .milliseconds(100) }
            let response = try await stage.presentation(stage.radio(after: time)).verified()
            #expect(response?.portrait()?.count == portrait, "\(time)")
            #expect(response?.documents[0].deviceBinding == (proof == .mac ? .mac : .signature))
            #expect(stage.scene.events.count(of: .engaged) == 1)
            #expect(stage.scene.events.count(of: .mayLift) == 1)
        }
    }

    @Test("Both bearers get the same bytes, and both hear of the end")
    func sameBytes() async throws {
        let stage = try HybridStage { $0.consentTime = .milliseconds(200) }
        let received = Mutex<[[UInt8]]>([])
        let radio = MemoryRadio { [stage = (stage.scene, stage.phone)] link in
            guard let engagement = stage.1.engagement else { return }
            var session = WalletSession(stage.0.wallet, engagement: engagement)
            let driver = await LinkDriver(link, as: .holder, settings: BLETransferSettings())
            while let (message, _) = try? await driver.receive() {
                received.withLock { $0.append(message) }
                guard case .send(let reply, let delay) = session.receive(message[...]) else { break }
                try? await Task.sleep(for: delay)
                try? await driver.send(reply)
            }
            await link.close()
        }
        let presentation = try await stage.presentation(radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        let overBluetooth = received.withLock { $0 }
        // Over NFC the handover comes first.
        #expect(stage.messagesOverNFC.dropFirst().map { $0 } == overBluetooth)
        #expect(overBluetooth.count == 2)
        #expect(try SessionData(overBluetooth[1][...], numbered: true).sequence == 1)
        #expect(stage.phone.log.readerStatus == .termination)
    }

    @Test(
        "A phone that leaves after the handover goes on over Bluetooth, with one engagement and no second tap"
    )
    func nfcLost() async throws {
        for fault in [CardFault.pulledInConsent, .pulledInRequest] {
            let stage = try HybridStage(portrait: 23_000) { $0.cardFault = fault }
            let presentation = try await stage.presentation(stage.radio(after: .milliseconds(100)))
            #expect(presentation.verified()?.portrait()?.count == 23_000)
            #expect(stage.scene.events.count(of: .engaged) == 1)
            #expect(stage.scene.events.count(of: .confirmThenTapAgain) == 0)
            #expect(stage.field.cards == 1)
        }
    }

    /// A radio whose phone comes after a time, and answers after another.
    private func radio(_ stage: HybridStage, after: Duration, answering time: Duration) -> MemoryRadio {
        MemoryRadio(connecting: { try? await Task.sleep(for: after) }) {
            [scene = stage.scene, phone = stage.phone] link in
            guard let engagement = phone.engagement else { return await link.close() }
            var session = WalletSession(scene.wallet, engagement: engagement)
            let driver = await LinkDriver(link, as: .holder, settings: BLETransferSettings())
            while let (message, _) = try? await driver.receive() {
                guard case .send(let reply, _) = session.receive(message[...]) else { break }
                try? await Task.sleep(for: time)
                try? await driver.send(reply)
            }
            await link.close()
        }
    }

    @Test(
        "A second copy that differs from the judged first copy is reported, even after the verdict; an equal one is not",
        arguments: [WalletVersion2Fault.copiesDiffer, nil])
    func secondCopy(_ fault: WalletVersion2Fault?) async throws {
        let stage = try HybridStage {
            $0.consentTime = .milliseconds(150)
            $0.version2Fault = fault
        }
        let presentation = try await stage.presentation(
            radio(stage, after: .milliseconds(30), answering: .seconds(1)))
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        let note = PresentationNote.copiesDiffer(second: .bluetooth)
        #expect(presentation.notes == (fault == nil ? [] : [note]))
        #expect(stage.scene.events.count(of: .noted(note)) == (fault == nil ? 0 : 1))
    }

    @Test(
        "If the first copy does not decrypt, it is rejected; the second is not judged instead, and both are reported"
    )
    func firstCopyIsWrong() async throws {
        let stage = try HybridStage {
            // NFC has 500 ms after the first copy.
            $0.consentTime = .milliseconds(400)
            $0.version2Fault = .copiesDiffer
        }
        let presentation = try await stage.presentation(
            radio(stage, after: .milliseconds(30), answering: .zero))
        #expect(presentation.failure == .session(.decryptionFailed))
        await presentation.waitUntilLeft()
        #expect(presentation.notes == [.copiesDiffer(second: .nfc)])
    }

    @Test("A phone that keeps its second copy holds up the next customer for 2 s at most")
    func secondCopyNeverComes() async throws {
        let stage = try HybridStage { $0.consentTime = .milliseconds(100) }
        let presentation = try await stage.presentation(
            radio(stage, after: .milliseconds(30), answering: .seconds(60)),
            deadlines: .ample.with { $0.termination = .milliseconds(300) })
        #expect(presentation.verified() != nil)
        let (_, time) = await timed { await presentation.waitUntilLeft() }
        #expect(time < .seconds(30))
        #expect(presentation.notes == [])
    }

    @Test(
        "Numbers of messages that are missing or wrong are named, and change nothing",
        arguments: [
            (WalletVersion2Fault.noNumbers, PresentationNote.sequenceMissing(expected: 0)),
            (.wrongNumbers, .sequenceUnexpected(7, expected: 0)),
        ])
    func numbers(_ fault: WalletVersion2Fault, _ note: PresentationNote) async throws {
        for isHybrid in [true, false] {
            let stage = try HybridStage { $0.version2Fault = fault }
            let presentation =
                isHybrid
                ? try await stage.presentation(stage.radio(after: .seconds(20)))
                : try await stage.scene.transaction(retrieval: .version2(.automatic)).run(at: stage.field)
            #expect(presentation.verified() != nil)
            #expect(presentation.notes == [note])
            #expect(stage.scene.events.count(of: .noted(note)) == 1)
        }
    }

    @Test("Where Bluetooth breaks, the answer comes over NFC")
    func bluetoothLost() async throws {
        let stage = try HybridStage { $0.consentTime = .milliseconds(300) }
        let radio = MemoryRadio { link in await link.close() }
        #expect(try await stage.presentation(radio).verified() != nil)
    }

    @Test("Where both break, the presentation ends by name")
    func bothLost() async throws {
        let stage = try HybridStage { $0.cardFault = .pulledInConsent }
        let radio = MemoryRadio { link in await link.close() }
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .milliseconds(300)
            $0.nextTap = .milliseconds(300)
        }
        #expect(try await stage.presentation(radio, deadlines: deadlines).failure == .linkLost)
    }

    @Test("A phone that left and does not connect is waited for again")
    func notConnected() async throws {
        let stage = try HybridStage { $0.cardFault = .pulledInConsent }
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .milliseconds(300)
            $0.nextTap = .milliseconds(300)
            $0.connection = .milliseconds(300)
        }
        let presentation = try await stage.presentation(AwaitedRadio(), deadlines: deadlines)
        #expect(presentation.failure == .connectionOverdue)
    }

    @Test("A holder who declines is an outcome, over whichever bearer it comes")
    func declined() async throws {
        for time in [Duration.zero, .seconds(20)] {
            let stage = try HybridStage { $0.holder.decision = .declines }
            #expect(try await stage.presentation(stage.radio(after: time)).isDeclined)
        }
    }

    @Test("Without a radio NFC alone is offered, and used")
    func withoutRadio() async throws {
        let stage = try HybridStage()
        let transaction = try stage.scene.transaction(retrieval: .version2(.automatic))
        #expect(await transaction.run(at: stage.field).verified() != nil)
        #expect(stage.scene.events.count(of: .hold) == 1)
    }

    @Test("It can be cancelled while the holder decides")
    func cancelled() async throws {
        let stage = try HybridStage { $0.consentTime = .seconds(60) }
        let transaction = try stage.scene.transaction(
            deadlines: .ample.with { $0.termination = .milliseconds(300) }, retrieval: .version2(.automatic))
        let radio = AwaitedRadio()
        let task = Task { [field = stage.field] in await transaction.run(at: field, radio: radio) }
        try await stage.scene.events.first(.awaitingConsent)
        task.cancel()
        let (presentation, time) = await timed { await task.value }
        #expect(presentation.failure == .cancelled)
        #expect(time < .seconds(30))
    }
}

/// The radio is in memory; Bluetooth through the real bluetoothd is a test of the guests.
@Suite(
    "NFC v2 over NFC and Bluetooth at once, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct HybridPCSCTests {
    @Test("Every proof and size is verified, whichever bearer is first, and where the phone leaves")
    func matrix() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        for proof in Holder.DeviceAuthentication.allCases {
            for portrait in [2400, 23_000] {
                for (time, fault) in [
                    (Duration.zero, nil), (.seconds(20), nil), (.milliseconds(50), CardFault.pulledInConsent),
                ] {
                    let stage = try HybridStage(proof, portrait: portrait) {
                        $0.consentTime = .milliseconds(100)
                        $0.cardFault = fault
                    }
                    try await reader.hold(stage.phone)
                    let transaction = try stage.scene.transaction(retrieval: .version2(.automatic))
                    let response = await transaction.run(at: reader.field(), radio: stage.radio(after: time))
                        .verified()
                    #expect(response?.portrait()?.count == portrait, "\(proof) \(portrait) \(time)")
                    #expect(response?.documents[0].deviceBinding == (proof == .mac ? .mac : .signature))
                    #expect(stage.scene.events.count(of: .engaged) == 1)
                    reader.lift()
                    // A phone that left by itself is not seen to be taken away.
                    try await Task.sleep(for: .seconds(1))
                }
            }
        }
    }
}
