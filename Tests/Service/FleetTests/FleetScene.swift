import Fleet
import Foundation
import MdocModel
import OpenSSLCrypto
import Testing

/// A kiosk at the site harbour, with the key in the safe and the one of every day.
struct FleetScene {
    static let now = Timestamp(secondsSince1970: 1_790_000_000)

    let safe: PrivateKeyBox
    let daily: PrivateKeyBox
    let membership: FleetMembership

    init() throws {
        safe = try PrivateKeyBox()
        daily = try PrivateKeyBox()
        membership = FleetMembership(
            chain: try .named("utopia"), site: try .named("harbour"), group: nil, kiosk: try .named("till-1"))
    }

    var keys: [FleetKey] { get throws { [try safe.fleetKey, try daily.fleetKey] } }

    func documents() throws -> AcceptedDocuments {
        AcceptedDocuments(membership, FleetKeyring(try keys))
    }

    /// A signed document.
    func document(
        _ level: FleetLevel = .chain, _ name: String? = nil, version: Int64 = 1, chain: String = "utopia",
        created: Timestamp = now, configuration: String? = nil, withdrawn: [FleetKey.ID] = [],
        by key: PrivateKeyBox? = nil
    ) throws -> [UInt8] {
        var document = FleetDocument(
            chain: try .named(chain), level: level, name: try .named(name ?? chain), version: version,
            created: created)
        document.configuration = configuration.map { Array($0.utf8) }
        document.withdrawn = withdrawn
        return try document.sign(with: (key ?? daily).key)
    }
}

/// A key that several tests of one scene may use.
final class PrivateKeyBox: Sendable {
    let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.p256) }

    var fleetKey: FleetKey { get throws { try FleetKey(key.publicKey()) } }
}

extension FleetName {
    static func named(_ text: String) throws -> FleetName { try #require(FleetName(text)) }
}

/// A folder that goes with its test.
final class FleetStore: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-fleet-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
