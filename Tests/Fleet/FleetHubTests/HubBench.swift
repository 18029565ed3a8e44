import CBOR
import Fleet
import Foundation
import MdocModel
import OpenSSLCrypto
import RecordBench
import Testing

@testable import FleetHub
@testable import ReaderStore

/// The hub's database in the PostgreSQL of `with-postgresql`, with kiosks of its own.
struct HubBench {
    static let now = Timestamp(secondsSince1970: 1_790_000_000)

    let database: HubDatabase
    /// Connections for the test's own statements.
    let pool: PostgreSQLPool
    let kiosk: FleetName

    /// Cancels the test where there is no database.
    ///
    /// - Parameters:
    ///   - further: settings of libpq.
    ///   - who: whom the audit log names.
    init(_ further: String = "", by who: HubOperator = .current) async throws {
        guard let settings = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"] else {
            try Test.cancel("no database: run Hardware/VirtualBench/with-postgresql swift test …")
        }
        let chain = try #require(FleetName("utopia"))
        try await HubDatabase(settings, chain: chain).months.maintain(months: 24, at: Self.now)
        database = HubDatabase(settings + further, chain: chain, by: who)
        pool = PostgreSQLPool(settings + further, HubTables.schema)
        kiosk = try #require(FleetName("till-\(UInt32.random(in: 0...UInt32.max))"))
    }

    /// A kiosk that is enrolled with the keys of a store, and the receipts there.
    static func enrolled(
        receipts count: Int
    ) async throws -> (bench: HubBench, store: ReceiptStore, links: [[UInt8]]) {
        let (bench, store) = (try await HubBench(), try ReceiptStore(receipts: count))
        try await bench.enrol(store)
        return (bench, store, try store.links)
    }

    /// Enrols the kiosk with the keys of these receipts.
    func enrol(_ store: ReceiptStore? = nil) async throws {
        let code = try #require(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: Self.now))
        try #require(
            try await database.kiosks.enrol(
                kiosk, code: code, keyDigest: (0..<32).map { _ in UInt8.random(in: 0...255) }, at: Self.now))
        if let store {
            try #require(
                try await database.receipts.add(store.store.receiptKeys(), of: kiosk, at: Self.now) == .added)
        }
    }

    /// Enrols the kiosk with another key, as an operator does for another computer or for the same one.
    func enrolAgain() async throws {
        try #require(try await database.kiosks.revoke(kiosk))
        try await enrol()
    }

    func push(_ links: [[UInt8]]) async throws -> ReceiptPush {
        try await database.receipts.store(ReceiptChain(links), of: kiosk)
    }

    /// Pushes receipts that come in January 2020.
    func pushAged(_ links: [[UInt8]]) async throws {
        try #require(try await push(links) == .committed(head(links, links.count)))
        let begin = Timestamp(secondsSince1970: 1_577_836_800)
        _ = try await pool.rows(HubTables.partition(ReceiptMonth(of: begin)))
        _ = try await pool.rows(
            "UPDATE countersign_fleet_receipt SET received = $2::bigint WHERE kiosk = $1::text",
            [kiosk.text.bytes, begin.secondsSince1970.postgreSQL])
    }

    /// When the kiosk's receipts came.
    func received() async throws -> [Int64] {
        try await pool.rows(
            "SELECT received FROM countersign_fleet_receipt WHERE kiosk = $1::text ORDER BY sequence",
            [kiosk.text.bytes]
        ).compactMap { $0.first??.bigint }
    }
}

/// A receipt as a kiosk that somebody has taken over may sign it: of any number, and saying anything.
func signedLink(
    _ sequence: Int64, after previous: [UInt8] = SignedReceipt.origin, saying content: [UInt8]? = nil,
    with key: borrowing PrivateKey
) throws -> [UInt8] {
    let content = try content ?? ReceiptStatement.sample().encoded()
    let payload = DeterministicMap.encode { map in
        map.set("type", text: "countersign receipt")
        map.set("sequence", integer: sequence)
        map.set("previous", bytes: previous)
        map.set("statement") { $0.encoded(content) }
    }
    return try ReceiptSignature.sign(payload, with: key)
}

/// A statement that has nothing but its version.
func statement(ofVersion version: Int64) -> [UInt8] {
    DeterministicMap.encode { $0.set("version", integer: version) }
}

/// What a hub says of a chain that begins with these, after so many of them.
func head(_ links: [[UInt8]], _ count: Int) throws -> HubState.Head {
    let receipt = try SignedReceipt(parsing: links[count - 1])
    return HubState.Head(sequence: receipt.sequence, digest: receipt.digest)
}

/// A kiosk's store with so many receipts.
final class ReceiptStore {
    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-receipts-\(UUID())").path
    let store: ReaderStore

    init(receipts: Int) throws {
        store = try ReaderStore(at: path, for: .changing)
        for _ in 0..<receipts { _ = try store.append(.sample()) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var links: [[UInt8]] { get throws { try store.receiptChain().links } }
}
