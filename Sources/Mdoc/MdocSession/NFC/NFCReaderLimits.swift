package import NDEF

/// The limits of the PC/SC reader for one APDU (Q120, Q122).
package struct NFCReaderLimits: Equatable, Sendable {
    package let maximumCommandData: Int
    /// The longest response data field, in bytes. It is 255 for readers that fail on 256 (Q121).
    package let maximumResponseData: Int
    /// Whether the reader passes extended APDUs on.
    package let extendedLength: Bool

    /// Creates limits. Without extended length they are at most 255 bytes of command data and 256 of response
    /// data.
    package init(maximumCommandData: Int, maximumResponseData: Int, extendedLength: Bool) {
        let ceiling = extendedLength ? (command: 65_535, response: 65_536) : (command: 255, response: 256)
        self.maximumCommandData = min(max(maximumCommandData, 1), ceiling.command)
        self.maximumResponseData = min(max(maximumResponseData, 1), ceiling.response)
        self.extendedLength = extendedLength
    }

    /// The limits of a reader that does not state its limits: short APDUs (Q120).
    package static let short = Self(
        maximumCommandData: 255, maximumResponseData: 256, extendedLength: false)

    /// The limits in the NFC carrier record of a Handover Request. A reader must not announce
    /// less than the limits of short APDUs (ISO/IEC 18013-5, 8.3.3.1.2).
    package var carrier: NFCCarrier {
        NFCCarrier(
            maximumCommandData: max(maximumCommandData, 255),
            maximumResponseData: max(maximumResponseData, 256))
    }
}
