internal import CBOR
internal import MdocVerification

/// The sign by which an answer is recognised as a mock: a test answer, which proves nothing.
///
/// A sign can only lower the trust in an answer, so forging a sign gains nothing. Most signs come from the
/// answer itself.
package enum MockSign: String, CaseIterable, Sendable {
    /// The request has the identifiers of Apple's published example.
    case publishedExample = "mock.published_example"
    /// The document names PassKit's test issuer, and this issuer did sign the document, as in Apple's
    /// published example.
    case testIssuer = "mock.test_issuer"
    /// The document names PassKit's test issuer, but this issuer did not sign the document. The answer comes
    /// from a real phone with Wallet's developer profile.
    case developerProfile = "mock.developer_profile"
    /// The document names PassKit's test issuer, and neither the issuer's nor the device's signature is
    /// valid. The answer comes from Apple's simulator.
    case simulator = "mock.simulator"
    /// The document is from an issuer that is trusted only for tests.
    case testTrust = "mock.test_trust"
}

extension DocumentReport {
    /// The sign of this document; `nil` unless its certificate or anchor names PassKit's test issuer.
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
    /// The sign in words, for messages to users.
    package var explanation: String {
        switch self {
        case .publishedExample: "the request has the identifiers of Apple's published example"
        case .testIssuer: "the document names PassKit's test issuer, which signed it"
        case .developerProfile: "the document comes from a phone with Wallet's developer profile"
        case .simulator: "the document comes from Apple's simulator"
        case .testTrust: "the document's issuer is trusted only for tests"
        }
    }
}
