package import NDEF

/// What the reader hardware can carry in one APDU (Q120, Q122).
package struct NFCReaderLimits: Equatable, Sendable {
    package let maximumCommandData: Int
    /// The longest response data field, in bytes; 255 for readers that fail on 256 (Q121).
    package let maximumResponseData: Int
    /// Whether extended APDUs pass.
    package let extendedLength: Bool

    /// Limits of a reader; without extended length never above 255 and 256.
    package init(maximumCommandData: Int, maximumResponseData: Int, extendedLength: Bool) {
        let ceiling = extendedLength ? (command: 65_535, response: 65_536) : (command: 255, response: 256)
        self.maximumCommandData = min(max(maximumCommandData, 1), ceiling.command)
        self.maximumResponseData = min(max(maximumResponseData, 1), ceiling.response)
        self.extendedLength = extendedLength
    }

    /// A reader that says nothing of itself: short APDUs (Q120).
    package static let short = Self(
        maximumCommandData: 255, maximumResponseData: 256, extendedLength: false)

    /// The limits as the NFC carrier record of a Handover Request announces them. A carrier of short APDUs is
    /// the least that ISO/IEC 18013-5, 8.3.3.1.2 lets a reader announce.
    package var carrier: NFCCarrier {
        NFCCarrier(
            maximumCommandData: max(maximumCommandData, 255),
            maximumResponseData: max(maximumResponseData, 256))
    }
}
