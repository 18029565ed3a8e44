package import CBOR
package import COSE

/// The third element of the session transcript (ISO/IEC 18013-5 9.1.5.1): the way in which the engagement
/// reached the reader.
package enum Handover: Equatable, Sendable {
    case qr
    /// The complete NDEF messages, exactly as exchanged. `request` is nil for a static handover.
    case nfc(select: [UInt8], request: [UInt8]?)
    /// The complete CBOR messages of an NFC v2 handover (draft of the second edition), without the data
    /// object '53' that contained each message.
    case nfcVersion2(select: [UInt8], request: [UInt8])

    /// Whether each message of the session has a sequence number. Only sessions of an NFC v2 handover have
    /// such numbers.
    package var numbersMessages: Bool {
        if case .nfcVersion2 = self { true } else { false }
    }
}

/// A SessionTranscript (ISO/IEC 18013-5 9.1.5.1). It consists of the bytes that were sent and received, which
/// are never encoded again.
package struct SessionTranscript: Sendable {
    /// The encoded array, without tag 24.
    package let encoded: ArraySlice<UInt8>
    /// The reader's ephemeral public key, encoded exactly as it was sent. Nil for a presentation in an app or
    /// on the web, which has no engagement.
    package let eReaderKeyBytes: EncodedCBOR<COSEKey>?
    package let deviceEngagementBytes: EncodedCBOR<DeviceEngagement>?

    package init(
        deviceEngagement: some Sequence<UInt8>, eReaderKey: EncodedCBOR<COSEKey>, handover: Handover
    ) {
        let engagement = EncodedCBOR<DeviceEngagement>(embedding: Array(deviceEngagement))
        deviceEngagementBytes = engagement
        eReaderKeyBytes = eReaderKey
        encoded =
            CBOREncoder.encode { encoder in
                encoder.array(count: 3)
                encoder.encoded(engagement.bytes)
                encoder.encoded(eReaderKey.bytes)
                switch handover {
                case .qr: encoder.null()
                case .nfc(let select, let request):
                    encoder.array(count: 2)
                    encoder.byteString(select)
                    if let request { encoder.byteString(request) } else { encoder.null() }
                case .nfcVersion2(let select, let request):
                    encoder.array(count: 2)
                    encoder.byteString(select)
                    encoder.byteString(request)
                }
            }[...]
    }

    /// Creates the transcript of a presentation without engagement. `writeHandover` has to encode exactly one
    /// item, the handover.
    package init(withoutEngagement writeHandover: (inout CBOREncoder) -> Void) {
        deviceEngagementBytes = nil
        eReaderKeyBytes = nil
        encoded =
            CBOREncoder.encode { encoder in
                encoder.array(count: 3)
                encoder.null()
                encoder.null()
                writeHandover(&encoder)
            }[...]
    }

    /// Parses a stored transcript, an array without tag 24.
    package init(
        stored bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        encoded = bytes
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            var fields = try item.array().makeIterator()
            // The array must have exactly three entries. The third entry is the handover.
            guard let engagement = fields.next(), let key = fields.next(), fields.next() != nil,
                fields.next() == nil
            else { throw .missingMember(at: item.offset) }
            // In a presentation without engagement, both the engagement and the key are null.
            let areAbsent = engagement.isNullOrUndefined && key.isNullOrUndefined
            deviceEngagementBytes = areAbsent ? nil : try EncodedCBOR(engagement)
            eReaderKeyBytes = areAbsent ? nil : try EncodedCBOR(key)
        } catch {
            throw .malformed(.sessionTranscript, error)
        }
    }

    /// The SessionTranscriptBytes as parts, which are hashed one after the other.
    package var bytesParts: [ArraySlice<UInt8>] {
        [EncodedCBOR<SessionTranscript>.head(contentCount: encoded.count)[...], encoded]
    }
}

extension SessionTranscript: RedactedDescription {}
