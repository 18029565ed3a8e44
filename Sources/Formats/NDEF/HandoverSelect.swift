/// The Handover Select message of a phone (ISO/IEC 18013-5, 8.2.2.1; Connection Handover 1.5).
package struct HandoverSelect: Equatable, Sendable {
    /// The carriers in the order of the `ac` records. Carriers without a record in the message are left out.
    package let carriers: [HandoverCarrier]
    /// The DeviceEngagement as received, a slice of the message; `nil` if the record is missing.
    package let deviceEngagement: ArraySlice<UInt8>?

    /// Parses a message. Its records may have any order (Q27).
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> HandoverSelect {
        HandoverSelect(
            carriers: try HandoverRecord.parse(.handoverSelect, in: message).carriers,
            deviceEngagement: try message.record(of: .deviceEngagement)?.payload)
    }

    /// The order of the records after the Handover Select record (Q27).
    package enum Order: Sendable {
        case engagementFirst, carriersFirst
    }

    /// Returns the message for the carriers. Foreign and unreadable carriers are left out.
    package static func encode(
        deviceEngagement: ArraySlice<UInt8>, carriers: [HandoverCarrier], order: Order = .engagementFirst
    ) -> [UInt8] {
        let identifier = Array("mdoc".utf8)[...]
        let select = HandoverRecord.record(.handoverSelect, for: carriers, auxiliary: [identifier])
        let engagement = [NDEFRecord(.deviceEngagement, id: identifier, payload: deviceEngagement)]
        let records = carriers.compactMap(\.record)
        let body = order == .engagementFirst ? engagement + records : records + engagement
        return NDEFMessage([select] + body).encode()
    }
}
