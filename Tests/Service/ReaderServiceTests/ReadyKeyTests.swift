import COSE
import OpenSSLCrypto
import Testing

@testable import ReaderService

@Suite("The reader's key for the next session")
struct ReadyKeyTests {
    @Test("Q190 The reader key is ready before a phone arrives, and no key is used twice")
    func ready() throws {
        var key = ReadyKey()
        key.prepare()
        #expect(key.isReady)
        key.prepare()
        let first = try key.take(for: .p256)
        #expect(!key.isReady)
        let second = try key.take(for: .p256)
        key.prepare()
        let third = try key.take(for: .p256)
        #expect(Set([first, second, third].map { $0.privateKey.encodedPoint }).count == 3)
    }

    @Test("A phone on another curve gets a key on its own, and the ready one stays")
    func otherCurve() throws {
        var key = ReadyKey()
        key.prepare()
        #expect(try key.take(for: .p521).privateKey.curve == .p521)
        #expect(key.isReady)
        #expect(try key.take(for: .p256).privateKey.curve == .p256)
    }
}
