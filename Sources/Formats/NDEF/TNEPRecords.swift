/// NFC Forum TNEP 1.0, service parameter record: a service the tag offers and how slow it may be.
package struct ServiceParameter: Equatable, Sendable {
    /// `urn:nfc:sn:handover`, the service of negotiated handover.
    package static let handoverService = Array("urn:nfc:sn:handover".utf8)

    package let serviceName: ArraySlice<UInt8>
    /// WT_INT, nominally 0…63.
    package let waitingTimeInteger: UInt8
    /// N_WAIT, nominally 0…15: how often the tag may ask for one more waiting time.
    package let waitingTimeExtensions: UInt8
    /// The longest NDEF message the service takes, in bytes.
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

    /// Reads the payload of a `Tp` record of any TNEP 1.x version.
    package static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> ServiceParameter {
        var rest = payload
        guard let version = rest.popFirst(), let nameLength = rest.popFirst() else { throw .malformedPayload }
        guard version >> 4 == Self.version >> 4 else { throw .unsupportedVersion(version) }
        guard rest.count == Int(nameLength) + 5 else { throw .malformedPayload }
        let name = rest.prefix(Int(nameLength))
        let numbers = Array(rest.dropFirst(Int(nameLength)))
        return ServiceParameter(
            serviceName: name, waitingTimeInteger: numbers[1], waitingTimeExtensions: numbers[2],
            maximumMessageSize: UInt16(numbers[3]) << 8 | UInt16(numbers[4]))
    }

    /// The handover service among the `Tp` records of a message (Q40), or nil when none offers it. A record
    /// that cannot be read counts only when no other one is the handover service.
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

    /// The `Tp` record, communication mode 00.
    package func record() -> NDEFRecord {
        let sizes = [UInt8(maximumMessageSize >> 8), UInt8(maximumMessageSize & 0xff)]
        let payload =
            [Self.version, UInt8(serviceName.count)] + serviceName
            + [0x00, waitingTimeInteger, waitingTimeExtensions] + sizes
        return NDEFRecord(.serviceParameter, payload: payload[...])
    }

    /// T_wait = 2^(WT_INT/4 − 1) ms in real arithmetic, not below 1 ms and not above 1000 ms (Q16, Q17).
    package var waitingTime: Duration {
        let quarters = [1_000_000, 1_189_207, 1_414_214, 1_681_793]
        let nanoseconds = quarters[Int(waitingTimeInteger) % 4] << (Int(min(waitingTimeInteger, 63)) / 4) / 2
        return min(max(.nanoseconds(nanoseconds), .milliseconds(1)), .milliseconds(1000))
    }
}

/// NFC Forum TNEP 1.0, service select record: the service the reader wants.
package enum ServiceSelect {
    /// The complete message that selects `serviceName`, of up to 255 bytes.
    package static func encode(_ serviceName: [UInt8] = ServiceParameter.handoverService) -> [UInt8] {
        let payload = [UInt8(serviceName.count)] + serviceName
        return NDEFMessage([NDEFRecord(.serviceSelect, payload: payload[...])]).encode()
    }

    /// The service's name in the `Ts` record of `message`.
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> ArraySlice<UInt8> {
        guard let payload = try message.record(of: .serviceSelect)?.payload else { throw .recordMissing }
        guard let length = payload.first, payload.count == Int(length) + 1 else { throw .malformedPayload }
        return payload.dropFirst()
    }
}

/// NFC Forum TNEP 1.0, TNEP status record: how the last step went.
package struct StatusRecord: RawRepresentable, Hashable, Sendable {
    /// The status byte; 80…fe are the service's own.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = Self(rawValue: 0x00)
    package static let protocolError = Self(rawValue: 0x01)

    /// The status in the `Te` record of `message`, or nil when it has none.
    package static func parse(_ message: NDEFMessage) throws(NDEFError) -> StatusRecord? {
        guard let payload = try message.record(of: .status)?.payload else { return nil }
        guard payload.count == 1, let status = payload.first else { throw .malformedPayload }
        return StatusRecord(rawValue: status)
    }

    /// The complete message of this one record.
    package func encode() -> [UInt8] {
        NDEFMessage([NDEFRecord(.status, payload: [rawValue])]).encode()
    }
}
