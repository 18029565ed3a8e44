/// A service parameter record (`Tp`): a service that the tag offers, with its waiting times (NFC Forum TNEP
/// 1.0).
package struct ServiceParameter: Equatable, Sendable {
    /// The name `urn:nfc:sn:handover` of the service for negotiated handover.
    package static let handoverService = Array("urn:nfc:sn:handover".utf8)

    package let serviceName: ArraySlice<UInt8>
    /// WT_INT, the coded minimum waiting time; nominally 0…63.
    package let waitingTimeInteger: UInt8
    /// N_WAIT, the number of times that the tag may extend the waiting time; nominally 0…15.
    package let waitingTimeExtensions: UInt8
    /// The maximum length of an NDEF message that the service accepts, in bytes.
    package let maximumMessageSize: UInt16

    package init(
        serviceName: ArraySlice<UInt8> = handoverService[...], waitingTimeInteger: UInt8,
        waitingTimeExtensions: UInt8, maximumMessageSize: UInt16
    ) {
        self.serviceName = serviceName
        self.waitingTimeInteger = waitingTimeInteger
        self.waitingTimeExtensions = waitingTimeExtensions
        self.maximumMessageSize = maximumMessageSize
    }

    private static let version: UInt8 = 0x10

    /// Parses the payload of a `Tp` record of any version 1.x.
    package static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> ServiceParameter {
        var rest = payload
        guard let version = rest.popFirst(), let nameLength = rest.popFirst() else { throw .malformedPayload }
        guard version >> 4 == Self.version >> 4 else { throw .unsupportedVersion(version) }
        guard rest.count == Int(nameLength) + 5 else { throw .malformedPayload }
        let name = rest.prefix(Int(nameLength))
        let numbers = Array(rest.dropFirst(Int(nameLength)))
        // The first byte after the name is the communication mode, which is not used.
        return ServiceParameter(
            serviceName: name, waitingTimeInteger: numbers[1], waitingTimeExtensions: numbers[2],
            maximumMessageSize: UInt16(numbers[3]) << 8 | UInt16(numbers[4]))
    }

    /// Returns the handover service among the `Tp` records of a message; `nil` if it is not offered (Q40).
    ///
    /// - Throws: the error of a record that cannot be parsed, but only if no other record is the handover
    ///   service.
    package static func handover(in message: NDEFMessage) throws(NDEFError) -> ServiceParameter? {
        var failure: NDEFError?
        for record in message.records where record.isOf(.serviceParameter) {
            do throws(NDEFError) {
                let parameter = try parse(record.payload)
                if parameter.serviceName.elementsEqual(handoverService) { return parameter }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Returns the `Tp` record with communication mode 00.
    package func record() -> NDEFRecord {
        let sizes = [UInt8(maximumMessageSize >> 8), UInt8(maximumMessageSize & 0xff)]
        let payload =
            [Self.version, UInt8(serviceName.count)] + serviceName
            + [0x00, waitingTimeInteger, waitingTimeExtensions] + sizes
        return NDEFRecord(.serviceParameter, payload: payload[...])
    }

    /// The waiting time T_wait = 2^(WT_INT/4 − 1) ms, at least 1 ms and at most 1000 ms. The exponent is not
    /// rounded (Q16, Q17).
    package var waitingTime: Duration {
        // 2^(0/4), 2^(1/4), 2^(2/4) and 2^(3/4) ms in nanoseconds. Whole powers of 2 are applied by shifting,
        // and the −1 in the exponent by dividing by 2. In Swift `<<` binds tighter than `/`.
        let quarters = [1_000_000, 1_189_207, 1_414_214, 1_681_793]
        let nanoseconds = quarters[Int(waitingTimeInteger) % 4] << (Int(min(waitingTimeInteger, 63)) / 4) / 2
        return min(max(.nanoseconds(nanoseconds), .milliseconds(1)), .milliseconds(1000))
    }
}

/// The service select record (`Ts`): the service that the reader selects (NFC Forum TNEP 1.0).
package enum ServiceSelect {
    /// Returns the complete message that selects a service, whose name has at most 255 bytes.
    package static func encode(_ serviceName: [UInt8] = ServiceParameter.handoverService) -> [UInt8] {
        let payload = [UInt8(serviceName.count)] + serviceName
        return NDEFMessage([NDEFRecord(.serviceSelect, payload: payload[...])]).encode()
    }

    /// Returns the name of the service in the `Ts` record of a message.
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> ArraySlice<UInt8> {
        guard let payload = try message.record(of: .serviceSelect)?.payload else { throw .recordMissing }
        guard let length = payload.first, payload.count == Int(length) + 1 else { throw .malformedPayload }
        return payload.dropFirst()
    }
}

/// The TNEP status record (`Te`): the tag's status after a message of the reader (NFC Forum TNEP 1.0).
package struct StatusRecord: RawRepresentable, Hashable, Sendable {
    /// The status byte. The values 80…fe (hexadecimal) are defined by the service.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = Self(rawValue: 0x00)
    package static let protocolError = Self(rawValue: 0x01)

    /// Returns the status in the `Te` record of a message; `nil` if the message has no such record.
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> StatusRecord? {
        guard let payload = try message.record(of: .status)?.payload else { return nil }
        guard payload.count == 1, let status = payload.first else { throw .malformedPayload }
        return StatusRecord(rawValue: status)
    }

    /// Returns the complete message with this record.
    package func encode() -> [UInt8] {
        NDEFMessage([NDEFRecord(.status, payload: [rawValue])]).encode()
    }
}
