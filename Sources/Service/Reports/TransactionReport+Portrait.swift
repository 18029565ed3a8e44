internal import MdocVerification
package import PortraitDecoding

/// Why a portrait that has the form of an image answers nothing.
package enum PortraitFault: Error, Hashable, Sendable {
    /// The decoder refuses it: it is broken, or of a kind that nobody would see.
    case notDecodable
    /// No decoder looked at it: it is not installed, or it cannot run.
    case notDecoded

    init(_ error: PortraitDecoderError) {
        self =
            switch error {
            case .notStarted, .notConfined, .unexpected: .notDecoded
            case .malformed, .unsupported, .tooLarge, .overdue, .ended: .notDecodable
            }
    }

    /// The fault of `name`, in plain words.
    package func explanation(of name: String) -> String {
        switch self {
        case .notDecodable: "\(name) cannot be decoded"
        case .notDecoded:
            "\(name) was not decoded, so nobody knows whether it shows a face: install \(PortraitDecoder.program) beside this program, or in PATH"
        }
    }
}

extension TransactionReport {
    /// Decodes each portrait that was asked for. One that does not decode answers nothing in any channel, and neither does one that no
    /// decoder looked at: a person could not compare it.
    ///
    /// - Parameter decoder: nil if no decoder is installed. A JPEG image is then read by this process.
    /// - Returns: the picture, or the error, of each document with a portrait that was asked for.
    @discardableResult
    package mutating func decodePortraits(
        by decoder: PortraitDecoder?
    ) async -> [Result<ShownPortrait, PortraitDecoderError>] {
        var pictures: [Result<ShownPortrait, PortraitDecoderError>] = []
        guard isAccepted else { return pictures }
        for index in documents.indices where asksPortrait(of: documents[index].report.docType) {
            for portrait in documents[index].verified?.portraits ?? [] {
                do throws(PortraitDecoderError) {
                    let picture =
                        if let decoder { try await decoder.decode(portrait) } else {
                            try ShownPortrait(jpeg: portrait)
                        }
                    pictures.append(.success(picture))
                } catch {
                    refusePortrait(ofDocument: index, for: PortraitFault(error))
                    pictures.append(.failure(error))
                }
            }
        }
        return pictures
    }
}
