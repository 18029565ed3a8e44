import CommandBench
import Foundation
import Glibc
import MdocSession
import OtherPrograms
import Testing
import Transport

@Suite("wallet and bench")
struct WalletTests {
    private struct Manifest: Decodable {
        struct Case: Decodable {
            let eReaderKeyPrivate: String
        }

        let cases: [Case]
    }

    @Test("--write makes a folder that verify verifies, response and session", arguments: [[], ["--mac"]])
    func write(_ proof: [String]) async throws {
        for handover in ["qr", "static", "negotiated"] {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let path = { (name: String) in folder.path("case/\(name)") }
            let made = try await executeLab(
                ["wallet", "--write", folder.path("case"), "--handover", handover] + proof)
            #expect(made.status == 0, "\(made.errors)")
            let manifest = try JSONDecoder().decode(
                Manifest.self, from: Data(contentsOf: URL(filePath: path("manifest.json"))))
            let scalar = try #require(manifest.cases.first).eReaderKeyPrivate
            let key = ["--reader-key", try folder.write(scalar.utf8, as: "scalar")]
            let trust = ["--trust", path("iaca.der")]
            let response = try await execute(
                [
                    "verify", "--response", path("device_response.cbor"), "--transcript",
                    path("session_transcript.cbor"), "--request", path("device_request.cbor"), "--strict",
                ] + key + trust)
            #expect(response.status == 0, "\(response.everything)")
            let messages = ["handover-select", "handover-request"].flatMap { name -> [String] in
                let file = path(name.replacing("-", with: "_") + ".ndef")
                return FileManager.default.fileExists(atPath: file) ? ["--\(name)", file] : []
            }
            let session = try await execute(
                [
                    "verify", "--session-data", path("session_data.cbor"), "--engagement",
                    path("device_engagement.cbor"), "--session-establishment",
                    path("session_establishment.cbor"), "--strict",
                ] + messages + key + trust)
            #expect(session.status == 0, "\(session.everything)")
        }
    }

    /// Measures what the wallet writes.
    private func measure(_ wallet: [String], _ options: [String] = []) async throws -> CommandRun {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = { (name: String) in folder.path("case/\(name)") }
        _ = try await executeLab(["wallet", "--write", folder.path("case")] + wallet)
        return try await executeLab(
            [
                "bench", "--response", path("device_response.cbor"), "--transcript",
                path("session_transcript.cbor"), "--trust", path("iaca.der"), "--request",
                path("device_request.cbor"),
            ] + options)
    }

    @Test("bench prints its figures, each above zero, and what they compare")
    func bench() async throws {
        let run = try await measure(["--portrait-size", "22600"], ["--rounds", "1", "--per-round", "2"])
        #expect(run.status == 0, "\(run.errors)")
        let figures = try run.json()
        #expect(
            Set(figures.keys) == [
                "floorNs", "transactionColdNs", "transactionWarmNs", "verifyColdNs", "verifyWarmNs",
                "sessionNs", "decodeNs", "ratioCold", "ratioWarm",
                "verifyWarmLargeTrustNs", "trustOpenNs", "ratioLargeTrust",
                "tightFloorColdNs", "tightFloorWarmNs", "tightRatioCold", "tightRatioWarm", "notes",
            ])
        for (name, value) in figures where name != "notes" {
            #expect(try #require(value as? Double) > 0, "\(name)")
        }
        let notes = try #require(figures["notes"] as? [String]).joined(separator: "\n")
        #expect(notes.contains("The root's key object and the algorithms of OpenSSL are kept"))
        #expect(notes.contains("Warm checks two signatures"))
        #expect(notes.contains("ratioWarm divides by floorNs, which checks three"))
    }

    @Test("bench --count runs each part and prints the names of the parts in place of times")
    func benchCounted() async throws {
        let run = try await measure([], ["--count", "2"])
        #expect(run.status == 0, "\(run.errors)")
        let counted = try run.json()
        #expect(counted["times"] as? Double == 2)
        let parts = try #require(counted["parts"] as? [String])
        let some = ["decode", "session", "verifyCold", "verifyWarm", "tightFloorWarm"]
        #expect(Set(parts).isSuperset(of: some))
        #expect(Set(parts).count == parts.count)
        #expect(try await measure([], ["--count", "0"]).status == 64)
    }

    @Test("bench refuses a response that is not verified: exit code 2")
    func benchRejected() async throws {
        let run = try await measure(["--fault", "mso.expired"])
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
    }

    @Test(
        "Wrong usage: exit code 64",
        arguments: [
            [], ["--listen", "tcp://127.0.0.1:0", "--write", "x"], ["--listen", "tcp://0.0.0.0:0"],
            ["--listen", "tcp://192.0.2.1:0"], ["--write", "/proc/none/x"],
            ["--write", "x", "--profile", "none"], ["--write", "x", "--fault", "none"],
            ["--write", "x", "--portrait-size", "10"], ["--write", "x", "--age", "200"],
            ["--write", "x", "--profile", "samsung", "--handover", "negotiated"],
            ["--card", "tcp://192.0.2.1:35963"],
            ["--write", "x", "--card", "tcp://127.0.0.1:35963"], ["--write", "x", "--ble"],
            ["--ble", "--listen", "tcp://127.0.0.1:0"], ["--ble", "--handover", "static"],
            ["--ble", "--profile", "applet"], ["--ble", "--ble-role", "both", "--psm", "200"],
            ["--listen", "tcp://127.0.0.1:0", "--adapter", "hci0"], ["--write", "x", "--ble-role", "none"],
            ["--write", "x", "--ble-role", "peripheral", "--profile", "applet"],
            ["--write", "x", "--psm", "200"], ["--write", "x", "--psm", "127", "--ble-role", "both"],
        ])
    func usage(_ arguments: [String]) async throws {
        let run = try await executeLab(["wallet"] + arguments)
        #expect(run.status == 64, "\(run.errors)")
    }

    @Test("Each QR code is shown before its reader comes, and is the one that the reader gets")
    func codes() async throws {
        let wallet = try BuiltProgram(
            "countersign-lab", ["wallet", "--listen", "tcp://127.0.0.1:0", "--readers", "2"])
        let address = try await wallet.firstLine()
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        for number in 1...2 {
            let channel = try await FramedTCPChannel.connect(to: SocketAddress(host: "127.0.0.1", port: port))
            let greeting = try BenchLinkGreeting(try await channel.receive()[...])
            let codes = wallet.output.split(separator: "\n").dropFirst()
            #expect(codes.count == number)
            #expect(codes.last.map(String.init) == greeting.qr)
            await channel.close()
        }
        #expect(try await wallet.ended() == 0)
        let negotiated = try await WalletAtLink(["--handover", "negotiated"])
        _ = try await negotiated.request()
        #expect(try await CommandRun(negotiated.wallet).output == negotiated.address + "\n")
    }

    @Test("Without a virtual reader a card cannot be tapped: exit code 69")
    func noReader() async throws {
        let run = try await executeLab(["wallet", "--card", "tcp://127.0.0.1:1"])
        #expect(run.status == 69)
        #expect(run.errors.contains("no virtual reader"))
    }

    @Test("A wallet whose address is taken does not start, and leaves the root of the one that runs")
    func addressTaken() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = folder.path("root.der")
        let wallet = try BuiltProgram(
            "countersign-lab", ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root])
        let address = try await wallet.firstLine()
        let second = try await executeLab(["wallet", "--listen", address, "--root", root])
        #expect(second.status == 69 && second.errors.contains("cannot listen at \(address)"))
        let run = try await execute(["request", "--connect", address, "--trust", root, "--age-over", "21"])
        #expect(run.status == 0, "\(run.errors)")
        wallet.signal(SIGINT)
        #expect(try await wallet.ended() == 0)
    }

    @Test("An interrupted wallet ends well, and serves readers one after the other until then")
    func readers() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = folder.path("root.der")
        let wallet = try BuiltProgram(
            "countersign-lab", ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root])
        let address = try await wallet.firstLine()
        for _ in 0..<3 {
            let run = try await execute([
                "request", "--connect", address, "--trust", root, "--age-over", "21",
            ])
            #expect(run.status == 0, "\(run.errors)")
        }
        try await wallet.said("reader 3: ended by the reader, status 20")
        wallet.signal(SIGINT)
        #expect(try await wallet.ended() == 0)
    }
}
