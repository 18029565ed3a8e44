import Foundation
import VectorFiles

/// The published messages in `TestVectors/nfc`.
enum NDEFVectors {
    struct Engagements: Decodable {
        struct Vector: Decodable {
            let name: String
            let handoverSelect: String?
            let handoverRequest: String?
            let deviceEngagement: String?
        }
        let vectors: [Vector]
    }

    struct AnnexD: Decodable {
        struct Vector: Decodable {
            let name: String
            let hex: String
        }
        let vectors: [Vector]
    }

    struct Bluetooth: Decodable {
        struct Vector: Decodable {
            let table: Int
            let hex: String
        }
        let vectors: [Vector]
    }

    static func engagement(_ name: String) throws -> Engagements.Vector {
        let file = try VectorFiles.json(Engagements.self, at: url("engagement"))
        guard let vector = file.vectors.first(where: { $0.name == name }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return vector
    }

    static func annexD(_ name: String) throws -> [UInt8] {
        let file = try VectorFiles.json(AnnexD.self, at: url("annex-d-handover"))
        guard let vector = file.vectors.first(where: { $0.name == name }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return [UInt8](hex: vector.hex)
    }

    static func bluetooth() throws -> [Int: [UInt8]] {
        let file = try VectorFiles.json(Bluetooth.self, at: url("bluetooth-samples"))
        return Dictionary(uniqueKeysWithValues: file.vectors.map { ($0.table, [UInt8](hex: $0.hex)) })
    }

    /// Every published handover message.
    static func all() throws -> [[UInt8]] {
        let exchanges = try ["testStaticHandover", "testNegotiatedHandover"].map(engagement)
        let messages = exchanges.flatMap { [$0.handoverSelect, $0.handoverRequest] }
        return try messages.compactMap { $0 }.map { [UInt8](hex: $0) }
            + [annexD("nfcHandoverSelect"), annexD("nfcHandoverRequest")] + bluetooth().values
    }

    private static func url(_ name: String) -> URL {
        VectorFiles.own.appending(path: "nfc/\(name).json")
    }
}
