import Testing

@testable import PresentationService

@Suite("The share of each caller and origin of the webhooks")
struct WebhookShareTests {
    private static func key(_ caller: String, _ port: Int = 1) throws -> WebhookShares.Key {
        WebhookShares.Key(
            caller: caller, origin: try #require(WebhookOrigin("https://till.example:\(port)")))
    }

    private static func ids(_ prefix: String, _ count: Int) -> [PresentationID] {
        (0..<count).map { PresentationID("\(prefix)\($0)") }
    }

    @Test("One caller's receiver takes its own share: another origin's and another caller's have theirs")
    func shares() throws {
        var shares = WebhookShares()
        let dead = try Self.key("till")
        var count = 0
        for id in Self.ids("dead", 300) where shares.enter(id, of: dead) { count += 1 }
        #expect(count == WebhookShares.mostOfOneShare)
        for other in [try Self.key("till", 2), try Self.key("other")] {
            for id in Self.ids("\(other)", WebhookShares.mostOfOneShare) {
                let hasPlace = shares.enter(id, of: other)
                #expect(hasPlace)
            }
        }
    }

    @Test("However many shares are full, one that has nothing on its way has a place")
    func manyShares() throws {
        var shares = WebhookShares()
        for number in 0..<40 {
            for id in Self.ids("\(number)-", 20) { _ = shares.enter(id, of: try Self.key("\(number)")) }
        }
        let healthy = try Self.key("healthy")
        for id in Self.ids("h", 5) {
            let (hasPlace, needsMore) = (shares.enter(id, of: healthy), shares.leave(id, of: healthy))
            #expect(hasPlace && !needsMore)
        }
    }

    @Test("An end without a place is asked of the store when there is room, once, and none twice")
    func refill() throws {
        var shares = WebhookShares()
        let key = try Self.key("till")
        let ids = Self.ids("", 20)
        for (index, id) in ids.enumerated() {
            let hasPlace = shares.enter(id, of: key)
            #expect(hasPlace == (index < 16))
        }
        let early = shares.beginRefill(of: key)
        let needsMore = [shares.leave(ids[0], of: key), shares.leave(ids[1], of: key)]
        let counts = [early, shares.beginRefill(of: key), shares.beginRefill(of: key)]
        #expect(needsMore == [true, true] && counts == [nil, 14 + 2 + 1, nil])
        // One that ends while the store is read is not taken up again, nor is one that is on its way.
        let needsAnother = shares.leave(ids[2], of: key)
        let entered = shares.finishRefill(of: key, found: Array(ids[2..<19]), asked: 20)
        #expect(!needsAnother && entered == Set(ids[16..<19]))
        for id in ids { _ = shares.leave(id, of: key) }
        let late = shares.beginRefill(of: key)
        #expect(late == nil)
    }

    @Test("What the store may have beyond the number that it was asked for is asked for again")
    func more() throws {
        var shares = WebhookShares()
        let key = try Self.key("till")
        let ids = Self.ids("", 30)
        for id in ids[..<17] { _ = shares.enter(id, of: key) }
        _ = shares.leave(ids[0], of: key)
        let count = shares.beginRefill(of: key)
        let asked = try #require(count)
        #expect(asked == 15 + 1 + 1)
        // Another ends while the store is read, so that all that it named have room.
        let needsMore = shares.leave(ids[1], of: key)
        let entered = shares.finishRefill(of: key, found: Array(ids[1...17]), asked: asked)
        #expect(!needsMore && entered == Set(ids[16...17]))
        _ = shares.leave(ids[2], of: key)
        let again = shares.beginRefill(of: key)
        #expect(again != nil)
    }

    @Test("A store that cannot be read is read again")
    func unreadable() throws {
        var shares = WebhookShares()
        let key = try Self.key("till")
        shares.expectMore(of: key)
        var counts: [Int?] = []
        for found in [nil, [], []] as [[PresentationID]?] {
            counts.append(shares.beginRefill(of: key))
            let entered = shares.finishRefill(of: key, found: found, asked: 17)
            #expect(entered.isEmpty)
        }
        #expect(counts == [17, 17, nil])
    }

    @Test(
        "Deliveries that wait are woken when a receiver that could not be reached accepts one, and at no other time"
    )
    func recovery() async throws {
        var shares = WebhookShares()
        let key = try Self.key("till")
        let ids = Self.ids("", 2)
        for id in ids { _ = shares.enter(id, of: key) }
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        shares.pause(ids[0], of: key, since: shares.recoveries(of: key), wake)
        shares.succeeded(key)
        #expect(shares.recoveries(of: key) == 0)
        shares.failed(key)
        shares.succeeded(key)
        #expect(shares.recoveries(of: key) == 1)
        #expect(await wakes.first { _ in true } != nil)
        // A pause that begins after the recovery notices it, too.
        let (late, lateWake) = AsyncStream.makeStream(of: Void.self)
        shares.pause(ids[1], of: key, since: 0, lateWake)
        #expect(await late.first { _ in true } != nil)
    }
}
