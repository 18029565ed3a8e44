import Foundation
import TapToPresent

// Checks whether a person is over 21, at the first reader of this computer. You decide on the terminal.
//
//     swift run AgeCheck [ROOT]
//
// ROOT is the root certificate of a software wallet, in DER, for a trial.

func makeReader() -> MobileDocumentReader {
    var setup = MobileDocumentReader.Setup()
    setup.display = .terminal
    return MobileDocumentReader(setup)
}

func makeTrialReader(root: Data) -> MobileDocumentReader {
    var setup = MobileDocumentReader.Setup()
    setup.display = .terminal
    setup.acceptsTestDocuments = true
    setup.trust = .roots([root])
    return MobileDocumentReader(setup)
}

func checkAge(with reader: MobileDocumentReader) async throws -> Bool {
    let session = try await reader.prepare()
    let response = try await session.requestDocument(
        .displayDriversLicense([.ageAtLeast(21)], options: .init(validationMode: .confirm)))
    return response.validationOutcome == .approved
}

func guide(_ events: AsyncStream<MobileDocumentReader.Event>, show: (String) -> Void) async {
    for await event in events {
        switch event {
        case .armed: show("Hold your phone to the reader")
        case .awaitingConsent: show("Look at your phone")
        case .judged(let verdict) where verdict.isTest: show("A test document, which proves nothing")
        case .judged(let verdict) where !verdict.isVerified: show("\(verdict.failures)")
        default: break
        }
    }
}

func checkAgeStepByStep(with reader: MobileDocumentReader) async throws -> Bool {
    let steps = Task { await guide(reader.events) { print($0) } }
    defer { steps.cancel() }
    return try await checkAge(with: reader)
}

let root = try CommandLine.arguments.dropFirst().first.map { try Data(contentsOf: URL(filePath: $0)) }
let isOldEnough = try await checkAgeStepByStep(with: root.map(makeTrialReader) ?? makeReader())
print(isOldEnough ? "Yes: over 21, and the person was compared." : "No, or not decided.")
