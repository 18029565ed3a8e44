/// NFC Forum Connection Handover 1.5: what Handover Select and Handover Request have in common, a version and
/// an embedded message of `ac` records that refer to the carriers' records.
struct HandoverRecord {
    /// Major version in the high half, minor in the low half.
    static let version: UInt8 = 0x15

    let version: UInt8
    let carriers: [HandoverCarrier]

    /// Finds the record of `type` in `message` and resolves its carriers, in the order of the `ac` records. A
    /// dangling reference skips that carrier (Q28); other embedded records (`cr`, `err`) are ignored.
    static func parse(_ type: NDEFRecordType, in message: NDEFMessage) throws(NDEFError) -> HandoverRecord {
        guard let record = try message.record(of: type) else { throw .recordMissing }
        guard let version = record.payload.first else { throw .malformedPayload }
        guard version >> 4 == Self.version >> 4 else { throw .unsupportedVersion(version) }
        let embedded = record.payload.dropFirst()
        guard !embedded.isEmpty else { return HandoverRecord(version: version, carriers: []) }
        var carriers: [HandoverCarrier] = []
        for entry in try NDEFMessage.parse(embedded).records where entry.isOf(.alternativeCarrier) {
            let reference = try AlternativeCarrier.parse(entry.payload).reference
            if let carrier = message.record(id: reference) { carriers.append(.parse(carrier)) }
        }
        return HandoverRecord(version: version, carriers: carriers)
    }

    /// The handover record of `type` for `carriers`; each `ac` record refers to `auxiliary` where given.
    static func record(
        _ type: NDEFRecordType, for carriers: [HandoverCarrier], auxiliary: [ArraySlice<UInt8>]
    ) -> NDEFRecord {
        let entries = carriers.compactMap { carrier in
            carrier.reference.map {
                AlternativeCarrier(reference: $0[...], auxiliaryReferences: auxiliary).record()
            }
        }
        return NDEFRecord(type, payload: ([version] + NDEFMessage(entries).encode())[...])
    }
}
