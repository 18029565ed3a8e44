import Foundation
import Logging
import MdocModel
import OpenSSLCrypto
import ReaderStore
import ReaderTokens
import RecordBench
import Testing

@testable import Fleet
@testable import FleetHub
@testable import countersignd

@Suite("Reader tokens of a hub over HTTPS, with a real PostgreSQL")
struct HubTokenPostgreSQLTests {
    private static let path = "/fleet/v1/reader-tokens"
    private let kiosk = "till-\(UInt32.random(in: 0...UInt32.max))"
    private let reader = UUID().uuidString.replacing("-", with: "").lowercased()
    private let other = UUID().uuidString.replacing("-", with: "").lowercased()

    /// What a hub makes tokens with: the brand utopia has a key, and the brand bare has none.
    private func tokens(
        caller: String? = nil, signsWithOther: Bool = false, database: HubDatabase? = nil
    ) throws -> RunningHub.Tokens {
        func key(_ scalar: UInt8) throws -> PrivateKey {
            try PrivateKey(curve: .p256, scalar: [UInt8](repeating: scalar, count: 32)[...])
        }
        let brands = [
            Brand(
                identifier: try text("utopia"), name: try #require(BrandName("Utopia")),
                keys: [try BrandKey(text("k1"), key(1).publicKey())]),
            Brand(identifier: try text("bare"), name: try #require(BrandName("No key"))),
        ]
        let instances = Set(try [instance(reader), instance(other)])
        let grants = brands.map {
            TokenGrant(caller: caller ?? kiosk, brand: $0.identifier, instances: instances)
        }
        let signer = try ReaderTokenSigner(
            key(signsWithOther ? 2 : 1), text("k1"), of: text("utopia"))
        return { folder, shared in
            let kept = BrandFolder(path: "\(folder)/brands")
            if try kept.registry().brands.isEmpty {
                _ = try kept.change { registry throws(BrandFault) in
                    for brand in brands { try registry.add(brand) }
                }
            }
            return HubTokens(kept, grants: grants, signers: [signer], database ?? shared)
        }
    }

    private func text(_ text: String) throws -> TokenText { try #require(TokenText(text)) }

    private func instance(_ text: String) throws -> ReaderInstance { try #require(ReaderInstance(text)) }

    /// What the kiosk's daemon gets for its till: `token`, or the refusal.
    private func asked(
        _ kiosk: EnrolledKiosk, _ brand: String = "utopia", _ instance: String? = nil,
        at hub: RunningHub? = nil
    ) async throws -> String {
        let settings = hub.map { $0.settings(kiosk.name, now: $0.now) } ?? kiosk.settings
        let tokens = KioskTokens(settings, try FleetFolder(store: settings.store))
        do throws(HubError) {
            _ = try await tokens.token(brand: brand, instance: instance ?? reader)
            return "token"
        } catch .refused(let status, let id, _) {
            return "\(status) \(id)"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A kiosk with a grant gets a token of its brand for its reader, and the audit has all but the token")
    func granted() async throws {
        let audit = LogLines()
        try await RunningHub.run(tokens: tokens(), audit: audit.logger) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            let tokens = KioskTokens(kiosk.settings, try FleetFolder(store: kiosk.settings.store))
            let text = try await tokens.token(brand: "utopia", instance: reader)
            let token = try UnverifiedReaderToken(Array(text.utf8)[...])
            #expect(token.claims.instance.text == reader && token.claims.brand.text == "utopia")
            #expect(token.keyIdentifier.text == "k1")
            let lines = audit.lines.filter { $0.contains("reader token") }
            try #require(lines.count == 1)
            for word in [
                "caller=\(kiosk.name)", "brand=utopia", "instance=\(reader)", "outcome=granted", "kid=k1",
            ] {
                #expect(lines[0].contains(word), "\(lines[0])")
            }
            #expect(!lines[0].contains(text.suffix(20)))
        }
    }

    @Test("No other kiosk, brand or reader gets a reader token, and the audit records each refusal")
    func refused() async throws {
        let audit = LogLines()
        try await RunningHub.run(tokens: tokens(), audit: audit.logger) { hub in
            let (one, two) = (try await hub.enrolled(kiosk), try await hub.enrolled())
            #expect(try await asked(two) == "403 readerTokenNotGranted")
            #expect(try await asked(one, "arcadia") == "403 readerTokenNotGranted")
            let stranger = String(repeating: "0", count: 32)
            #expect(try await asked(one, "utopia", stranger) == "403 readerTokenNotGranted")
            // None of these counts.
            for _ in 0..<13 { #expect(try await asked(one, "bare") == "503 brandUnavailable") }
            let outcomes = audit.lines.filter { $0.contains("reader token") }
            #expect(outcomes.count { $0.contains("outcome=readerTokenNotGranted") } == 3)
            #expect(outcomes.count { $0.contains("outcome=brandUnavailable") } == 13)
            #expect(try await asked(one) == "token")
        }
    }

    @Test(
        "A request that is malformed or too long is refused",
        arguments: [
            "", "{}", #"{"brand": "utopia"}"#, #"{"brand": "uto pia", "instance": "0"}"#,
            #"{"brand": "utopia", "instance": "00000000000000000000000000000000", "caller": "till-1"}"#,
        ])
    func malformed(_ body: String) async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            let found = await kiosk.refusal {
                try await $0.post(Self.path, Array(body.utf8), type: "application/json")
            }
            #expect(found == "400 bodyRefused")
            let long = await kiosk.refusal {
                try await $0.post(
                    Self.path, [UInt8](repeating: 0x20, count: 1 << 13), type: "application/json")
            }
            #expect(long == "413 bodyTooLong")
        }
    }

    @Test(
        "A grant of a site or a group is for its kiosks, as the hub knows them", arguments: ["site", "group"])
    func groups(_ level: String) async throws {
        let name = "harbour-\(UInt32.random(in: 0...UInt32.max))"
        try await RunningHub.run(tokens: tokens(caller: "\(level):\(name)")) { hub in
            let site = try await hub.enrolled(site: name)
            let group = try await hub.enrolled(group: name)
            let neither = try await hub.enrolled(name)
            let refusal = "403 readerTokenNotGranted"
            #expect(try await asked(site) == (level == "site" ? "token" : refusal))
            #expect(try await asked(group) == (level == "group" ? "token" : refusal))
            #expect(try await asked(neither) == refusal)
        }
    }

    @Test("A reader gets twelve tokens an hour from all hubs together, and other readers do not wait")
    func rate() async throws {
        let tokens = try tokens()
        try await RunningHub.run(tokens: tokens) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            try await hub.runAnother(tokens: tokens) { another in
                // Both at once, so that two hubs count for one reader at the same time.
                let found = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<20 {
                        group.addTask { try await asked(kiosk, at: number % 2 == 0 ? hub : another) }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
                #expect(found.count { $0 == "token" } == 12, "\(found)")
                #expect(found.count(where: Self.waitsAnHour) == 8, "\(found)")
                for each in [hub, another] {
                    #expect(Self.waitsAnHour(try await asked(kiosk, at: each)))
                    #expect(try await asked(kiosk, "utopia", other, at: each) == "token")
                }
                // The first of them is an hour old.
                try await move(by: -3600, in: hub.pool, first: 1)
                #expect(try await asked(kiosk, at: hub) == "token")
                #expect(try await asked(kiosk, at: another).hasPrefix("tooMany"))
            }
        }
    }

    /// Whether it was refused for an hour, less the minutes that this test may take.
    private static func waitsAnHour(_ refusal: String) -> Bool {
        guard refusal.hasPrefix("tooMany(retryAfter: "),
            let seconds = Int(refusal.dropLast().split(separator: " ").last ?? "")
        else { return false }
        return (3300...3600).contains(seconds)
    }

    /// Moves the first so many of the times at which the kiosk asked for its reader.
    private func move(by seconds: Int64, in pool: PostgreSQLPool, first count: Int64) async throws {
        _ = try await pool.rows(
            """
            UPDATE countersign_fleet_reader_token SET asked = (
                SELECT array_agg(CASE WHEN place <= $3::bigint THEN moment + $4::bigint ELSE moment END
                    ORDER BY place)
                FROM unnest(asked) WITH ORDINALITY AS each (moment, place))
            WHERE kiosk = $1::text AND instance = $2::text
            """,
            [
                Array(kiosk.utf8), Array(reader.utf8), count.postgreSQL, seconds.postgreSQL,
            ])
    }

    @Test("What lies far ahead does not count: the clock of the database was set back since")
    func clockSetBack() async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            for _ in 0..<12 { #expect(try await asked(kiosk) == "token") }
            try await move(by: 7300, in: hub.pool, first: 12)
            #expect(try await asked(kiosk) == "token")
        }
    }

    @Test("Readers for which nobody has asked for an hour are forgotten, and no others")
    func forgotten() async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            func count() async throws -> Int64? {
                try await hub.pool.rows(
                    "SELECT count(*) FROM countersign_fleet_reader_token WHERE kiosk = $1::text",
                    [Array(self.kiosk.utf8)]
                ).first?.first??.bigint
            }
            for each in [reader, other] { #expect(try await asked(kiosk, "utopia", each) == "token") }
            try await hub.database.tokens.forget()
            #expect(try await count() == 2)
            try await move(by: -3600, in: hub.pool, first: 1)
            try await hub.database.tokens.forget()
            #expect(try await count() == 1)
        }
    }

    @Test("A stopped kiosk gets no reader token until it is started, and a revoked kiosk never gets one")
    func stopped() async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            #expect(try await hub.database.kiosks.setStopped(true, kiosk.name))
            #expect(try await asked(kiosk) == "403 kioskStopped")
            #expect(try await hub.database.kiosks.setStopped(false, kiosk.name))
            #expect(try await asked(kiosk) == "token")
            try #require(try await hub.database.kiosks.revoke(kiosk.name))
            #expect(try await asked(kiosk) == "403 kioskRevoked")
        }
    }

    @Test("A key that is not the brand's, and one that was revoked since, make no token")
    func keys() async throws {
        try await RunningHub.run(tokens: tokens(signsWithOther: true)) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            #expect(try await asked(kiosk) == "503 brandUnavailable")
        }
        let name = "\(kiosk)-2"
        try await RunningHub.run(tokens: tokens(caller: name)) { hub in
            let kiosk = try await hub.enrolled(name)
            #expect(try await asked(kiosk) == "token")
            let revoked = try text("k1")
            _ = try BrandFolder(path: "\(hub.folder)/brands").change { registry throws(BrandFault) in
                try registry.revoke(revoked)
            }
            #expect(try await asked(kiosk) == "503 brandUnavailable")
        }
    }

    @Test(
        "Without a database that counts there is no token, and a hub that makes none has nothing at the path")
    func uncounted() async throws {
        let chain = try #require(FleetName("utopia"))
        let nowhere = HubDatabase("host=/nonexistent", chain: chain)
        try await RunningHub.run(tokens: tokens(database: nowhere)) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            #expect(try await asked(kiosk) == "503 databaseUnavailable")
        }
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            #expect(try await asked(kiosk) == "404 notFound")
        }
    }

    /// A daemon of this kiosk whose till has a grant for more than the hub's kiosks have. What it answers: the outcome, as its audit
    /// has it, and the whole answer.
    private func daemon(
        _ kiosk: EnrolledKiosk, _ hub: RunningHub
    ) async throws -> (String, String) async throws -> (outcome: String, response: TokenResponse) {
        let brands = try [text("utopia"), text("bare")]
        let instances = Set(try [instance(reader), instance(String(repeating: "0", count: 32))])
        let issuing = DaemonConfiguration.TokenIssuing(
            isFromHub: true,
            grants: brands.map { TokenGrant(caller: "till", brand: $0, instances: instances) })
        let tokens = KioskTokens(kiosk.settings, try FleetFolder(store: kiosk.settings.store))
        let server = try await ReaderTokensInForce(issuing, from: tokens, RunningHub.log).server
        let registry = try BrandFolder(path: "\(hub.folder)/brands").registry()
        return { brand, reader in
            let request = TokenRequest(
                caller: "till", brand: try text(brand), instance: try instance(reader))
            let (response, audit) = await server.respond(to: request, believing: registry, at: hub.now())
            return (audit.fields["outcome"] ?? "", response)
        }
    }

    @Test("What the hub says over the wire is the daemon's own answer to its till, by name")
    func daemonAnswers() async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            let ask = try await daemon(kiosk, hub)
            #expect(try await ask("utopia", reader).outcome == "granted")
            let stranger = String(repeating: "0", count: 32)
            #expect(try await ask("utopia", stranger).outcome == "readerTokenNotGranted")
            let bare = try await ask("bare", reader)
            #expect(bare.outcome == "brandUnavailable" && "\(bare.response)".contains("(brandUnavailable)"))
            for _ in 1..<12 { #expect(try await ask("utopia", reader).outcome == "granted") }
            // A daemon that was started again counts from the beginning, and the hub does not.
            let restarted = try await daemon(kiosk, hub)
            let late = try await restarted("utopia", reader)
            #expect(late.outcome == "tooManyReaderTokens")
            guard case .refused(.tooMany(let seconds)) = late.response else {
                Issue.record("\(late.response)")
                return
            }
            #expect((3300...3600).contains(seconds))
            func expectRefusal(_ id: String) async throws {
                let refused = try await restarted("utopia", reader)
                #expect(refused.outcome == "brandUnavailable")
                #expect("\(refused.response)".contains("refused the request (\(id))"), "\(refused.response)")
            }
            try #require(try await hub.database.kiosks.setStopped(true, kiosk.name))
            try await expectRefusal("kioskStopped")
            try #require(try await hub.database.kiosks.revoke(kiosk.name))
            try await expectRefusal("kioskRevoked")
        }
    }

    @Test("A hub that does not answer gives no token")
    func unreachable() async throws {
        try await RunningHub.run(tokens: tokens()) { hub in
            let kiosk = try await hub.enrolled(kiosk)
            let closed = RunningHub(
                database: hub.database, pool: hub.pool, folder: hub.folder, port: 1, routes: hub.routes)
            #expect(try await asked(kiosk, at: closed) == "unreachable")
        }
    }
}
