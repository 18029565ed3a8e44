import CommandBench
import Glibc
import MdocModel
import MdocSession
import OtherPrograms
import PCSCBench
import Testing
import Transport

@Suite(
    "wallet, tapped through the real pcscd and answering on the bench link", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct WalletTapTests {
    /// A wallet on the first virtual reader, with a bench link.
    private final class Tapped {
        let wallet: BuiltProgram
        let root: String
        let address: String
        private let folder: TemporaryFolder

        init(_ arguments: [String]) async throws {
            folder = try TemporaryFolder()
            root = folder.path("root.der")
            wallet = try BuiltProgram(
                "countersign-lab",
                [
                    "wallet", "--card", "tcp://127.0.0.1:35963", "--listen", "tcp://127.0.0.1:0", "--root",
                    root,
                ] + arguments)
            address = try await wallet.firstLine()
            try await wallet.said("The phone is on the reader")
        }

        /// `request` with the engagement of a tap, or of the QR code.
        var atLink: [String] { ["request", "--connect", address, "--trust", root, "--age-over", "21"] }

        /// `request` that taps, and retrieves over NFC.
        func tap(_ further: String...) async throws -> CommandRun {
            try await execute(
                [
                    "request", "--reader", VirtualBench.first, "--trust", root, "--age-over", "21",
                    "--transport", "nfc",
                ] + further)
        }

        func channel() async throws -> FramedTCPChannel {
            let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
            return try await FramedTCPChannel.connect(to: SocketAddress(host: "127.0.0.1", port: port))
        }

        /// Takes the phone away.
        func ended() async throws -> CommandRun {
            wallet.signal(SIGINT)
            let ended = try await CommandRun(wallet)
            // The virtual reader sees a card leave only when it stays away.
            try await Task.sleep(for: .seconds(1))
            return ended
        }
    }

    @Test(
        "Whoever is on the bench link is engaged by the tap, as the reader is that was tapped",
        arguments: ["static", "negotiated"])
    func tapThenLink(_ handover: String) async throws {
        let tapped = try await Tapped(["--handover", handover])
        let early = try BuiltProgram(
            "countersign", tapped.atLink, environment: TrialStore.environment(for: tapped.atLink))
        try await early.said("Ready:")
        #expect(try await tapped.tap().status == 0)
        let ended = try await CommandRun(early)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.hasPrefix("TEST DOCUMENT: over 21 yes\n"))
        try await tapped.wallet.said("ended by the reader, status 20")
        _ = try await tapped.ended()
    }

    @Test("The greeting has the handover messages of the tap, and each tap is for one connection")
    func oneConnection() async throws {
        let tapped = try await Tapped(["--handover", "negotiated"])
        var engagements: Set<[UInt8]> = []
        for _ in 0..<2 {
            #expect(try await tapped.tap().status == 0)
            let channel = try await tapped.channel()
            let greeting = try BenchLinkGreeting(try await channel.receive()[...])
            #expect(greeting.handoverSelect != nil)
            #expect(greeting.handoverRequest != nil)
            engagements.insert(greeting.deviceEngagement)
            await channel.close()
        }
        #expect(engagements.count == 2)
        #expect(try await tapped.ended().status == 0)
    }

    @Test("A connection that left before the tap does not get its engagement")
    func leftBefore() async throws {
        let tapped = try await Tapped(["--handover", "static"])
        await (try await tapped.channel()).close()
        let second = try BuiltProgram(
            "countersign", tapped.atLink, environment: TrialStore.environment(for: tapped.atLink))
        try await second.said("Ready:")
        #expect(try await tapped.tap().status == 0)
        #expect(try await second.ended() == 0)
        _ = try await tapped.ended()
    }

    @Test(
        "What ends a tap has the id that the reference names",
        arguments: [
            (["--fault", "card.garbled_cc"], "engagement.failed"),
            (["--fault", "card.transfer_6f00"], "transfer.failed"),
            (["--fault", "card.giant_data_object"], "message.too_long"),
            (["--no-nfc-retrieval"], "engagement.no_retrieval"), ([], nil),
        ])
    func ended(_ arguments: [String], _ id: String?) async throws {
        let tapped = try await Tapped(["--handover", "static"] + arguments)
        let run = try await tapped.tap("--wait", "3", "--json")
        #expect(run.status == (id == nil ? 0 : 3), "\(run.errors)")
        #expect(try run.report().errors.map(\.id) == (id.map { [$0] } ?? []))
        _ = try await tapped.ended()
    }

    @Test(
        "NFC v2: SELECT, handover and request in one tap, and the answer is verified",
        arguments: ["multipaz-v2", "v2-nfc-only"], ["auto", "only"])
    func version2(_ profile: String, _ use: String) async throws {
        let tapped = try await Tapped(["--profile", profile])
        let run = try await tapped.tap("--nfc-v2", use)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("TEST DOCUMENT: over 21 yes\n"))
        _ = try await tapped.ended()
    }

    @Test(
        "What is remarkable in an NFC v2 wallet's messages is in the report and on standard error, and changes no verdict",
        arguments: [
            (["nfc_v2.no_numbers"], "session.sequence_missing"),
            (["nfc_v2.wrong_numbers"], "session.sequence_unexpected"), ([], nil),
        ])
    func notes(_ fault: [String], _ id: String?) async throws {
        let tapped = try await Tapped(["--profile", "multipaz-v2"] + fault.flatMap { ["--fault", $0] })
        let run = try await tapped.tap("--nfc-v2", "auto", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let notes = try run.json()["notes"] as? [[String: String]]
        #expect(notes?.map { $0["id"] } == id.map { [$0] })
        #expect(run.errors.contains("Note (session.") == (id != nil))
        #expect(id.map { run.errors.contains("Note (\($0)): ") } ?? true)
        _ = try await tapped.ended()
    }

    @Test("A wallet without NFC v2 is asked by classic handover, and not at all with `only`")
    func withoutVersion2() async throws {
        let tapped = try await Tapped(["--handover", "negotiated"])
        let run = try await tapped.tap("--nfc-v2", "auto")
        #expect(run.status == 0, "\(run.errors)")
        _ = try await tapped.ended()
        let second = try await Tapped(["--handover", "negotiated"])
        let only = try await second.tap("--nfc-v2", "only", "--wait", "2", "--json")
        #expect(only.status == 3, "\(only.errors)")
        #expect(try only.report().errors.map(\.id) == ["engagement.failed"])
        _ = try await second.ended()
    }

    @Test("A QR code engages for the bench link and for the data transfer alike")
    func qr() async throws {
        let tapped = try await Tapped(["--handover", "qr"])
        let code = try #require(tapped.wallet.output.split(separator: "\n").last.map(String.init))
        #expect(code.hasPrefix("mdoc:"))
        let scanned = try await execute([
            "request", "--qr", code, "--trust", tapped.root, "--age-over", "21", "--transport", "nfc",
        ])
        #expect(scanned.status == 0, "\(scanned.errors)")
        #expect(try await execute(tapped.atLink).status == 0)
        _ = try await tapped.ended()
    }

    @Test(
        "While it waits for a tap it ends at SIGINT, with a connection and without", arguments: [true, false])
    func interrupted(_ isConnected: Bool) async throws {
        let tapped = try await Tapped(["--handover", "static"])
        let channel = isConnected ? try await tapped.channel() : nil
        #expect(try await tapped.ended().status == 0)
        await channel?.close()
    }
}
