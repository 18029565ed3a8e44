import MdocModel
import OpenSSLCrypto
import Testing

@testable import WalletPresentation

@Suite("Nonces")
struct NonceTests {
    private let now = Timestamp(secondsSince1970: 1_793_534_400)
    private let session = SessionBinding(session: "one".utf8)
    private let stranger = SessionBinding(session: "two".utf8)

    private static func nonce(_ number: Int, size: Int = 32) throws -> PresentationNonce {
        try PresentationNonce(
            (0..<size).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : size) })
    }

    private func refusal(
        of nonce: PresentationNonce, in ledger: inout NonceLedger, by other: SessionBinding? = nil,
        over channel: PresentationChannel = .app, after seconds: Int64 = 0
    ) -> NonceRefusal? {
        do throws(NonceRefusal) {
            let spent = try ledger.spend(
                nonce, by: other ?? session, over: channel, at: now.advanced(bySeconds: seconds))
            return spent.nonce == nonce && spent.isReplayChecked ? nil : .unknown
        } catch {
            return error
        }
    }

    @Test("A nonce is accepted once, only from its session, over its channel and before it expires")
    func once() throws {
        var ledger = NonceLedger(lifetime: 300, capacity: 4)
        let nonce = try Self.nonce(1)
        #expect(refusal(of: nonce, in: &ledger) == .unknown)
        _ = try ledger.issue(nonce, to: session, for: .app, at: now)
        #expect(refusal(of: nonce, in: &ledger, by: stranger) == .otherSession)
        #expect(refusal(of: nonce, in: &ledger, over: .web) == .otherChannel)
        #expect(refusal(of: nonce, in: &ledger, after: 301) == .expired)
        #expect(refusal(of: nonce, in: &ledger, after: 300) == nil)
        #expect(refusal(of: nonce, in: &ledger, after: 300) == .reused)
        #expect(refusal(of: nonce, in: &ledger, by: stranger, after: 300) == .otherSession)
    }

    @Test("A nonce is issued once, and nonces that differ in one bit are two")
    func issuedTwice() throws {
        var ledger = NonceLedger(lifetime: 300, capacity: 4)
        let issued = try ledger.issue(Self.nonce(1), to: session, for: .app, at: now)
        #expect(issued.expires == now.advanced(bySeconds: 300))
        #expect(throws: NonceRefusal.issuedBefore) {
            try ledger.issue(Self.nonce(1), to: stranger, for: .web, at: now)
        }
        _ = try ledger.issue(Self.nonce(3), to: session, for: .app, at: now)
        #expect(refusal(of: try Self.nonce(3), in: &ledger) == nil)
        #expect(refusal(of: try Self.nonce(1), in: &ledger) == nil)
    }

    @Test("No more are kept than there is room for, and what is long over makes room")
    func capacity() throws {
        var ledger = NonceLedger(lifetime: 300, capacity: 2)
        for number in 1...2 { _ = try ledger.issue(Self.nonce(number), to: session, for: .app, at: now) }
        #expect(throws: NonceRefusal.tooMany) {
            try ledger.issue(Self.nonce(3), to: session, for: .app, at: now.advanced(bySeconds: 600))
        }
        #expect(refusal(of: try Self.nonce(1), in: &ledger, after: 600) == .expired)
        _ = try ledger.issue(Self.nonce(3), to: session, for: .app, at: now.advanced(bySeconds: 601))
        #expect(ledger.count == 1)
        #expect(refusal(of: try Self.nonce(1), in: &ledger, after: 601) == .unknown)
    }

    @Test("A long day of nonces leaves no more behind than two lifetimes' worth")
    func longDay() throws {
        var ledger = NonceLedger(lifetime: 10, capacity: 100)
        for second in 0..<5000 {
            let at = now.advanced(bySeconds: Int64(second))
            let nonce = try Self.nonce(second)
            _ = try ledger.issue(nonce, to: session, for: .web, at: at)
            #expect(refusal(of: nonce, in: &ledger, over: .web, after: Int64(second)) == nil)
            #expect(ledger.count <= 22)
        }
        #expect(refusal(of: try Self.nonce(4990), in: &ledger, over: .web, after: 5000) == .reused)
    }

    @Test(
        "A store's answer that the nonce was spent before refuses it, and so does any other fault of a record"
    )
    func storedRecord() throws {
        let record = IssuedNonce(
            try Self.nonce(1), to: session, for: .web, expires: now.advanced(bySeconds: 5))
        let spent = try record.spent(isFirstUse: true, by: session, over: .web, at: now)
        let isReplayChecked = spent.isReplayChecked
        #expect(isReplayChecked)
        #expect(throws: NonceRefusal.reused) {
            _ = try record.spent(isFirstUse: false, by: session, over: .web, at: now)
        }
        #expect(throws: NonceRefusal.otherSession) {
            _ = try record.spent(isFirstUse: true, by: stranger, over: .web, at: now)
        }
        #expect(throws: NonceRefusal.expired) {
            _ = try record.spent(
                isFirstUse: true, by: session, over: .web, at: now.advanced(bySeconds: 6))
        }
    }

    @Test("A nonce has 1 to 64 bytes", arguments: [0, 1, 64, 65])
    func sizes(count: Int) throws {
        if (1...64).contains(count) {
            #expect(try Self.nonce(1, size: count).bytes.count == count)
        } else {
            #expect(throws: WalletPresentationError.nonceSizeWrong) { try Self.nonce(1, size: count) }
        }
    }

    static let attacks: [Attack<Void>] = [
        Attack("a nonce used before", "nonce.reused") { $0.isSpentBefore = true },
        Attack("a nonce of another session", "nonce.other_session") {
            $0.presenter = SessionBinding(session: "session 2".utf8)
        },
        Attack("an expired nonce", "nonce.expired") { $0.delay = 301 },
        Attack("a nonce nobody issued", "nonce.unknown") { $0.isIssued = false },
        Attack("a nonce for the other channel", "nonce.other_channel") { $0.issuedFor = .web },
    ]

    @Test("A good answer is refused for its nonce, by name", arguments: attacks)
    func refused(_ attack: Attack<Void>) throws {
        var shop = try Shop()
        try attack.make(&shop)
        #expect(try shop.judge(shop.envelope()) == attack.reason)
        if shop.issuedFor == .web { shop.issuedFor = .app }
        #expect(try shop.judge(shop.webResponse().utf8) == attack.reason)
    }

    @Test("A session's binding is a digest, and comes back from a store")
    func binding() {
        #expect(session.digest == Digest(.sha256, of: Array("one".utf8)[...]).bytes)
        #expect(SessionBinding(stored: session.digest) == session)
        #expect(SessionBinding(stored: session.digest.dropLast()) == nil)
        #expect(session != stranger)
    }
}
