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
