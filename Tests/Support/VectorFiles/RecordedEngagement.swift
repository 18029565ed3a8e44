internal import Foundation

/// A published NFC engagement: what a reader and a phone said to each other, in hexadecimal.
package struct RecordedEngagement: Decodable, Sendable {
    package struct Message: Decodable, Sendable {
        let dir: String
        let apdu: String
    }

    package let name: String
    package let apdus: [Message]
    package let handoverSelect: String?
    package let handoverRequest: String?
    package let deviceEngagement: String?

    package var commands: [String] { apdus.filter { $0.dir == "reader->mdoc" }.map(\.apdu) }
    package var responses: [String] { apdus.filter { $0.dir == "mdoc->reader" }.map(\.apdu) }

    /// The one of `TestVectors/nfc/engagement.json` with this name.
    package static func named(_ name: String) throws -> RecordedEngagement {
        struct File: Decodable { let vectors: [RecordedEngagement] }
        let file: File = try VectorFiles.json(at: VectorFiles.own.appending(path: "nfc/engagement.json"))
        guard let engagement = file.vectors.first(where: { $0.name == name }) else {
            throw CocoaError(.keyValueValidation)
        }
        return engagement
    }
}
