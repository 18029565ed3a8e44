internal import COSE
internal import MdocModel

/// A failure that has its own id in addition to the id of its check, because this failure is typical of one
/// kind of issuer or wallet.
package enum FailureReason: String, CaseIterable, Sendable {
    /// A coordinate of the device key lacks its leading zero byte (Q218).
    case coordinateTooShort = "device_key.coordinate_too_short"
    /// The device signature or MAC contains its payload (Q219).
    case payloadAttached = "device_signature.payload_attached"
    /// The MSO was signed before its signer's certificate was valid (Q220).
    case signedBeforeCertificate = "mso.signed_before_certificate"
    /// The MSO was signed after its signer's certificate had expired (Q220).
    case signedAfterCertificate = "mso.signed_after_certificate"
}

extension CheckFailure {
    /// The reason with a separate id; `nil` if the id of the failed check is enough.
    package var reason: FailureReason? {
        switch self {
        case .cose(.coordinateTooShort): .coordinateTooShort
        case .devicePayloadAttached: .payloadAttached
        case .signedOutsideCertificateValidity(let signed, let start, _):
            signed < start ? .signedBeforeCertificate : .signedAfterCertificate
        default: nil
        }
    }
}

extension CheckReport {
    package var reason: FailureReason? {
        switch outcome {
        case .failed(let failure), .undetermined(let failure): failure.reason
        case .passed, .skipped: nil
        }
    }
}
