import CommandBench
import Foundation
import Glibc
import OtherPrograms
import PCSCBench
import Testing

@Suite(
    "pcscd asks polkit who may use readers", .serialized,
    .enabled(if: VirtualBench.asksPolkit, VirtualBench.polkitAbsence), .takingTurnsAtTheBench)
struct PolkitTests {
    /// A user of the bench's polkit, with a home.
    private struct User {
        let number: UInt32
        let home: TemporaryFolder

        /// `nobody`, whom polkit refuses.
        static let stranger: UInt32 = 65_534

        init(_ number: UInt32) throws {
            self.number = number
            home = try TemporaryFolder()
            try #require(unsafe chown(home.url.path, number, number) == 0)
        }

        func run(_ arguments: String...) async throws -> CommandRun {
            try await CommandRun(
                BuiltProgram(
                    "countersign", arguments,
                    environment: ["HOME": home.url.path, "COUNTERSIGN_STORE": home.url.path], as: number))
        }

        /// A tap at the first reader, by a phone that is held to it.
        func tap() async throws -> CommandRun {
            let root = home.path("root.der")
            let wallet = try BuiltProgram(
                "countersign-lab", ["wallet", "--card", "tcp://127.0.0.1:35963", "--root", root])
            try await wallet.said("The phone is on the reader")
            try #require(unsafe chown(root, number, number) == 0)
            _ = try home.write(#"{ "acceptTestDocuments": true }"#.utf8, as: "policy.json")
            let run = try await run(
                "request", "--reader", VirtualBench.first, "--trust", root, "--age-over", "21",
                "--transport", "nfc")
            wallet.signal(SIGINT)
            _ = try await wallet.ended()
            // The virtual reader sees a card leave only when it stays away.
            try await Task.sleep(for: .seconds(1))
            return run
        }
    }

    @Test("Q133 A user whom polkit refuses is told so each time, and never that pcscd does not run")
    func refused() async throws {
        let stranger = try User(User.stranger)
        for _ in 0..<20 {
            let run = try await stranger.run("readers")
            #expect(run.status == 69)
            #expect(run.errors.contains("pcscd refuses this user"), "\(run.errors)")
        }
        let tap = try await stranger.tap()
        #expect(tap.status == 69)
        #expect(tap.errors.contains("pcscd refuses this user"), "\(tap.errors)")
    }

    @Test("Q133 The service's user can read a tap, because the shipped rule allows it")
    func allowed() async throws {
        let user = try User(VirtualBench.allowedUser)
        #expect(try await user.run("readers").output.contains(VirtualBench.first))
        let tap = try await user.tap()
        #expect(tap.status == 0, "\(tap.errors)")
        #expect(tap.output.hasPrefix("TEST DOCUMENT: over 21 yes\n"))
    }
}
