internal import CBOR

/// The messages of an NFC v2 handover (ISO/IEC 18013-5, draft of the second edition). Both go into the session
/// transcript as they were sent, so bytes that came are never encoded again.
package enum NFCVersion2Handover {
    /// The state of the draft that this reader speaks. Log lines and reports name it.
    package static let dialect = "E"

    /// The answer to SELECT: `{0: ApduCommandMaxSize}` in bytes. Nil if it is not that, or is 0: no NFC v2. A larger
    /// size is taken as 65536, and unknown keys are ignored.
    package static func commandLimit(_ answer: ArraySlice<UInt8>) -> Int? {
        guard let size = try? CBORItem.parse(answer).map()[0]?.unsigned(), size > 0 else { return nil }
        return min(Int(clamping: size), largestCommand)
    }

    /// The largest ApduCommandMaxSize, in bytes.
    package static let largestCommand = 65_536

    /// The answer to SELECT that says this limit.
    package static func selectAnswer(limit: UInt64) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.unsigned(0)
            encoder.unsigned(limit)
        }
    }

    /// `{0: {2: [methods]}}`: the handover request with these methods in their order. No version is sent.
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

    /// The methods of a handover request. Throws if it is malformed, or offers none.
    package static func methods(inRequest bytes: ArraySlice<UInt8>) throws(MdocModelError)
        -> [NFCVersion2Method]
    {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes)
            guard let engagement = try item.map()[0] else { throw .missingMember(at: item.offset) }
            let methods = try Self.methods(of: engagement)
            guard !methods.isEmpty else { throw .missingMember(at: engagement.offset) }
            return methods
        } catch {
            throw .malformed(.handoverRequest, error)
        }
    }

    /// `{0: DeviceEngagement}`: the handover select of this engagement, an encoded map.
    package static func select(_ deviceEngagement: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.unsigned(0)
            encoder.encoded(deviceEngagement)
        }
    }

    /// The engagement of a handover select, and the methods that it names: one, if it keeps to the draft.
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

    /// One entry of the methods, for an engagement that is put together elsewhere.
    package static func entry(_ method: NFCVersion2Method) -> [UInt8] {
        CBOREncoder.encode { encoder in method.encode(into: &encoder) }
    }

    /// Key 2 of an engagement of either side; none where it is absent.
    private static func methods(of engagement: CBORItem) throws(CBORError) -> [NFCVersion2Method] {
        var methods: [NFCVersion2Method] = []
        guard let entries = try engagement.map()[2] else { return [] }
        for entry in try entries.array() { methods.append(try NFCVersion2Method(entry)) }
        return methods
    }
}
