import CommandBench
import CommandLineInterface
import Foundation
import MdocModel
import MdocWallet
import Testing
import Transport

@Suite("request, files and what is asked")
struct RequestFilesTests {
    private static let people = 0o077

    @Test("--save-portrait writes what the phone sent, for its owner alone", arguments: [false, true])
    func portrait(_ isThere: Bool) async throws {
        let link = try await WalletAtLink(["--portrait-size", "25000"])
        defer { withExtendedLifetime(link) {} }
        let path = link.path("portrait.jpg")
        if isThere {
            try Data(repeating: 1, count: 100_000).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        }
        let run = try await link.request(["--age-over", "21", "--save-portrait", path])
        #expect(run.status == 0, "\(run.errors)")
        #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == TestPortrait.jpeg(size: 25_000))
        #expect(try permissions(of: path) & Self.people == 0)
    }

    @Test("--save-portrait writes nothing that is not verified")
    func unverifiedPortrait() async throws {
        for fault in ["device.signature_flipped", "response.no_portrait"] {
            let link = try await WalletAtLink(["--fault", fault])
            defer { withExtendedLifetime(link) {} }
            let path = link.path("portrait.jpg")
            let run = try await link.request(["--age-over", "21", "--save-portrait", path])
            #expect(run.errors.contains("no verified portrait was returned"), "\(fault)")
            #expect(!FileManager.default.fileExists(atPath: path), "\(fault)")
        }
    }

    @Test(
        "A file of another user is refused, and keeps its contents",
        .enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func fileOfAnotherUser() throws {
        // A private folder: in a shared one the kernel may refuse the file by itself (fs.protected_regular).
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "trace").path
        try Data("theirs".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.ownerAccountID: 1], ofItemAtPath: path)
        #expect(throws: CommandFailure.self) { try OutputFile.write([1, 2, 3], to: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("theirs".utf8))
        // The twin: the owner's own file is replaced, also by shorter contents.
        try FileManager.default.setAttributes([.ownerAccountID: Int(geteuid())], ofItemAtPath: path)
        try OutputFile.write([1, 2, 3], to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
    }

    @Test("--trace writes every frame, for its owner alone, and inspect reads it")
    func trace() async throws {
        let link = try await WalletAtLink(["--handover", "static"])
        defer { withExtendedLifetime(link) {} }
        let path = link.path("trace")
        #expect(try await link.request(["--age-over", "21", "--trace", path]).status == 0)
        #expect(try permissions(of: path) & Self.people == 0)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ")[1] } == ["<", ">", "<", ">"])
        let inspected = try await execute(["inspect", path])
        #expect(inspected.status == 0, "\(inspected.errors)")
        #expect(inspected.output.contains("SessionEstablishment"))
    }

    @Test(
        "--keep tells the holder what is kept; without it nothing is",
        arguments: [
            ([], []), (["--keep", "nothing"], []), (["--keep", "receipt"], []),
            (["--keep", "age+id-number"], ["age_over_09", "document_number"]),
            (["--keep", "consented"], ["age_over_09", "family_name", "document_number"]),
        ] as [([String], [String])])
    func keep(_ choice: [String], kept: [String]) async throws {
        let request = try await requestSeen(
            by: [
                "--element", "org.iso.18013.5.1/family_name", "--age-over", "9", "--portrait",
                "--element", "org.iso.18013.5.1/document_number",
            ] + choice)
        #expect(request.docType == "org.iso.18013.5.1.mDL")
        #expect(request.nameSpaces.map(\.name) == ["org.iso.18013.5.1"])
        let elements = request.nameSpaces[0].elements
        #expect(
            elements.map(\.identifier) == ["age_over_09", "portrait", "family_name", "document_number"])
        #expect(elements.filter(\.intentToRetain).map(\.identifier) == kept)
    }

    @Test("--doc-type asks for another document, in its own namespace")
    func docType() async throws {
        let pid = try await requestSeen(by: ["--doc-type", "eu.europa.ec.eudi.pid.1", "--age-over", "18"])
        #expect(pid.docType == "eu.europa.ec.eudi.pid.1")
        #expect(pid.nameSpaces.map(\.name) == ["eu.europa.ec.eudi.pid.1"])
        #expect(pid.nameSpaces[0].elements.map(\.identifier) == ["age_over_18"])
    }

    /// What a phone was asked by `request` with these arguments.
    private func requestSeen(by arguments: [String]) async throws -> ItemsRequest {
        let presented = try PresentedWallet(
            PresentationCase("test"), at: Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970)))
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = try folder.write(presented.issuer.root, as: "root.der")
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let phone = Task {
            let channel = try await listener.accept()
            var link = try WalletBenchLink(presented.wallet, handover: .qr, now: .now)
            try await channel.send(link.greeting)
            _ = link.session.receive(try await channel.receive()[...])
            await channel.close()
            return link.session.deviceRequest
        }
        _ = try await execute(
            ["request", "--connect", "tcp://127.0.0.1:\(listener.address.port)", "--trust", root] + arguments)
        let bytes = try #require(try await phone.value)
        await listener.close()
        return try #require(try DeviceRequest(bytes[...]).docRequests.first).itemsRequest
    }

    private func permissions(of path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}
