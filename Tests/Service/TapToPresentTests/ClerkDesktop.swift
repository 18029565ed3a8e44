import Deadlines
import Foundation
import JSON
import OtherPrograms
import VectorFiles

@testable import TapToPresent

/// A desktop whose browser is a script, a store that trusts the issuer of a software wallet, and a clerk.
final class ClerkDesktop: Sendable {
    let folder: URL
    private let wallet: BuiltProgram
    /// Of the bench link.
    let address: String

    init(wallet arguments: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "desktop-\(UUID())")
        for name in ["bin", "run"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let root = folder.appending(path: "root.der").path
        wallet = try BuiltProgram(
            "countersign-lab", ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root] + arguments)
        address = try await wallet.firstLine()
        let importing = try BuiltProgram(
            "countersign", ["trust", "import", root, "--store", folder.path + "/store"])
        guard try await importing.ended() == 0 else {
            throw PlainHTTP.Failure(description: importing.errors)
        }
        try setBrowser("cp \"$1\" '\(folder.path)/new' && mv '\(folder.path)/new' '\(folder.path)/opened'")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What the script `xdg-open` does.
    func setBrowser(_ command: String) throws {
        let script = folder.appending(path: "bin/xdg-open")
        try Data("#!/bin/sh\n\(command)\n".utf8).write(to: script)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    }

    /// The folder of the programs that were built beside the tests.
    static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    /// Of a program that is started on this desktop.
    var environment: [String: String] {
        let page = VectorFiles.repository.appending(path: "Sources/Service/ReaderAPI/Kiosk")
        return [
            "PATH": "\(folder.path)/bin:\(Self.programs):/usr/bin:/bin", "DISPLAY": ":0",
            "XDG_RUNTIME_DIR": "\(folder.path)/run", "COUNTERSIGND_PAGE": page.path,
        ]
    }

    /// The folders of the daemons that run.
    var daemons: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/run")) ?? []
    }

    var isOpened: Bool { FileManager.default.fileExists(atPath: "\(folder.path)/opened") }

    /// A reader as it is without a choice of display, with phones on the bench link.
    func reader(
        _ environment: [String: String]? = nil,
        _ change: (inout MobileDocumentReader.Setup) -> Void = { _ in }
    ) -> MobileDocumentReader {
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = "\(folder.path)/store"
        // The wallet's issuer is a test's, and has no revocation list.
        setup.acceptsTestDocuments = true
        setup.revocation[.elements] = .age
        setup.display = .init(
            ClerkPage(
                environment: environment ?? self.environment, device: [("benchLink", .string(address))]))
        change(&setup)
        return MobileDocumentReader(setup)
    }

    /// The page that was opened, let in by its code.
    func page() async throws -> PlainHTTP {
        try await until("the page is opened") { self.isOpened }
        let text = try String(contentsOf: folder.appending(path: "opened"), encoding: .utf8)
        let address = #/url=http://127\.0\.0\.1:([0-9]+)/clerk\?lane=reader#code=([0-9a-f]+)"/#
        guard let found = text.firstMatch(of: address), let port = UInt16(found.1) else {
            throw PlainHTTP.Failure(description: "no address: \(text)")
        }
        var page = PlainHTTP(.tcp(port: port))
        let entered = try await page.call("POST", "/v1/page-sessions", #"{"code": "\#(found.2)"}"#)
        let cookie = entered.headers["set-cookie"] ?? ""
        page.headers = ["Cookie": "\(cookie.prefix { $0 != ";" })", "Countersign-Page": "clerk-reader"]
        return page
    }

    /// What the clerk sees of the person who is to be compared, on this page.
    func person(on page: PlainHTTP) async throws -> (path: String, result: [String: Any]) {
        for _ in 0..<12_000 {
            let lane = try await page.call("GET", "/v1/lanes/reader").json()
            if let id = lane["presentation"] as? String {
                let path = "/v1/presentations/\(id)"
                let shown = try await page.call("GET", path).json()
                if shown["state"] as? String == "awaitingDecision",
                    let result = shown["result"] as? [String: Any]
                {
                    return (path, result)
                }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Overdue("nobody is to be compared")
    }
}
