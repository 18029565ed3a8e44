import BlueZBench
import BlueZTransport
import MdocModel
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing

@Suite(
    "Every end of a presentation over Bluetooth", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothEndingTests {
    /// What the phone does once it has answered.
    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let options: [String]
        /// Whether status 20 is in the message with the answer.
        var isInAnswer = false
        /// Whether it leaves at once.
        var isAtOnce = false

        static let all = [
            End(testDescription: "status 20 with the answer", options: [], isInAnswer: true),
            End(testDescription: "status 20", options: ["--end", "status20"]),
            End(testDescription: "State 02", options: ["--end", "state02"]),
            End(testDescription: "status 20 and State 02", options: ["--end", "both"]),
            End(testDescription: "a disconnection", options: ["--end", "disconnect"], isAtOnce: true),
        ]
    }

    @Test(
        "Q78 Q80 An answer stays verified, however the phone ends", arguments: End.all, AirPhone.Mode.allCases
    )
    func phoneEnds(_ end: End, _ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.endsSessionWithResponse = end.isInAnswer }
        let crash = try await BluetoothdCrash()
        let result = try await scene.present(mode, phone: end.options)
        #expect(try await result.phone.end() == 0, "\(result.phone.lines)")
        if end.isAtOnce, mode == .peripheral, try await crash.explains(result.summary) {
            return try await Scene.expectNextCustomerServed(mode, after: end.testDescription)
        }
        #expect(result.summary == "verified", "\(result.phone.lines)")
        #expect(result.leaving < PresentationDeadlines.onAir.termination + DeadlineTests.margin)
    }

    @Test("Q77 The phone is told by status 20 and State 02, and leaves", arguments: AirPhone.Mode.allCases)
    func readerEnds(_ mode: AirPhone.Mode) async throws {
        let result = try await Scene.onAir(.qr, mode.role).present(mode)
        #expect(result.summary == "verified", "\(result.phone.lines)")
        #expect(result.holder.readerStatus == .termination)
        #expect(try await result.phone.end() == 0, "\(result.phone.lines)")
    }

    @Test(
        "Q76 Q79 A phone that stays is disconnected when the time for that is over, and forgotten",
        arguments: AirPhone.Mode.allCases)
    func phoneStays(_ mode: AirPhone.Mode) async throws {
        let deadlines = PresentationDeadlines.onAir.with { $0.termination = .seconds(1) }
        let result = try await Scene.onAir(.qr, mode.role)
            .present(mode, phone: ["--linger"], deadlines: deadlines)
        #expect(result.summary == "verified", "\(result.phone.lines)")
        #expect(result.phone.fact("status", of: "status") == "20", "\(result.phone.lines)")
        #expect(result.leaving >= .seconds(1))
        #expect(result.phone.fact("by", of: "disconnected") == "reader", "\(result.phone.lines)")
        #expect(try await AirObjects().devices == 0)
    }

    @Test(
        "Q92 What the phone says instead of an answer has its name, and what cannot be read is answered by a status",
        arguments: AirPhone.Mode.allCases)
    func declined(_ mode: AirPhone.Mode) async throws {
        let rows: [(summary: String, told: SessionStatus?, change: (inout Wallet) -> Void)] = [
            ("declined", nil, { $0.holder.decision = .declines }),
            ("declined", .termination, { $0.holder.decision = .returnsNothing }),
            ("declined", nil, { $0.sessionFault = .termination }),
            ("status 10", nil, { $0.sessionFault = .encryptionError }),
            ("status 11", nil, { $0.sessionFault = .decodingError }),
            ("decryptionFailed", .encryptionError, { $0.sessionFault = .tagFlipped }),
            ("malformed sessionData", .decodingError, { $0.sessionFault = .notAMap }),
        ]
        for row in rows {
            let result = try await Scene.onAir(.qr, mode.role, .signature, portrait: 2400, row.change)
                .present(mode)
            #expect(result.summary == row.summary, "\(result.phone.lines)")
            #expect(result.holder.readerStatus == row.told, "\(row.summary)")
        }
        try await Scene.expectNextCustomerServed(mode, after: "those who declined")
    }

    @Test("Q77 A presentation that is told to stop tells the phone", arguments: AirPhone.Mode.allCases)
    func stopped(_ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.consentTime = .seconds(30) }
        let stage = try await AirStage.begin(scene, mode)
        try await stage.phone.said("request")
        let (presentation, time) = await timed {
            stage.reader.cancel()
            return await stage.reader.value
        }
        #expect(presentation.failure == .cancelled)
        #expect(time < PresentationDeadlines.onAir.termination + DeadlineTests.margin)
        _ = try await stage.end()
        #expect(stage.phone.fact("status", of: "status") == "20", "\(stage.phone.lines)")
        try await Scene.expectNextCustomerServed(mode, after: "one that was stopped")
    }

    @Test(
        "A presentation that is told to stop while no phone has come leaves nothing on the air",
        arguments: AirPhone.Mode.allCases)
    func stoppedBeforeLink(_ mode: AirPhone.Mode) async throws {
        let before = try await AirStock.atRest()
        let scene = try Scene.onAir(.qr, mode.role)
        let transaction = try scene.transaction(deadlines: .onAir, retrieval: .over(mode))
        let engagement = try DeviceEngagement(scene.wallet.engagement(.qr, now: .now).deviceEngagement[...])
        let reader = Task { await transaction.run(scanned: engagement, radio: BlueZRadio.onBench) }
        try await AirObjects.untilReaderWaits(for: mode)
        reader.cancel()
        #expect(await reader.value.failure == .cancelled)
        try await before.expectNothingMore()
    }
}
