package import CBOR
package import COSE

/// SessionEstablishment (ISO/IEC 18013-5 9.1.1.4): the reader's ephemeral key and its first encrypted request.
package struct SessionEstablishment: Sendable {
    package let eReaderKeyBytes: EncodedCBOR<COSEKey>
    package let data: ArraySlice<UInt8>

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        (eReaderKeyBytes, data) = try MdocModelError.mapping(in: .sessionEstablishment) {
            () throws(CBORError) in
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            return (
                try EncodedCBOR(map.required("eReaderKey", in: item)),
                try map.required("data", in: item).byteString()
            )
        }
    }

    /// The message for `data`, which is encrypted already.
    package static func encode(eReaderKey: EncodedCBOR<COSEKey>, data: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder(reservingCapacity: eReaderKey.bytes.count + data.count + 32)
        encoder.map(count: 2)
        encoder.text("eReaderKey")
        encoder.encoded(eReaderKey.bytes)
        encoder.text("data")
        encoder.byteString(data)
        return encoder.bytes
    }
}

/// Why a session ends (ISO/IEC 18013-5 9.1.1.4, Table 20).
package struct SessionStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let encryptionError = SessionStatus(rawValue: 10)
    package static let decodingError = SessionStatus(rawValue: 11)
    package static let termination = SessionStatus(rawValue: 20)
}

/// SessionData (ISO/IEC 18013-5 9.1.1.4): encrypted data, a status that ends the session, or both.
package struct SessionData: Sendable {
    package let data: ArraySlice<UInt8>?
    package let status: SessionStatus?

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        (data, status) = try MdocModelError.mapping(in: .sessionData) { () throws(CBORError) in
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            let data = try map.optional("data")?.byteString()
            let status = try map.optional("status")?.unsigned()
            guard data != nil || status != nil else { throw .missingMember(at: item.offset) }
            return (data, status.map(SessionStatus.init))
        }
    }

    /// The message for `data`, which is encrypted already, and a status.
    package static func encode(data: [UInt8]?, status: SessionStatus?) -> [UInt8] {
        var encoder = CBOREncoder(reservingCapacity: (data?.count ?? 0) + 32)
        encoder.map(count: (data == nil ? 0 : 1) + (status == nil ? 0 : 1))
        if let data {
            encoder.text("data")
            encoder.byteString(data)
        }
        if let status {
            encoder.text("status")
            encoder.unsigned(status.rawValue)
        }
        return encoder.bytes
    }
}

extension SessionEstablishment: RedactedDescription {}
extension SessionData: RedactedDescription {}

extension SessionEstablishment {
    package func eReaderKey(limits: CBORLimits = .standard) throws(MdocModelError) -> COSEKey {
        let item = try MdocModelError.mapping(in: .sessionEstablishment) { () throws(CBORError) in
            try eReaderKeyBytes.item(limits: limits)
        }
        return try MdocModelError.mapping(in: .sessionEstablishment) { () throws(COSEError) in
            try COSEKey(item)
        }
    }
}
