import BlueZBench
import MdocWallet
import NDEF
import PresentationStage
import Testing

extension Scene {
    /// Made once: issuing a licence takes longer than presenting it. Each presentation has an engagement of its own.
    private static let centralClient = Swift.Result { try onAir(.qr, .centralOnly) }
    private static let peripheralServer = Swift.Result { try onAir(.qr, .peripheralOnly) }

    /// A customer with a phone in order comes to the bench's reader, and is served.
    static func expectNextCustomerServed(
        _ mode: AirPhone.Mode = .central, after what: String,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await (mode == .central ? centralClient : peripheralServer).get().present(mode)
        #expect(
            result.summary == "verified", "the next customer after \(what): \(result.phone.lines)",
            sourceLocation: location)
    }
}
