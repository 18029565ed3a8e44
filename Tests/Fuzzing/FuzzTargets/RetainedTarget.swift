internal import FoundationEssentials
internal import GRDB
internal import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports

/// The rows of what is retained, damaged: each message is a column, a row and the value that stands there now. What was
/// retained comes out as it went in, or does not come out.
///
/// - Returns: whether all of it came out.
@discardableResult
func fuzzRetainedRecord(_ input: ArraySlice<UInt8>) -> Bool {
    let shelf = FuzzShelf.standard
    var script = MessageScript(input)
    var changes: [RetainedColumn.Table: [FuzzShelf.Change]] = [:]
    while !script.isSpent {
        let message = script.next()
        guard let first = message.first, let row = message.dropFirst().first else { continue }
        let column = RetainedColumn.all[Int(first) % RetainedColumn.all.count]
        changes[column.table, default: []].append(column.change(row: Int(row), to: message.dropFirst(2)))
    }
    var count = 0
    shelf.withChanges(changes) {
        _ = try? shelf.records.counts()
        _ = try? shelf.records.nextDue()?.description
        for summary in (try? shelf.records.list()) ?? [] {
            _ = (summary.retained.description, summary.deadline.description, summary.handedOut?.description)
        }
        if let export = try? shelf.records.beginExport(of: shelf.reference, at: FuzzShelf.now) {
            let fields = export.records.flatMap(\.fields).map(FuzzShelf.Field.init)
            demand(fields.allSatisfy(shelf.fields.contains), "what nobody retained is handed out")
            demand(!export.json.text.isEmpty, "an export without a text")
            count = Set(fields).count
        }
        _ = try? shelf.records.purge(at: FuzzShelf.now)
    }
    return count == shelf.fields.count
}

/// A column that a damaged file may have anything in.
private struct RetainedColumn {
    typealias Table = FuzzShelf.Table

    enum Kind { case text, blob, integer }

    let table: Table
    let name: StaticString
    let kind: Kind

    static let all: [RetainedColumn] =
        [("record", .blob), ("reference", .blob), ("doc_type", .text), ("profile", .text)].map(field)
        + [("consent", .text), ("retained", .integer), ("export_begun", .integer)].map(field)
        + [("name_space", .text), ("identifier", .text), ("deadline", .integer)].map(field)
        + [("nonce", .blob), ("sealed", .blob)].map(field)
        + [("latest", .integer), ("purged", .integer), ("exported", .integer)].map { name, kind in
            RetainedColumn(table: .state, name: name, kind: kind)
        }

    private static func field(_ name: StaticString, _ kind: Kind) -> RetainedColumn {
        RetainedColumn(table: .field, name: name, kind: kind)
    }

    func change(row: Int, to bytes: ArraySlice<UInt8>) -> FuzzShelf.Change {
        let value: DatabaseValue =
            switch kind {
            case .text: String(decoding: bytes, as: UTF8.self).databaseValue
            case .blob: Data(bytes).databaseValue
            case .integer: bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }.databaseValue
            }
        return FuzzShelf.Change(column: name, row: row, value: value)
    }
}
