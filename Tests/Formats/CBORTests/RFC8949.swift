import Foundation
import Testing
import VectorFiles

/// The published items of RFC 8949.
struct RFC8949: Decodable, Sendable {
    struct Item: Decodable, Sendable, CustomTestStringConvertible {
        let hex: String
        let diagnostic: String
        let roundtrip: Bool

        var testDescription: String { diagnostic }
    }

    struct Failure: Decodable, Sendable, CustomTestStringConvertible {
        let hex: String
        let why: String

        var testDescription: String { "\(hex): \(why)" }
    }

    let wellFormed: [Item]
    let notWellFormed: [Failure]

    static let loaded: RFC8949? = try? VectorFiles.json(
        at: VectorFiles.own.appending(path: "rfc8949/cbor.json"))
    static let wellFormed = loaded?.wellFormed ?? []
    static let notWellFormed = loaded?.notWellFormed ?? []
}
