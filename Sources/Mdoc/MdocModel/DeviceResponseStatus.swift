/// The status of a DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.3, Table 8).
package struct DeviceResponseStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let ok = DeviceResponseStatus(rawValue: 0)
    package static let generalError = DeviceResponseStatus(rawValue: 10)
    package static let decodingError = DeviceResponseStatus(rawValue: 11)
    package static let validationError = DeviceResponseStatus(rawValue: 12)
}

extension DeviceResponseStatus {
    /// The number and its meaning as a text for people. For some statuses the text also says what to do.
    package var explanation: String {
        switch self {
        case .ok: "the phone answered with status 0 (OK)"
        case .generalError: "the phone answered with status 10 (general error): tap again"
        case .decodingError:
            "the phone answered with status 11 (CBOR decoding error): it could not decode the request"
        case .validationError:
            "the phone answered with status 12 (CBOR validation error): it decoded the request and found it invalid; "
                + "request fewer elements, or other elements"
        default:
            "the phone answered with status \(rawValue), which ISO/IEC 18013-5 does not define: tap again; "
                + "if this happens again, record a field trace"
        }
    }
}
