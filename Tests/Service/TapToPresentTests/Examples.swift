import Foundation
import TapToPresent

// What Documentation/getting-started-developer.md, the library's own page and Hardware/Examples/library show, to
// the letter.

func makeReader() -> MobileDocumentReader {
    var setup = MobileDocumentReader.Setup()
    setup.display = .terminal
    return MobileDocumentReader(setup)
}

func checkAge(with reader: MobileDocumentReader) async throws -> Bool {
    let session = try await reader.prepare()
    let response = try await session.requestDocument(
        .displayDriversLicense([.ageAtLeast(21)], options: .init(validationMode: .confirm)))
    return response.validationOutcome == .approved
}

func checkLicense(
    with reader: MobileDocumentReader, token: MobileDocumentReader.Token
) async throws -> Bool {
    let session = try await reader.prepare(using: token)
    let request = MobileDriversLicenseDataRequest(
        retainedElements: [.documentNumber], nonRetainedElements: [.givenName, .drivingPrivileges])
    let elements = try await session.requestDocument(request).documentElements
    return elements.drivingPrivileges?.contains { $0.vehicleCategoryCode == "B" } ?? false
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

func makeTrialReader(root: Data) -> MobileDocumentReader {
    var setup = MobileDocumentReader.Setup()
    setup.display = .terminal
    setup.acceptsTestDocuments = true
    setup.trust = .roots([root])
    return MobileDocumentReader(setup)
}

func checkAgeStepByStep(with reader: MobileDocumentReader) async throws -> Bool {
    let steps = Task { await guide(reader.events) { print($0) } }
    defer { steps.cancel() }
    return try await checkAge(with: reader)
}
