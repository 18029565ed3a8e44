package import CBOR
package import COSE
internal import ErrorMapping

/// A SessionEstablishment message (ISO/IEC 18013-5 9.1.1.4): the reader's ephemeral key and its first
/// encrypted request.
package struct SessionEstablishment: Sendable {
    package let eReaderKeyBytes: EncodedCBOR<COSEKey>
    package let data: ArraySlice<UInt8>
    /// The sequence number of the message. Nil if the session's messages have no numbers, or if this message
    /// lacks its number.
    package let sequence: UInt64?

    /// Parses the message.
    ///
    /// - Parameter numbered: whether the messages of the session have numbers. Otherwise the member `seq` is
    ///   ignored, as any unknown member is.
    package init(
        _ bytes: ArraySlice<UInt8>, numbered: Bool = false, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            eReaderKeyBytes = try EncodedCBOR(map.required("eReaderKey", in: item))
            data = try map.required("data", in: item).byteString()
            sequence = numbered ? try map.optional("seq")?.unsigned() : nil
        } catch {
            throw .malformed(.sessionEstablishment, error)
        }
    }

    /// Encodes the message for encrypted `data`.
    package static func encode(
        eReaderKey: EncodedCBOR<COSEKey>, data: [UInt8], sequence: UInt64? = nil
    ) -> [UInt8] {
        // 48 bytes are enough for the names of the members, their heads and the number.
        var encoder = CBOREncoder(reservingCapacity: eReaderKey.bytes.count + data.count + 48)
        encoder.map(count: sequence == nil ? 2 : 3)
        encoder.text("eReaderKey")
        encoder.encoded(eReaderKey.bytes)
        encoder.text("data")
        encoder.byteString(data)
        encoder.sequence(sequence)
        return encoder.bytes
    }
}

/// The status with which a session ends (ISO/IEC 18013-5 9.1.1.4, Table 20).
package struct SessionStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let encryptionError = SessionStatus(rawValue: 10)
    package static let decodingError = SessionStatus(rawValue: 11)
    package static let termination = SessionStatus(rawValue: 20)
}

/// A SessionData message (ISO/IEC 18013-5 9.1.1.4): encrypted data, a status that ends the session, or both.
package struct SessionData: Sendable {
    package let data: ArraySlice<UInt8>?
    package let status: SessionStatus?
    /// The sequence number of the message. Nil if the session's messages have no numbers, or if this message
    /// lacks its number.
    package let sequence: UInt64?

    /// Parses the message.
    ///
    /// - Parameter numbered: whether the messages of the session have numbers. Otherwise the member `seq` is
    ///   ignored, as any unknown member is.
    package init(
        _ bytes: ArraySlice<UInt8>, numbered: Bool = false, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            data = try map.optional("data")?.byteString()
            let status = try map.optional("status")?.unsigned()
            self.status = status.map(SessionStatus.init)
            guard data != nil || status != nil else { throw .missingMember(at: item.offset) }
            sequence = numbered ? try map.optional("seq")?.unsigned() : nil
        } catch {
            throw .malformed(.sessionData, error)
        }
    }

    /// Encodes the message for encrypted `data` and a status.
    package static func encode(
        data: [UInt8]?, status: SessionStatus?, sequence: UInt64? = nil
    ) -> [UInt8] {
        // 48 bytes are enough for the names of the members, their heads, the status and the number.
        var encoder = CBOREncoder(reservingCapacity: (data?.count ?? 0) + 48)
        encoder.map(count: [data == nil, status == nil, sequence == nil].count { !$0 })
        if let data {
            encoder.text("data")
            encoder.byteString(data)
        }
        if let status {
            encoder.text("status")
            encoder.unsigned(status.rawValue)
        }
        encoder.sequence(sequence)
        return encoder.bytes
    }
}

extension SessionData {
    /// The part of a message that its receiver has to handle.
    package enum Content: Sendable {
        /// Encrypted data. If `isLast` is true, the message also ends the session.
        case data(ArraySlice<UInt8>, isLast: Bool)
        /// The end of the session, without data or with data that is not decrypted.
        case end(SessionStatus)
    }

    /// The data, or the end of the session.
    ///
    /// Data is used if there is no status, or if the status is termination (20). Any other status reports an
    /// error, even a status that no standard defines. Data beside an error is not used (Q235).
    package var content: Content {
        switch (data, status) {
        case (let data?, nil): .data(data, isLast: false)
        case (let data?, .some(.termination)): .data(data, isLast: true)
        // A message without data has a status, as `init` requires, so the default is never used.
        case (_, let status): .end(status ?? .termination)
        }
    }
}

extension CBOREncoder {
    /// Encodes the member `seq`, the last member of a session message (draft of the second edition).
    fileprivate mutating func sequence(_ number: UInt64?) {
        guard let number else { return }
        text("seq")
        unsigned(number)
    }
}

extension SessionEstablishment: RedactedDescription {}
extension SessionData: RedactedDescription {}

extension SessionEstablishment {
    package func eReaderKey(limits: CBORLimits = .standard) throws(MdocModelError) -> COSEKey {
        let item = try mapping(
            eReaderKeyBytes.item(limits: limits), MdocStructure.sessionEstablishment.malformed)
        return try mapping(COSEKey(item), MdocStructure.sessionEstablishment.cose)
    }
}
