/// An alternative carrier record (`ac`): a reference to the record of a carrier (NFC Forum Connection
/// Handover 1.5).
package struct AlternativeCarrier: Equatable, Sendable {
    /// The power state of the carrier: 0 inactive, 1 active, 2 activating, 3 unknown.
    package let powerState: UInt8
    /// The id of the carrier's record. The sender may choose any id (Q28).
    package let reference: ArraySlice<UInt8>
    /// The ids of auxiliary records, such as "mdoc" for the device engagement.
    package let auxiliaryReferences: [ArraySlice<UInt8>]

    package init(
        powerState: UInt8 = 1, reference: ArraySlice<UInt8>, auxiliaryReferences: [ArraySlice<UInt8>] = []
    ) {
        self.powerState = powerState
        self.reference = reference
        self.auxiliaryReferences = auxiliaryReferences
    }

    /// Parses the payload of an `ac` record. Bytes after the last reference are reserved and ignored.
    static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> AlternativeCarrier {
        var rest = payload
        guard let state = rest.popFirst() else { throw .malformedPayload }
        let reference = try readReference(from: &rest)
        guard let count = rest.popFirst() else { throw .malformedPayload }
        var auxiliaries: [ArraySlice<UInt8>] = []
        for _ in 0..<count { auxiliaries.append(try readReference(from: &rest)) }
        // The power state has two bits. The other bits of its byte are reserved.
        return AlternativeCarrier(
            powerState: state & 0x03, reference: reference, auxiliaryReferences: auxiliaries)
    }

    /// Reads an id after a byte with its length. An id is never empty.
    private static func readReference(
        from rest: inout ArraySlice<UInt8>
    ) throws(NDEFError) -> ArraySlice<UInt8> {
        guard let length = rest.popFirst(), length > 0, length <= rest.count else { throw .malformedPayload }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }

    /// Returns the `ac` record. Each reference has at most 255 bytes.
    func record() -> NDEFRecord {
        var payload = [powerState, UInt8(reference.count)] + reference + [UInt8(auxiliaryReferences.count)]
        for auxiliary in auxiliaryReferences {
            payload += [UInt8(auxiliary.count)] + auxiliary
        }
        return NDEFRecord(.alternativeCarrier, payload: payload[...])
    }
}
