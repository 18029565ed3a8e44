internal import CBOR
internal import MdocVerification

/// By what an answer is known as a mock. It is known by what it says of itself: that makes nothing more believed.
package enum MockSign: String, CaseIterable, Sendable {
    /// Asked with the identifiers of the published example.
    case publishedExample = "mock.published_example"
    /// A document of the test issuer, signed by it: the published example.
    case testIssuer = "mock.test_issuer"
    /// A document in the test issuer's name that it did not sign, on a real phone: Wallet's developer profile.
    case developerProfile = "mock.developer_profile"
    /// A document in the test issuer's name with no true signature at all: the simulator.
    case simulator = "mock.simulator"
    /// A document of an issuer that is trusted for tests alone.
    case testTrust = "mock.test_trust"
}

extension DocumentReport {
    /// Nil unless certificate or anchor name PassKit's test issuer.
    var mockSign: MockSign? {
        guard issuer?.isTestIssuer == true else { return nil }
        if hasPassed(.issuerSignature) { return .testIssuer }
        return hasPassed(.deviceAuthentication) ? .developerProfile : .simulator
    }

    private func hasPassed(_ id: CheckID) -> Bool {
        checks.contains { $0.id == id && $0.outcome == .passed }
    }
}

extension DocumentIssuer {
    /// The subject key identifier of "PassKit Identity Test Issuer Root CA", as published.
    private static let testRootKeyIdentifier: [UInt8] = [
        0xb4, 0x42, 0xd0, 0xdd, 0x60, 0x95, 0xb8, 0xe5, 0x42, 0x96, 0xcc, 0x1c, 0xa8, 0xee, 0x23, 0x9d, 0x8e,
        0x71, 0x87, 0x7c,
    ]

    fileprivate var isTestIssuer: Bool {
        [issuerKeyIdentifier, anchorKeyIdentifier].contains {
            $0?.elementsEqual(Self.testRootKeyIdentifier) == true
        }
            || [dsCommonName, issuerCommonName].contains { $0?.hasPrefix("PassKit Identity Test") == true }
    }
}

extension MockSign {
    /// By what it is known, in plain words.
    package var explanation: String {
        switch self {
        case .publishedExample: "the request has the identifiers of a published example"
        case .testIssuer: "a document of the test issuer of PassKit"
        case .developerProfile: "a phone with Wallet's developer profile"
        case .simulator: "a document of the simulator"
        case .testTrust: "a document of an issuer that is trusted for tests alone"
        }
    }
}
