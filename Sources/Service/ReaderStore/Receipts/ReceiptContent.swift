package import CBOR
package import MdocModel

/// The contents of a receipt: a statement about a presentation, or about the outputs of a presentation.
package enum ReceiptContent: Hashable, Sendable {
    case presentation(ReceiptStatement)
    case outputs(OutputsStatement)

    /// The highest version of statements that this program reads and writes. A hub announces this number to its
    /// kiosks.
    package static let latestVersion: Int64 = 2

    /// The time of the statement.
    package var time: Timestamp {
        switch self {
        case .presentation(let statement): statement.time
        case .outputs(let statement): statement.time
        }
    }

    /// Returns the deterministic encoding (RFC 8949 4.2.1).
    package func encoded() -> [UInt8] {
        switch self {
        case .presentation(let statement): statement.encoded()
        case .outputs(let statement): statement.encoded()
        }
    }

    /// Parses a statement of any kind. Throws `receiptMalformed` unless the bytes are exactly what `encoded()`
    /// gives.
    package init(_ item: CBORItem) throws(ReaderStoreError) {
        // `isText` accepts only a literal, so the constant `OutputsStatement.kind` cannot be passed.
        let kind = try? item.map()["kind"]
        if let kind, kind.isText("outputs") {
            self = .outputs(try OutputsStatement(item))
        } else {
            self = .presentation(try ReceiptStatement(item))
        }
    }

    /// Returns the version in an encoded statement of any kind, without reading the other members. A statement
    /// without the member `version` has version 1.
    static func version(of item: CBORItem) -> Int64 {
        let version = try? item.map()["version"]
        // A member that is not an integer belongs to no version. The statement is then malformed, which its
        // parser finds.
        return version.flatMap { try? $0.integer() } ?? 1
    }

    /// Returns these contents. Throws `receiptMalformed` if members of a statement contradict one another.
    func checked() throws(ReaderStoreError) -> ReceiptContent {
        if case .presentation(let statement) = self { return .presentation(try statement.checked()) }
        return self
    }
}
