import CBOR
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

extension CBORItem {
    /// Diagnostic notation (RFC 8949 8), written here from the standard alone, to compare with the published one.
    var diagnostic: String {
        let isOpen = encoded.first.map { $0 & 31 == 31 && $0 != 0xff } ?? false
        let opening = isOpen ? "_ " : ""
        switch value {
        case .unsigned(let value): return "\(value)"
        case .negative(let value): return value == .max ? "-18446744073709551616" : "-\(value + 1)"
        case .byteString(let bytes): return isOpen ? "(_ \(chunks))" : "h'\(bytes.hex)'"
        case .text(let text): return isOpen ? "(_ \(chunks))" : text.quoted
        case .array(let items): return "[\(opening)\(items.map(\.diagnostic).joined(separator: ", "))]"
        case .map(let members):
            let parts = members.map { "\($0.key.diagnostic): \($0.value.diagnostic)" }
            return "{\(opening)\(parts.joined(separator: ", "))}"
        case .tagged(2, let item): return item.bignum(minus: false)
        case .tagged(3, let item): return item.bignum(minus: true)
        case .tagged(let tag, let item): return "\(tag)(\(item.diagnostic))"
        case .boolean(let value): return value ? "true" : "false"
        case .null: return "null"
        case .undefined: return "undefined"
        case .simple(let value): return "simple(\(value))"
        case .float(let value): return value.isInfinite ? value < 0 ? "-Infinity" : "Infinity" : "\(value)"
        }
    }

    /// The chunks of a string of indefinite length, which are whole strings one after the other.
    private var chunks: String {
        var array = [UInt8](encoded)
        array[0] = 0x9f
        guard let items = try? CBORItem.parse(array[...]).array() else { return "?" }
        return items.map(\.diagnostic).joined(separator: ", ")
    }

    /// The published bignums are all 2^64.
    private func bignum(minus: Bool) -> String {
        guard let bytes = try? byteString(), bytes.hex == "010000000000000000" else { return "?" }
        return minus ? "-18446744073709551617" : "18446744073709551616"
    }
}

extension String {
    fileprivate var quoted: String {
        let escaped = replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"" + escaped + "\""
    }
}
