import Foundation
import ProximityReader

// What Documentation/porting-from-ios.md shows, to the letter.

/// A desk that rents cars: written for an iPhone, moved here as it was.
final class RentalDesk: Sendable {
    private let reader: MobileDocumentReader
    private let makeToken: @Sendable (_ readerInstance: String) async throws -> String

    init(
        reader: MobileDocumentReader = MobileDocumentReader(),
        makeToken: @escaping @Sendable (_ readerInstance: String) async throws -> String
    ) {
        self.reader = reader
        self.makeToken = makeToken
    }

    var isAvailable: Bool { MobileDocumentReader.isSupported }

    private func session() async throws -> MobileDocumentReaderSession {
        let instance = try await reader.configuration.readerInstanceIdentifier
        return try await reader.prepare(using: MobileDocumentReader.Token(try await makeToken(instance)))
    }
}

extension RentalDesk {
    func isOldEnough() async throws -> Bool {
        let request = MobileDriversLicenseDisplayRequest(
            elements: [.givenName, .familyName, .ageAtLeast(21)], options: .init(validationMode: .confirm))
        switch try await reader.prepare().requestDocument(request).validationOutcome {
        case .approved: return true
        case .rejected, .dismissed: return false
        }
    }

    func categories() async throws -> [String] {
        let request = MobileDriversLicenseDataRequest(
            retainedElements: [.documentNumber],
            nonRetainedElements: [.familyName, .age, .ageAtLeast(21), .drivingPrivileges])
        let elements = try await session().requestDocument(request).documentElements
        guard let age = elements.age, age >= 21, elements.ageAtLeastElements[21] == true else { return [] }
        return elements.drivingPrivileges?.map(\.vehicleCategoryCode) ?? []
    }

    func nameOnNationalIDCard() async throws -> String? {
        guard MobileNationalIDCardDataRequest.isSupportedRegion(.japan) else { return nil }
        let response = try await session().requestDocument(
            .nationalIDCardData(region: .japan, retaining: [], notRetaining: [.familyName, .portrait]))
        return response.documentElements.nameComponents?.familyName
    }
}

extension RentalDesk {
    func advice(after error: any Error) -> String {
        guard let error = error as? MobileDocumentReaderError else { return "Ask the shop for help." }
        switch error {
        case .cancelled: return "Nothing was read. Start again when the customer is ready."
        case .invalidToken, .sessionExpired: return "Sign in again."
        case .systemBusy: return "Wait for the other read to end."
        case .invalidRequest, .invalidResponse, .networkUnavailable, .notAllowed, .notSupported,
            .serviceUnavailable, .unknown:
            return error.localizedDescription
        }
    }
}
