package import CBOR
package import COSE

/// How the engagement came (ISO/IEC 18013-5 9.1.5.1): the transcript's third element.
package enum Handover: Equatable, Sendable {
    case qr
    /// The complete NDEF messages as exchanged; `request` is nil for static handover.
    case nfc(select: [UInt8], request: [UInt8]?)
    /// The complete CBOR messages of an NFC v2 handover (draft of the second edition), without data object header.
    case nfcVersion2(select: [UInt8], request: [UInt8])

    /// Whether each message of the session bears a sequence number: in sessions of an NFC v2 handover, and only there.
    package var numbersMessages: Bool {
        if case .nfcVersion2 = self { true } else { false }
    }
}

/// SessionTranscript (ISO/IEC 18013-5 9.1.5.1), made of what was sent and received, byte for byte.
package struct SessionTranscript: Sendable {
    /// The bare array.
    package let encoded: ArraySlice<UInt8>
    /// Nil, like the engagement, where a presentation began without one: in an app or on the web.
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

    /// The transcript of a presentation without engagement: of the one item that `writeHandover` writes.
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

    /// A transcript that was stored, as the bare array.
    package init(
        stored bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        encoded = bytes
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            var fields = try item.array().makeIterator()
            guard let engagement = fields.next(), let key = fields.next(), fields.next() != nil,
                fields.next() == nil
            else { throw .missingMember(at: item.offset) }
            let areAbsent = engagement.isNullOrUndefined && key.isNullOrUndefined
            deviceEngagementBytes = areAbsent ? nil : try EncodedCBOR(engagement)
            eReaderKeyBytes = areAbsent ? nil : try EncodedCBOR(key)
        } catch {
            throw .malformed(.sessionTranscript, error)
        }
    }

    /// SessionTranscriptBytes, in the parts that are hashed one after the other.
    package var bytesParts: [ArraySlice<UInt8>] {
        [EncodedCBOR<SessionTranscript>.head(contentCount: encoded.count)[...], encoded]
    }
}

extension SessionTranscript: RedactedDescription {}
