import Foundation
import JSON

@testable import TapToPresent

/// An app that asks on the clerk's page, until it is killed.
///
///     PageApp STORE BENCH-LINK
@main
enum PageApp {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else { exit(64) }
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = words[1]
        setup.acceptsTestDocuments = true
        let environment = ProcessInfo.processInfo.environment
        setup.display = .init(ClerkPage(environment: environment, device: [("benchLink", .string(words[2]))]))
        let session = try await MobileDocumentReader(setup).prepare()
        _ = try await session.requestDocument(
            MobileDriversLicenseDisplayRequest(
                elements: [.ageAtLeast(21)], options: .init(validationMode: .confirm)))
    }
}
