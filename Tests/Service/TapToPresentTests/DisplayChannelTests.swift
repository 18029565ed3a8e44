import Foundation
import Glibc
import MdocModel
import MdocWallet
import PresentationStage
import Synchronization
import Testing

@testable import TapToPresent

@Suite("Displays")
struct DisplayChannelTests {
    private typealias Outcome = MobileDriversLicenseDisplayRequest.Response.ValidationOutcome

    private func response(
        to stage: TapStage,
        _ elements: [MobileDriversLicenseDisplayRequest.Element] = [.familyName, .ageAtLeast(21)]
    ) async throws(MobileDocumentReaderError)
        -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
    {
        try await stage.reader.prepare().requestDocument(
            .displayDriversLicense(elements, options: .init(validationMode: .confirm))
        ).validationOutcome
    }

    // MARK: The viewer

    @Test(
        "A viewer gets one line and answers with one word",
        arguments: [
            ("approved\n", Outcome.approved), ("rejected\n", .rejected), ("dismissed\r\n", .dismissed),
        ])
    func viewer(_ word: String, _ outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome)
        async throws
    {
        let viewer = try Viewer(answering: word)
        let stage = try TapStage(setup: {
            $0.display = .init(ViewerDisplay(path: viewer.path, acceptingOwnUser: true))
        })
        defer { stage.clean() }
        #expect(try await response(to: stage) == outcome)
        let line = try #require(await viewer.line.value)
        let message = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(message["familyName"] as? String == "Testrup-Ødegård")
        #expect(message["givenName"] == nil)
        #expect(message["isAsking"] as? Bool == true && message["isConfirmed"] as? Bool == true)
        #expect(message["isTest"] as? Bool == true)
        #expect((message["ages"] as? [[String: Any]])?.first?["answer"] as? String == "yes")
        #expect((message["portrait"] as? String).flatMap { Data(base64Encoded: $0) }?.count == 2400)
    }

    @Test(
        "A viewer that leaves, or says another word, decides nothing",
        arguments: ["", "yes\n", String(repeating: "a", count: 100)])
    func viewerLost(_ word: String) async throws {
        let viewer = try Viewer(answering: word)
        let stage = try TapStage(setup: {
            $0.display = .init(ViewerDisplay(path: viewer.path, acceptingOwnUser: true))
        })
        defer { stage.clean() }
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await response(to: stage)
        }
        #expect(error?.reason == .displayUnavailable(id: "viewer.lost"))
        _ = await viewer.line.value
    }

    @Test("A viewer of the app's own user gets nothing")
    func ownUser() async throws {
        let viewer = try Viewer(answering: "approved\n")
        let stage = try TapStage(setup: { $0.display = .viewer(atSocket: viewer.path) })
        defer { stage.clean() }
        let error = await #expect(throws: MobileDocumentReaderError.notAllowed) {
            try await response(to: stage)
        }
        #expect(error?.reason == .displayUnavailable(id: "viewer.own_user"))
        #expect(await viewer.line.value == nil)
    }

    @Test(
        "A viewer that is not there", arguments: ["/nowhere/at-all", "", String(repeating: "x", count: 200)])
    func noViewer(_ path: String) async throws {
        let stage = try TapStage(setup: { $0.display = .viewer(atSocket: path) })
        defer { stage.clean() }
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await response(to: stage)
        }
        #expect(error?.reason == .displayUnavailable(id: "viewer.absent"))
    }

    @Test("A viewer that hangs and takes no more connections is not waited for")
    func hungViewer() async throws {
        let viewer = try Viewer.hanging()
        defer { viewer.close() }
        let stage = try TapStage(setup: { $0.display = .viewer(atSocket: viewer.path) })
        defer { stage.clean() }
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await response(to: stage)
        }
        #expect(error?.reason == .displayUnavailable(id: "viewer.absent"))
    }

    // MARK: The terminal

    @Test(
        "A terminal shows words, asks, and is wiped",
        arguments: [("y\n", Outcome.approved), ("what?\nno\n", .rejected), ("\n", .dismissed)])
    func terminal(_ typed: String, _ outcome: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome)
        async throws
    {
        let terminal = try Terminal()
        let stage = try TapStage(setup: { $0.display = .init(TerminalDisplay(path: terminal.path)) })
        defer { stage.clean() }
        terminal.type(typed)
        #expect(try await response(to: stage) == outcome)
        let screen = terminal.screen()
        #expect(screen.contains("Testrup-Ødegård") && screen.contains("At least 21: yes"))
        #expect(screen.contains("TEST DOCUMENT"))
        #expect(screen.contains("portrait") && screen.hasSuffix("\u{1b}[2J\u{1b}[?1049l"))
    }

    @Test("A terminal is not told what it would obey")
    func controlCharacters() async throws {
        let terminal = try Terminal()
        var licence = TestLicence().document(on: TapStage.now.dayInUTC)
        licence["family_name"] = .text("A\u{1b}]0;x\u{7}B\u{202e}C\nD")
        let stage = try TapStage(
            [licence], setup: { $0.display = .init(TerminalDisplay(path: terminal.path)) })
        defer { stage.clean() }
        terminal.type("\n")
        _ = try await response(to: stage)
        #expect(terminal.screen().contains("A?]0;x?B?C?D"))
    }

    @Test("What is no terminal shows nothing", arguments: ["/dev/null", "/nowhere"])
    func noTerminal(_ path: String) async throws {
        let stage = try TapStage(setup: { $0.display = .init(TerminalDisplay(path: path)) })
        defer { stage.clean() }
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await response(to: stage)
        }
        #expect(error?.reason == .displayUnavailable(id: "terminal.absent"))
    }

    @Test("A display that nobody answers is dismissed when its time is over")
    func timeout() throws {
        let terminal = try Terminal()
        let line = DisplayLine(owning: unsafe open(terminal.path, O_RDWR | O_NOCTTY))
        #expect(line.line(during: DisplayTime(.milliseconds(20))) == .timeOver)
        terminal.type("late\n")
        #expect(line.line(during: DisplayTime(.seconds(5))) == .line("late"))
    }
}

/// A viewer that takes one line, answers and leaves.
struct Viewer {
    let path: String
    /// Nil where the connection ended without one.
    let line: Task<String?, Never>

    init(answering word: String) throws {
        let (path, listener) = try Self.listener(backlog: 1)
        self.path = path
        let (lines, continuation) = AsyncStream.makeStream(of: String?.self)
        // A thread of its own: the call waits, and tasks are not to.
        Thread.detachNewThread {
            continuation.yield(Self.serve(listener, answering: word))
            unsafe unlink(path)
        }
        line = Task { await lines.first { _ in true } ?? nil }
    }

    /// One that never takes a connection, and whose backlog is full.
    static func hanging() throws -> (path: String, close: () -> Void) {
        let (path, listener) = try listener(backlog: 0)
        let waiting = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = unsafe withAddress(path) { unsafe connect(waiting, $0, $1) == 0 }
        #expect(isConnected)
        return (
            path,
            {
                Glibc.close(waiting)
                Glibc.close(listener)
                unsafe unlink(path)
            }
        )
    }

    private static func listener(backlog: Int32) throws -> (path: String, descriptor: Int32) {
        let path =
            FileManager.default.temporaryDirectory.appending(path: "v\(UInt32.random(in: 0...9_999_999))")
            .path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = unsafe withAddress(path) { unsafe bind(listener, $0, $1) == 0 }
        #expect(isBound && listen(listener, backlog) == 0)
        return (path, listener)
    }

    private static func withAddress<R>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func serve(_ listener: Int32, answering word: String) -> String? {
        let connection = accept(listener, nil, nil)
        defer {
            close(connection)
            close(listener)
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while received.last != UInt8(ascii: "\n") {
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
        _ = unsafe write(connection, word, word.utf8.count)
        return String(decoding: received, as: UTF8.self)
    }
}

/// A pseudoterminal.
private final class Terminal {
    private let master: Int32
    private let slave: Int32
    let path: String

    init() throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(unsafe openpty(&master, &slave, &name, nil, nil) == 0)
        (self.master, self.slave) = (master, slave)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        close(master)
        close(slave)
    }

    func type(_ text: String) { _ = unsafe write(master, text, text.utf8.count) }

    /// What was shown so far.
    func screen() -> String {
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while unsafe Glibc.poll(&poll, 1, 100) > 0 {
            let count = unsafe read(master, &buffer, buffer.count)
            guard count > 0 else { break }
            shown += buffer[..<count]
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
