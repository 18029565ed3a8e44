import CBOR
import CommandBench
import Foundation
import MdocModel
import MdocSession
import MdocWallet
import NDEF
import ReaderService
import Reports
import Testing
import Transport

/// What `request` reports of phones that end, overload or cannot begin a session, by the ids of the reference.
@Suite("request, and phones that break the rules")
struct RequestFaultTests {
    private static let noBus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]

    /// Asks a phone that sends this greeting and, once it was asked, this answer.
    private func request(_ greeting: [UInt8], answer: [UInt8]? = nil) async throws -> CommandRun {
        var roomy = FramedTCPConfiguration()
        roomy.maximumFrame = 4 << 20
        let listener = try FramedTCPListener(
            on: SocketAddress(host: "127.0.0.1", port: 0), configuration: roomy)
        let phone = Task {
            let channel = try await listener.accept()
            try await channel.send(greeting)
            _ = try await channel.receive()
            // The reader closes the link before it has read what is too long.
            if let answer { try? await channel.send(answer) }
            await channel.close()
        }
        let folder = try TemporaryFolder()
        let run = try await execute([
            "request", "--connect", "tcp://127.0.0.1:\(listener.address.port)", "--age-over", "21", "--trust",
            folder.url.path, "--json",
        ])
        await listener.close()
        _ = await phone.result
        return run
    }

    /// A software wallet, on the day that the tests take for today.
    private func wallet(_ change: (inout PresentationCase) -> Void = { _ in }) throws -> Wallet {
        try PresentedWallet(
            PresentationCase("test", change), at: Timestamp(secondsSince1970: 1_793_534_400)
        ).wallet
    }

    private func expect(
        _ run: CommandRun, _ id: String, status: Int32 = 3, verdict: String = "incomplete",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.status == status, "\(run.errors)", sourceLocation: sourceLocation)
        let report = try run.report()
        #expect(report.verdict == verdict, sourceLocation: sourceLocation)
        #expect(report.errors.map(\.id) == [id], sourceLocation: sourceLocation)
    }

    @Test(
        "A status that no standard defines has an id of its own, beside those that one does",
        arguments: [
            (UInt64(0), "session.status_other"), (12, "session.status_other"), (99, "session.status_other"),
            (10, "session.status_10"), (11, "session.status_11"), (20, "declined"),
        ])
    func otherStatus(_ status: UInt64, _ id: String) async throws {
        let link = try WalletBenchLink(wallet(), handover: .qr, now: .now)
        let run = try await request(
            link.greeting, answer: SessionData.encode(data: nil, status: SessionStatus(rawValue: status)))
        try expect(run, id)
        if id == "session.status_other" { #expect(run.output.contains("with status \(status)")) }
    }

    @Test(
        "Q194 A message of one byte more than 1 MiB is too long; one of 1 MiB is read, and is no SessionData")
    func tooLong() async throws {
        for (size, id) in [(1 << 20 + 1, "message.too_long"), (1 << 20, "session.malformed")] {
            let link = try WalletBenchLink(wallet(), handover: .qr, now: .now)
            let run = try await request(link.greeting, answer: [UInt8](repeating: 0, count: size))
            if id == "message.too_long" {
                try expect(run, id)
            } else {
                try expect(run, id, status: 65, verdict: "malformed")
            }
        }
    }

    /// The greeting of a phone with this ephemeral key on X25519.
    private func greeting(_ point: [UInt8]) -> [UInt8] {
        let key = CBOREncoder.encode { encoder in
            encoder.map(count: 3)
            for (label, value) in [(1, 1), (-1, 4)] as [(Int64, Int64)] {
                encoder.integer(label)
                encoder.integer(value)
            }
            encoder.integer(-2)
            encoder.byteString(point)
        }
        // {0: "1.0", 1: [1, 24(<<key>>)]}
        let engagement =
            [0xa2, 0x00, 0x63] + Array("1.0".utf8) + [0x01, 0x82, 0x01, 0xd8, 0x18]
            + CBOREncoder.encode { $0.byteString(key) }
        return BenchLinkGreeting(
            qr: EngagementURI.text(for: engagement), deviceEngagement: engagement, handoverSelect: nil,
            handoverRequest: nil
        ).encoded()
    }

    @Test("Q48 A key that agrees on no secret sets up no session; one that does is asked")
    func notSetUp() async throws {
        // The shared secret with the point 0 is 0, whatever the reader's key (RFC 7748, 6.1).
        try expect(await request(greeting([UInt8](repeating: 0, count: 32))), "session.not_set_up")
        try expect(await request(greeting([9] + [UInt8](repeating: 0, count: 31))), "link.lost")
    }

    @Test(
        "Without the radio that is needed the command ends with 69, as without pcscd, before words of a phone",
        arguments: [["--qr"], ["--qr", "--transport", "ble"], ["--transport", "ble"]])
    func missingRadio(_ options: [String]) async throws {
        let wallet = try wallet {
            $0.profile.nfcCarrier = nil
            $0.profile.bluetoothRole = .centralOnly
        }
        let code = try wallet.engagement(.qr, now: .now).uri
        let folder = try TemporaryFolder()
        let run = try await execute(
            ["request", "--age-over", "21", "--trust", folder.url.path, "--json"]
                + options.flatMap { $0 == "--qr" ? ["--qr", code] : [$0] },
            environment: Self.noBus.merging(["PCSCLITE_CSOCK_NAME": "/nonexistent"]) { $1 })
        #expect(run.status == 69, "\(run.everything)")
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("error: ") && !run.errors.contains("Phone found"), "\(run.errors)")
        #expect(!run.errors.contains("pcscd"), "\(run.errors)")
    }

    @Test("A phone that has Bluetooth alone cannot answer where there is none; one with NFC too is tapped")
    func noRadio() async throws {
        for hasNFC in [false, true] {
            let wallet = try wallet {
                $0.profile = hasNFC ? WalletProfile.generic.addingNFCCarrier() : .generic
                if !hasNFC { $0.profile.nfcCarrier = nil }
                $0.profile.bluetoothRole = .centralOnly
            }
            let code = try wallet.engagement(.qr, now: .now).uri
            let folder = try TemporaryFolder()
            let run = try await execute(
                ["request", "--qr", code, "--age-over", "21", "--trust", folder.url.path, "--json"],
                environment: Self.noBus.merging(["PCSCLITE_CSOCK_NAME": "/nonexistent"]) { $1 })
            if hasNFC {
                #expect(run.status == 69 && run.errors.contains("pcscd does not run"), "\(run.errors)")
            } else {
                #expect(run.status == 69 && run.output.isEmpty, "\(run.everything)")
                #expect(!run.errors.contains("Phone found"), "\(run.errors)")
            }
        }
    }

    @Test("What only a radio, a bad engagement or a lost key bring about is reported by its id")
    func reported() throws {
        for (failure, id, verdict) in [
            (.connectionOverdue, "connection.overdue", .incomplete),
            (.radioUnavailable(.noAdapter), "radio.unavailable", .incomplete),
            (.connection(.servicesUnresolved), "connection.failed", .incomplete),
            (.requestNotSigned(identity: "counter"), "request.not_signed", .incomplete),
            (
                .engagement(.unsupportedVersion(.deviceEngagement)), "engagement.malformed", .malformed
            ),
            (.consentOverdue, "consent.overdue", .incomplete),
            (.otherDocument, "document.other", .rejected),
        ] as [(PresentationFailure, String, TransactionReport.Verdict)] {
            let report = try failure.report()
            #expect(report.errors.map(\.id) == [id])
            #expect(report.verdict == verdict, "\(id)")
        }
    }
}
