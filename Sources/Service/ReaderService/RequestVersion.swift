internal import MdocModel
internal import MdocVerification

/// Which version of the DeviceRequest is sent. The raw values are the words of options and configuration files.
package enum RequestVersion: String, CaseIterable, Sendable {
    /// 1.1 where the wallet announced extended requests and something of them is asked, else 1.0 (Q168).
    case automatic = "auto"
    /// 1.0, whatever the wallet announced: without alternatives, use cases and readerAuthAll.
    case first = "1.0"

    /// What of a wallet's capabilities is used.
    func used(of announced: EngagementCapabilities) -> EngagementCapabilities {
        self == .first ? announced.subtracting(.extendedRequest) : announced
    }
}

extension Presentation {
    /// Whether the phone reported that it could not decode an extended request.
    package var failedOnExtendedRequest: Bool { request?.isExtended == true && failedOnRequest }

    /// Whether the phone reported that it could not decode the request, by the status of the session or of its answer.
    package var failedOnRequest: Bool {
        switch result {
        case .failure(let failure): failure == .status(.decodingError)
        case .success(.rejected(let response)):
            response.status == DeviceResponseStatus.decodingError.rawValue
        case .success(.verified): false
        }
    }
}
