import Deadlines
import Foundation
import Glibc
import JSON
import OtherPrograms
import RequestPlanner
import Testing

@testable import TapToPresent

@Suite("Display requests on the clerk's page", .serialized)
struct ClerkPageTests {
    private typealias Outcome = MobileDriversLicenseDisplayRequest.Response.ValidationOutcome

    private static func request(
        _ elements: [MobileDriversLicenseDisplayRequest.Element] = [
            .givenName, .familyName, .ageAtLeast(21),
        ]
    ) -> MobileDriversLicenseDisplayRequest {
        MobileDriversLicenseDisplayRequest(elements: elements, options: .init(validationMode: .confirm))
    }

    @Test(
        "The page shows face and name, and the app gets the clerk's decision alone",
        arguments: [("approved", Outcome.approved), ("rejected", .rejected), ("dismissed", .dismissed)])
    func decision(
        _ word: String, _ expected: MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
    ) async throws {
        let desktop = try await ClerkDesktop()
        let reader = desktop.reader()
        let (events, ended) = (reader.events, reader.events)
        let session = try await reader.prepare()
        let asking = Task { try await session.requestDocument(Self.request()).validationOutcome }
        let page = try await desktop.page()
        let (path, result) = try await desktop.person(on: page)
        let name = try #require(result["name"] as? [String: Any])
        #expect(name["family"] as? String == "Testrup-Ødegård" && name["given"] as? String != nil)
        let portrait = try await page.call("GET", try #require(result["portrait"] as? String))
        #expect(portrait.status == 200 && !portrait.body.isEmpty)
        // The daemon is looked at every 100 ms: of a clerk who is faster only the decision is seen.
        let isAsked = await events.first { $0 == .presenting } != nil
        #expect(isAsked)
        let decided = try await page.call("POST", "\(path)/decision", #"{"decision": "\#(word)"}"#)
        #expect(decided.status == 200)
        #expect(try await asking.value == expected)
        #expect(await ended.first { $0.isDone } == .done(nil))
    }

    @Test("The second request is on the same page, and the daemon ends with the session")
    func twice() async throws {
        let desktop = try await ClerkDesktop()
        let reader = desktop.reader()
        var session: MobileDocumentReaderSession? = try await reader.prepare()
        var page: PlainHTTP?
        for _ in 0..<2 {
            let asking = Task { [session] in try await session?.requestDocument(Self.request()) }
            let opened = if let page { page } else { try await desktop.page() }
            page = opened
            let path = try await desktop.person(on: opened).path
            _ = try await opened.call("POST", "\(path)/decision", #"{"decision": "approved"}"#)
            #expect(try await asking.value?.validationOutcome == .approved)
            #expect(desktop.daemons.count == 1)
        }
        session = nil
        try await until("the daemon ends") { desktop.daemons.isEmpty }
    }

    @Test("Where the app is killed the daemon ends by itself, though the browser that it opened stays")
    func killed() async throws {
        let desktop = try await ClerkDesktop()
        try desktop.setBrowser(
            "cp \"$1\" '\(desktop.folder.path)/new' && mv '\(desktop.folder.path)/new' '\(desktop.folder.path)/opened'\n"
                + "exec sleep 30")
        let app = try BuiltProgram(
            "PageApp", ["\(desktop.folder.path)/store", desktop.address], environment: desktop.environment)
        _ = try await desktop.page()
        #expect(Self.programs(of: desktop).contains("countersignd"))
        app.signal(SIGKILL)
        try await until("the daemon ends") { !Self.programs(of: desktop).contains("countersignd") }
        #expect(Self.programs(of: desktop).contains("sleep"))
    }

    /// The programs whose environment is this desktop's.
    private static func programs(of desktop: ClerkDesktop) -> Set<String> {
        let mark = Data("XDG_RUNTIME_DIR=\(desktop.folder.path)/run\0".utf8)
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return Set(
            processes.filter { Int($0) != nil }.compactMap { process in
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
                guard environment?.range(of: mark) != nil else { return nil }
                let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
                return name?.trimmingCharacters(in: .whitespacesAndNewlines)
            })
    }

    @Test("A national ID card is shown with its whole name")
    func nationalIDCard() async throws {
        let desktop = try await ClerkDesktop(wallet: ["--holds", "mnc"])
        let session = try await desktop.reader().prepare()
        let request = MobileNationalIDCardDisplayRequest(
            region: .japan, elements: [.familyName, .givenName, .ageAtLeast(18)],
            options: .init(validationMode: .confirm))
        let asking = Task { try await session.requestDocument(request).validationOutcome }
        let page = try await desktop.page()
        let (path, result) = try await desktop.person(on: page)
        let name = try #require(result["name"] as? [String: Any])
        #expect((name["family"] as? String)?.contains("Lumi Séraphine") == true)
        _ = try await page.call("POST", "\(path)/decision", #"{"decision": "approved"}"#)
        #expect(try await asking.value == .approved)
    }

    @Test("An answer that is no is rejected, and no clerk is asked")
    func answeredNo() async throws {
        let desktop = try await ClerkDesktop()
        let session = try await desktop.reader().prepare()
        #expect(
            try await session.requestDocument(Self.request([.ageAtLeast(65)])).validationOutcome == .rejected)
    }

    @Test("A document that fails a check is an error, as with other displays")
    func refused() async throws {
        let desktop = try await ClerkDesktop(wallet: ["--fault", "device.signature_flipped"])
        let session = try await desktop.reader().prepare()
        let error = await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await session.requestDocument(Self.request())
        }
        guard case .ended(let ids)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!ids.isEmpty)
    }

    @Test("Cancelling the task ends the presentation, and nothing is shown any more")
    func cancelled() async throws {
        let desktop = try await ClerkDesktop()
        let session = try await desktop.reader().prepare()
        let asking = Task { try await session.requestDocument(Self.request()) }
        let page = try await desktop.page()
        let path = try await desktop.person(on: page).path
        asking.cancel()
        await #expect(throws: MobileDocumentReaderError.cancelled) { try await asking.value }
        let shown = try await page.call("GET", path).json()
        #expect(shown["outcome"] as? String == "unclear")
        #expect(try await page.call("GET", "\(path)/portrait").status != 200)
    }

    @Test(
        "What is missing is said before anything is asked, opened or started",
        arguments: [DisplayFault.pageDaemonMissing, .pageBrowserMissing, .pageScreenMissing])
    func missing(_ fault: DisplayFault) async throws {
        let desktop = try await ClerkDesktop()
        var environment = desktop.environment
        switch fault {
        case .pageDaemonMissing: environment["PATH"] = "\(desktop.folder.path)/bin"
        case .pageBrowserMissing: environment["PATH"] = ClerkDesktop.programs
        default: environment["DISPLAY"] = ""
        }
        let session = try await desktop.reader(environment).prepare()
        let error = await #expect(throws: MobileDocumentReaderError.notSupported) {
            try await session.requestDocument(Self.request())
        }
        #expect(error?.reason == .displayUnavailable(fault))
        #expect(error?.failureReason?.contains(fault.explanation) == true)
        #expect(desktop.daemons.isEmpty && !desktop.isOpened)
    }

    @Test("A browser that does not open, and a daemon without its page, are said before anything is asked")
    func notOpened() async throws {
        let desktop = try await ClerkDesktop()
        try desktop.setBrowser("exit 3")
        let session = try await desktop.reader().prepare()
        var error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await session.requestDocument(Self.request())
        }
        #expect(error?.reason == .displayUnavailable(.pageBrowserFailed))
        var environment = desktop.environment
        environment["COUNTERSIGND_PAGE"] = nil
        let other = try await desktop.reader(environment).prepare()
        error = await #expect(throws: MobileDocumentReaderError.notSupported) {
            try await other.requestDocument(Self.request())
        }
        #expect(error?.reason == .displayUnavailable(.pageFilesMissing))
        #expect(!desktop.isOpened)
        try await until("the daemons end") { desktop.daemons.isEmpty }
    }

    @Test("What the page cannot show, or a setup that it cannot follow, is refused")
    func refusedSetup() async throws {
        struct Buttons: MobileDocumentPresenter {
            func validationOutcome(
                of presentation: MobileDocumentPresentation
            ) async -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome { .approved }
        }
        let desktop = try await ClerkDesktop()
        func fault(
            _ elements: [MobileDriversLicenseDisplayRequest.Element] = [.ageAtLeast(21)],
            _ change: (inout MobileDocumentReader.Setup) -> Void = { _ in }
        ) async throws -> MobileDocumentReaderError.Reason? {
            let session = try await desktop.reader(nil, change).prepare()
            return await #expect(throws: MobileDocumentReaderError.notSupported) {
                try await session.requestDocument(Self.request(elements))
            }?.reason
        }
        #expect(try await fault([.age]) == .displayUnavailable(.pageElements))
        #expect(try await fault { $0.presenter = Buttons() } == .displayUnavailable(.pagePresenter))
        let root = try Data(contentsOf: desktop.folder.appending(path: "root.der"))
        #expect(try await fault { $0.trust = .roots([root]) } == .displayUnavailable(.pageRoots))
        #expect(desktop.daemons.isEmpty && !desktop.isOpened)
    }

    @Test("Of several documents the page asks the whole name or none")
    func severalDocuments() throws {
        func order(
            _ elements: [MobileDriversLicenseDisplayRequest.Element]
        ) throws -> String {
            let request = MobileDocumentDisplayRequest(
                elements: elements,
                options: .init(allowedDocumentTypes: [.driversLicense, .photoID], validationMode: .confirm))
            let asked = MobileDocumentPresentation(elements: elements, validationMode: .confirm)
            return try PageOrder(
                asked, choices: request.plan.choices, setup: MobileDocumentReader.Setup(), token: nil,
                policy: nil
            ).body.line
        }
        #expect(
            try order([.ageAtLeast(18)]).contains(
                "portrait for a human to compare, age over 18; from mdl or photoid"))
        #expect(
            try order([.givenName, .familyName, .ageAtLeast(18)]).contains(
                "elements: portrait for a human to compare, name, age over 18; from mdl or photoid"))
        #expect(throws: MobileDocumentReaderError.notSupported) { try order([.familyName]) }
    }
}

extension MobileDocumentReader.Event {
    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
