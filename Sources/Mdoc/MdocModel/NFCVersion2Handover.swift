internal import CBOR

/// The two messages of an NFC v2 handover (ISO/IEC 18013-5, draft of the second edition).
///
/// The session transcript contains both messages exactly as they were sent, so received bytes are never
/// encoded again.
package enum NFCVersion2Handover {
    /// The version of the draft that this reader implements. Log lines and reports show this letter.
    package static let dialect = "E"

    /// Returns the ApduCommandMaxSize in a response to SELECT, `{0: ApduCommandMaxSize}`, in bytes and at
    /// most 65536. Unknown keys are ignored. Nil if the phone has no NFC v2, because the response has another
    /// form or the size is 0.
    package static func commandLimit(_ answer: ArraySlice<UInt8>) -> Int? {
        guard let size = try? CBORItem.parse(answer).map()[0]?.unsigned(), size > 0 else { return nil }
        return min(Int(clamping: size), largestCommand)
    }

    /// The largest ApduCommandMaxSize, in bytes. If a phone announces more, this value is used.
    package static let largestCommand = 65_536

    /// Encodes the response to SELECT with this limit.
    package static func selectAnswer(limit: UInt64) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.unsigned(0)
            encoder.unsigned(limit)
        }
    }

    /// Encodes the handover request with these methods in their order: `{0: {2: [methods]}}`. The request
    /// contains no version.
    package static func request(offering methods: [NFCVersion2Method]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.unsigned(0)
            encoder.map(count: 1)
            encoder.unsigned(2)
            encoder.array(count: methods.count)
            for method in methods { method.encode(into: &encoder) }
        }
    }

    /// Returns the methods of a handover request.
    ///
    /// - Throws: an error if the request is malformed or offers no method.
    package static func methods(inRequest bytes: ArraySlice<UInt8>) throws(MdocModelError)
        -> [NFCVersion2Method]
    {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes)
            guard let engagement = try item.map()[0] else { throw .missingMember(at: item.offset) }
            let methods = try Self.methods(of: engagement)
            // An offer without a method is reported as a missing member.
            guard !methods.isEmpty else { throw .missingMember(at: engagement.offset) }
            return methods
        } catch {
            throw .malformed(.handoverRequest, error)
        }
    }

    /// Encodes the handover select that contains this encoded engagement: `{0: DeviceEngagement}`.
    package static func select(_ deviceEngagement: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.unsigned(0)
            encoder.encoded(deviceEngagement)
        }
    }

    /// Returns the engagement of a handover select, and the methods that the engagement names. The draft
    /// allows one method, but any number is returned here.
    package static func engagement(
        inSelect bytes: ArraySlice<UInt8>
    ) throws(MdocModelError) -> (engagement: DeviceEngagement, methods: [NFCVersion2Method]) {
        let (encoded, methods): (ArraySlice<UInt8>, [NFCVersion2Method])
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes)
            guard let engagement = try item.map()[0] else { throw .missingMember(at: item.offset) }
            (encoded, methods) = (engagement.encoded, try Self.methods(of: engagement))
        } catch {
            throw .malformed(.handoverSelect, error)
        }
        return (try DeviceEngagement(encoded), methods)
    }

    /// Encodes one entry of the list of methods in an engagement. The caller encodes the other parts of the
    /// engagement.
    package static func entry(_ method: NFCVersion2Method) -> [UInt8] {
        CBOREncoder.encode { encoder in method.encode(into: &encoder) }
    }

    /// Returns the methods under key 2 of the engagement, which may be from the reader or the mdoc. Empty if
    /// the key is absent.
    private static func methods(of engagement: CBORItem) throws(CBORError) -> [NFCVersion2Method] {
        var methods: [NFCVersion2Method] = []
        guard let entries = try engagement.map()[2] else { return [] }
        for entry in try entries.array() { methods.append(try NFCVersion2Method(entry)) }
        return methods
    }
}
