import Foundation
import Synchronization
import Testing

@testable import TapToPresent

@Suite("The examples of the documentation")
struct ExampleTests {
    @Test(
        "An age check gives the operator's decision",
        arguments: [("approved\n", true), ("rejected\n", false)])
    func age(_ decision: String, _ isOldEnough: Bool) async throws {
        let viewer = try Viewer(answering: decision)
        let stage = try TapStage(setup: {
            $0.display = .init(ViewerDisplay(path: viewer.path, acceptingOwnUser: true))
        })
        defer { stage.clean() }
        let shown = Mutex<[String]>([])
        let events = stage.reader.events
        #expect(try await checkAge(with: stage.reader) == isOldEnough)
        let guiding = Task { await guide(events) { line in shown.withLock { $0.append(line) } } }
        while shown.withLock({ $0.count }) < 3 { await Task.yield() }
        guiding.cancel()
        let test = "A test document, which proves nothing"
        #expect(shown.withLock { $0 } == ["Hold your phone to the reader", "Look at your phone", test])
    }

    @Test("An age check fails by name where there is no reader")
    func withoutReader() async {
        var setup = MobileDocumentReader.Setup()
        setup.display = .terminal
        setup.storeFolder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await checkAge(with: MobileDocumentReader(setup))
        }
        _ = makeReader()
        _ = makeTrialReader(root: Data())
    }

    @Test("The sample's age check shows its steps and gives the decision")
    func sample() async throws {
        let viewer = try Viewer(answering: "approved\n")
        let stage = try TapStage(setup: {
            $0.display = .init(ViewerDisplay(path: viewer.path, acceptingOwnUser: true))
        })
        defer { stage.clean() }
        #expect(try await checkAgeStepByStep(with: stage.reader))
    }

    @Test("A licence with category B is accepted")
    func license() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        #expect(try await checkLicense(with: stage.reader, token: stage.token()))
    }

    @Test(
        "A file from iOS shows an age to the operator, who decides",
        arguments: [("approved\n", true), ("rejected\n", false)])
    func ported(_ decision: String, _ isOldEnough: Bool) async throws {
        let viewer = try Viewer(answering: decision)
        let stage = try TapStage(setup: {
            $0.display = .init(ViewerDisplay(path: viewer.path, acceptingOwnUser: true))
        })
        defer { stage.clean() }
        let desk = RentalDesk(reader: stage.reader) { _ in "" }
        #expect(try await desk.isOldEnough() == isOldEnough)
        #expect(desk.advice(after: MobileDocumentReaderError.cancelled(.holderDeclined)).contains("Nothing"))
    }
}
