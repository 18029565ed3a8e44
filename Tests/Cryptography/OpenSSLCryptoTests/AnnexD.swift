import Foundation
import VectorFiles

@testable import OpenSSLCrypto

/// The published figures of ISO/IEC 18013-5 Annex D.
enum AnnexD {
    private struct File: Decodable {
        struct Vector: Decodable {
            let name: String
            let hex: String?
        }
        let vectors: [Vector]
    }

    /// The bytes published under `name`.
    static func bytes(_ name: String) throws -> [UInt8] {
        let file: File = try VectorFiles.json(at: VectorFiles.own.appending(path: "iso18013-5/annex-d.json"))
        guard let hex = file.vectors.first(where: { $0.name == name })?.hex else { throw Missing(name: name) }
        return [UInt8](hex: hex)
    }

    static func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: bytes(name)[...])
    }

    struct Missing: Error { let name: String }
}
