/// The Handover Request message of a reader (ISO/IEC 18013-5, 8.2.2.1; Connection Handover 1.5).
package struct HandoverRequest: Equatable, Sendable {
    /// The carriers in the order of the `ac` records. Carriers without a record in the message are left out.
    package let carriers: [HandoverCarrier]
    /// The ReaderEngagement as received, a slice of the message; `nil` if the record is missing.
    package let readerEngagement: ArraySlice<UInt8>?

    /// Parses a message. Its records may have any order (Q27).
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> HandoverRequest {
        HandoverRequest(
            carriers: try HandoverRecord.parse(.handoverRequest, in: message).carriers,
            readerEngagement: try message.record(of: .readerEngagement)?.payload)
    }

    /// Returns the message that offers the carriers. Foreign and unreadable carriers are left out.
    package static func encode(
        readerEngagement: ArraySlice<UInt8>, carriers: [HandoverCarrier]
    ) -> [UInt8] {
        let request = HandoverRecord.record(.handoverRequest, for: carriers, auxiliary: [])
        let engagement = NDEFRecord(
            .readerEngagement, id: Array("mdocreader".utf8)[...], payload: readerEngagement)
        return NDEFMessage([request, engagement] + carriers.compactMap(\.record)).encode()
    }
}
