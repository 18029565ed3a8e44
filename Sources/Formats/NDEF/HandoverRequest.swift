/// ISO/IEC 18013-5, 8.2.2.1 and Connection Handover 1.5: the Handover Request message of a reader.
package struct HandoverRequest: Equatable, Sendable {
    /// The carriers in the order of the `ac` records, without dangling ones.
    package let carriers: [HandoverCarrier]
    /// The ReaderEngagement as it came, a slice of the message; nil when the record is missing.
    package let readerEngagement: ArraySlice<UInt8>?

    /// Reads the message whatever the order of its records (Q27).
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> HandoverRequest {
        HandoverRequest(
            carriers: try HandoverRecord.parse(.handoverRequest, in: message).carriers,
            readerEngagement: try message.record(of: .readerEngagement)?.payload)
    }

    /// The message that offers these carriers; those that cannot be written are left out.
    package static func encode(
        readerEngagement: ArraySlice<UInt8>, carriers: [HandoverCarrier]
    ) -> [UInt8] {
        let request = HandoverRecord.record(.handoverRequest, for: carriers, auxiliary: [])
        let engagement = NDEFRecord(
            .readerEngagement, id: Array("mdocreader".utf8)[...], payload: readerEngagement)
        return NDEFMessage([request, engagement] + carriers.compactMap(\.record)).encode()
    }
}
