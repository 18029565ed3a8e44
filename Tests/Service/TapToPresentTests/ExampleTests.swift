import Foundation
import TapToPresent
import Testing

/// Code as apps have it on iOS, compiled against this library.
private struct Counter {
    enum Message: Equatable { case approved, rejected, welcome(String), tryAgain, cancelled, notSupported }

    func verifyAge(with reader: MobileDocumentReader) async -> Message {
        guard MobileDocumentReader.isSupported else { return .notSupported }
        do {
            let session = try await reader.prepare()
            let response = try await session.requestDocument(
                .displayDriversLicense(
                    [.givenName, .familyName, .ageAtLeast(21)], options: .init(validationMode: .confirm)))
            return response.validationOutcome == .approved ? .approved : .rejected
        } catch MobileDocumentReaderError.cancelled {
            return .cancelled
        } catch {
            return .tryAgain
        }
    }

    func checkIn(
        with reader: MobileDocumentReader,
        token: (MobileDocumentReader.Configuration) async throws -> MobileDocumentReader.Token
    ) async throws -> Message {
        let session = try await reader.prepare(using: token(reader.configuration))
        let request = MobileDriversLicenseDataRequest(
            retainedElements: [.documentNumber],
            nonRetainedElements: [.givenName, .portrait, .drivingPrivileges])
        let elements = try await session.requestDocument(request).documentElements
        guard elements.drivingPrivileges.contains(where: { $0.vehicleCategoryCode == "B" }) else {
            return .rejected
        }
        return .welcome(elements.nameComponents?.givenName ?? "")
    }
}

@Suite("Code as apps have it")
struct ExampleTests {
    @Test("An age check fails by name where there is no reader")
    func ageCheck() async {
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let message = await Counter().verifyAge(with: MobileDocumentReader(setup))
        #expect(message == (MobileDocumentReader.isSupported ? .tryAgain : .notSupported))
    }

    @Test("A check-in reads as it does there")
    func checkIn() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let message = try await Counter().checkIn(with: stage.reader) { configuration in
            #expect(!configuration.readerInstanceIdentifier.isEmpty)
            return try await stage.token()
        }
        #expect(message == .welcome("Lumi Séraphine"))
    }
}
