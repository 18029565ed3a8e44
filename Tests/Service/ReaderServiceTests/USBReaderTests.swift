import MdocSession
import MdocWallet
import PCSCBench
import PCSCTransport
import PresentationStage
import ReaderService
import Testing
import Transport

/// Behind the real kernel, udev, pcscd and libccid; the reader itself is a program with the descriptors of a real one.
@Suite(
    "A presentation at a USB reader", .serialized,
    .enabled(if: USBBench.isHere, USBBench.absence), .takingTurnsAtTheBench)
struct USBReaderTests {
    @Test(
        "Q120 Q122 Q123 At every model a small and a large portrait are verified",
        arguments: USBReaderModel.allCases)
    func models(_ model: USBReaderModel) async throws {
        try await USBReader.plugged(model) { reader in
            let field = reader.field()
            for portrait in [2400, 25_000] {
                let scene = try Scene(Scene.presentation(portrait: portrait))
                let transaction = try scene.transaction()
                async let presentation = transaction.run(at: field)
                try await scene.events.first(.armed)
                if portrait > 2400 { try await reader.takeAway() }
                try await reader.hold(try scene.phone())
                let outcome = await presentation
                #expect(outcome.verified()?.portrait()?.count == portrait, "\(outcome.summary)")
            }
        }
    }

    @Test("Q136 Unplugged and plugged in again while a phone is waited for: the tap is verified")
    func hotPlug() async throws {
        try await USBReader.plugged(.acr1252u) { _ in
            let scene = try Scene()
            let transaction = try scene.transaction()
            let field = PCSCContactlessReader(
                service: PCSCService(), selector: .name(containing: USBReaderModel.acr1252u.antenna))
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.armed)
            try await USBBench.unplug()
            let again = try VirtualReader(await USBBench.plug(.acr1252u))
            defer { again.lift() }
            try await again.hold(try scene.phone())
            #expect(await presentation.verified() != nil)
        }
    }

    @Test("Q136 A phone that lies on a reader as it is plugged in is verified")
    func lyingThere() async throws {
        try await USBReader.plugged(.acr122u) { reader in
            let scene = try Scene()
            // What comes and goes is counted at this place of pcscd's list, also for the reader that is there next.
            try await reader.hold(try scene.phone())
            try await reader.takeAway()
            let transaction = try scene.transaction()
            async let presentation = transaction.run(at: reader.field())
            try await scene.events.first(.armed)
            try await USBBench.unplug()
            async let held: Void = reader.hold(try scene.phone())
            try await USBBench.plug(.acr122u)
            try await held
            #expect(await presentation.verified() != nil)
        }
    }

    @Test("Q130 A reader that asks for more time while the holder decides gets it")
    func timeExtension() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            try await USBBench.fault(.extends, 0.2)
            _ = try await USBBench.heard()
            let scene = try Scene { $0.consentTime = .seconds(5) }
            #expect(try await reader.present(scene, scene.phone()).verified() != nil)
            #expect(try await USBBench.heard().count { $0.kind == .extension } >= 20)
        }
    }

    @Test(
        "Q126 Q129 A whole transaction sends no command to the reader itself",
        arguments: [USBReaderModel.acr122u, .acr1252u])
    func noCommands(_ model: USBReaderModel) async throws {
        try await USBReader.plugged(model) { reader in
            _ = try await USBBench.heard()
            let scene = try Scene()
            #expect(try await reader.present(scene, scene.phone()).verified() != nil)
            #expect(try await USBBench.heard().allSatisfy { $0.kind == .extension })
        }
    }

    @Test("Q209 A reader unplugged while the holder decides is missing at once; the phone has not left")
    func unplugged() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene { $0.consentTime = .seconds(60) }
            try await reader.hold(try scene.phone())
            let transaction = try scene.transaction()
            let field = PCSCContactlessReader(
                service: PCSCService(), selector: .name(containing: USBReaderModel.acr1252u.antenna))
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.awaitingConsent)
            try await USBBench.control("unplug")
            let unplugged = ContinuousClock.now
            let outcome = await presentation
            #expect(outcome.failure == .readerUnavailable(.readerMissing), "\(outcome.summary)")
            #expect(ContinuousClock.now - unplugged < .seconds(5))
            reader.lift()
            let again = try VirtualReader(await USBBench.plug(.acr1252u))
            defer { again.lift() }
            let next = try Scene()
            try await again.hold(try next.phone())
            #expect(try await next.transaction().run(at: field).verified() != nil)
        }
    }

    @Test("Q203 A phone that is mute at first and then well is verified without being lifted")
    func mute() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene()
            try await reader.holdMute(try scene.phone())
            let transaction = try scene.transaction()
            let field = reader.field()
            async let presentation = transaction.run(at: field)
            let reason = NFCEndReason(.selectApplication, .cardMute)
            try await scene.events.first(.liftAndTapAgain(reason), within: .seconds(15))
            reader.wake()
            #expect(await presentation.verified() != nil)
            #expect(scene.events.count(of: .liftAndTapAgain(reason)) == 1)
        }
    }
}
