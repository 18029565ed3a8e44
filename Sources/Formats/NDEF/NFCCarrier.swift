/// The record of NFC as the carrier of the data transfer, with the sender's APDU limits (ISO/IEC 18013-5,
/// 8.2.2.2).
package struct NFCCarrier: Equatable, Sendable {
    /// The maximum number of data bytes in a command.
    package let maximumCommandData: Int
    /// The maximum number of data bytes in a response.
    package let maximumResponseData: Int

    /// Creates a carrier. The defaults are the limits of short APDUs, which apply if a record has no lengths.
    /// The limit for commands is clamped to 1…65535, the limit for responses to 1…65536.
    package init(maximumCommandData: Int = 255, maximumResponseData: Int = 256) {
        self.maximumCommandData = min(max(maximumCommandData, 1), 65_535)
        self.maximumResponseData = min(max(maximumResponseData, 1), 65_536)
    }

    private static let version: UInt8 = 0x01

    /// Parses the payload. Three forms are accepted (Q36):
    ///
    /// - the version `01` alone,
    /// - `01` and two values, each after a byte with its length,
    /// - `01 01ff 02ffff`: `01` and two values without lengths, which one reader sends.
    package static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> NFCCarrier {
        guard let version = payload.first else { throw .malformedPayload }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        let body = payload.dropFirst()
        if body.isEmpty { return NFCCarrier() }
        if let carrier = prefixed(body) ?? bare(body) { return carrier }
        throw .malformedPayload
    }

    /// Parses two values, each after a byte with its length; `nil` for another form.
    private static func prefixed(_ body: ArraySlice<UInt8>) -> NFCCarrier? {
        var values: [UInt8: Int] = [:]
        var rest = body
        while let length = rest.popFirst() {
            let field = rest.prefix(Int(length))
            // The length includes the type byte, so the value itself has one to three bytes.
            guard (2...4).contains(length), field.count == length, let type = field.first else { return nil }
            values[type] = field.dropFirst().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(field.count)
        }
        guard let command = values[1], let response = values[2], command > 0, response > 0 else { return nil }
        return NFCCarrier(maximumCommandData: command, maximumResponseData: response)
    }

    /// Parses two values without lengths; `nil` for another form.
    private static func bare(_ body: ArraySlice<UInt8>) -> NFCCarrier? {
        let octets = Array(body)
        guard octets.count == 5, octets[0] == 1, octets[2] == 2 else { return nil }
        let response = Int(octets[3]) << 8 | Int(octets[4])
        guard octets[1] > 0, response > 0 else { return nil }
        return NFCCarrier(maximumCommandData: Int(octets[1]), maximumResponseData: response)
    }

    /// Returns the payload with the version and both values (Q36).
    package func encode() -> [UInt8] {
        [Self.version] + Self.field(1, maximumCommandData) + Self.field(2, maximumResponseData)
    }

    private static func field(_ type: UInt8, _ value: Int) -> [UInt8] {
        let octets = [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }.drop { $0 == 0 }
        return [UInt8(octets.count + 1), type] + octets
    }
}
