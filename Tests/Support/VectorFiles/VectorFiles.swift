package import Foundation

/// Where the tests find published figures: `TestVectors/` of this repository, and the larger shared set
/// beside it when the checkout has one.
package enum VectorFiles {
    /// The repository's root folder.
    package static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The repository's own vectors.
    package static let own = repository.appending(path: "TestVectors")

    /// The shared folder beside the repository, or nil in a bare clone.
    package static let shared: URL? = {
        let folder = repository.deletingLastPathComponent().appending(path: "shared")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The bytes of one file.
    package static func bytes(of file: URL) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: file))
    }

    /// A JSON file decoded as `T`.
    package static func json<T: Decodable>(_ type: T.Type = T.self, at file: URL) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(contentsOf: file))
    }

    /// The bytes that ISO/IEC 18013-5 Annex D publishes under this name.
    package static func annexD(_ name: String) throws -> [UInt8] {
        guard let hex = try figures.get()[name] else { throw CocoaError(.keyValueValidation) }
        return [UInt8](hex: hex)
    }

    private static let figures = Result {
        struct Figures: Decodable {
            struct Vector: Decodable {
                let name: String
                let hex: String?
            }
            let vectors: [Vector]
        }
        let figures: Figures = try json(at: own.appending(path: "iso18013-5/annex-d.json"))
        return Dictionary(
            figures.vectors.compactMap { vector in vector.hex.map { (vector.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}

extension Array where Element == UInt8 {
    /// The bytes of a hexadecimal text; blanks are passed over. Traps on anything else: for literals in tests.
    package init(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.map { character -> UInt8 in
            guard let value = character.hexDigitValue else {
                preconditionFailure("not hexadecimal: \(character)")
            }
            return UInt8(value)
        }
        precondition(digits.count.isMultiple(of: 2), "half a byte at the end")
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension String {
    /// The bytes of this hexadecimal text.
    package var bytes: [UInt8] { [UInt8](hex: self) }
}

extension Sequence where Element == UInt8 {
    /// The bytes as lower-case hexadecimal text.
    package var hex: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
