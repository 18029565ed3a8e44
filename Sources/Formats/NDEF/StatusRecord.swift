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
