import BlueZBench
import PresentationStage
import Testing

extension AirStock {
    /// The first presentations connect to the bus, and have bluetoothd load what it needs.
    private static let firstCustomers = Task {
        for mode in AirPhone.Mode.allCases { try await Scene.expectNextCustomerServed(mode, after: "nobody") }
    }

    /// What there is while nobody presents.
    static func atRest() async throws -> AirStock {
        try await firstCustomers.value
        return try await now()
    }

    /// It is as it was, at the latest when bluetoothd has tidied up.
    func expectNothingMore(
        within limit: Duration = .seconds(10), _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let after = try await Self.settled(to: self, within: limit)
        #expect(after == self, sourceLocation: location)
    }
}
