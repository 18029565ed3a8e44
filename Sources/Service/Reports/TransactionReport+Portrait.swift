internal import MdocVerification
package import PortraitDecoding

/// The reason why a portrait in the form of an image cannot be used.
package enum PortraitFault: Error, Hashable, Sendable {
    /// The decoder refused the image, because the image is malformed or of an unsupported kind.
    case notDecodable
    /// The image was not decoded, because no decoder is installed, or the decoder cannot run.
    case notDecoded

    /// Creates the fault for an error of the decoder. If the decoder did not start or did not work, it has
    /// not judged the image (`notDecoded`).
    init(_ error: PortraitDecoderError) {
        self =
            switch error {
            case .notStarted, .notConfined, .unexpected: .notDecoded
            case .malformed, .unsupported, .tooLarge, .overdue, .ended: .notDecodable
            }
    }

    /// Returns a message for a person about this fault of the portrait in the element `name`.
    package func explanation(of name: String) -> String {
        switch self {
        case .notDecodable: "\(name) cannot be decoded"
        case .notDecoded:
            "\(name) was not decoded, so nobody knows whether it shows a face: install \(PortraitDecoder.program) beside this program, or in PATH"
        }
    }
}

extension TransactionReport {
    /// Decodes each portrait that was requested. A portrait that does not decode, or that was not decoded,
    /// does not count as an answer, because a person could not compare it.
    ///
    /// - Parameter decoder: the decoder; `nil` if none is installed. This process then reads a JPEG image
    ///   itself.
    /// - Returns: for each requested portrait that was returned, the picture or the error.
    @discardableResult
    package mutating func decodePortraits(
        by decoder: PortraitDecoder?
    ) async -> [Result<ShownPortrait, PortraitDecoderError>] {
        var pictures: [Result<ShownPortrait, PortraitDecoderError>] = []
        // The elements of a report that is not accepted are withheld, so there is no portrait to decode.
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
