/// The common part of Handover Select and Handover Request: a version, and an embedded message of `ac`
/// records that refer to the carriers' records (NFC Forum Connection Handover 1.5).
struct HandoverRecord {
    /// The version that is written: major version in the high four bits, minor version in the low four bits.
    static let version: UInt8 = 0x15

    let version: UInt8
    let carriers: [HandoverCarrier]

    /// Parses the record of `type` in `message` and finds its carriers in the order of the `ac` records. An
    /// `ac` record whose reference matches no record of the message is skipped (Q28). Other embedded records
    /// (`cr`, `err`) are ignored.
    static func parse(_ type: NDEFRecordType, in message: NDEFMessage) throws(NDEFError) -> HandoverRecord {
        guard let record = try message.record(of: type) else { throw .recordMissing }
        guard let version = record.payload.first else { throw .malformedPayload }
        // Only the major version must be equal; every minor version is accepted.
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

    /// Returns the handover record of `type` for `carriers`.
    ///
    /// - Parameter auxiliary: the ids of auxiliary records to which each `ac` record refers.
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
