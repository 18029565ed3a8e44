import COpenSSL
import Dispatch
import Synchronization
import Testing

@testable import OpenSSLCrypto

@Suite("Shells of public keys")
struct KeyShellTests {
    static let curves = Curve.allCases.filter { $0.family == .weierstrass }

    /// Who signed what, by the point that verifies it.
    private struct Signed {
        let curve: Curve
        let x: [UInt8]
        let y: [UInt8]
        let message: [UInt8]
        let signature: [UInt8]

        init(_ curve: Curve, _ number: UInt8) throws {
            let key = try PrivateKey.generate(curve)
            let algorithm = try #require(curve.preferredSignatureAlgorithm)
            self.curve = curve
            (x, y, message) = (key.x, key.y, [number])
            signature = try key.sign([message[...]], algorithm: algorithm, form: .fixedWidth)
        }

        func key() throws -> PublicKey { try PublicKey(curve: curve, x: x[...], y: y[...]) }

        /// Nil where something else than the signature is wrong.
        func isVerified(by key: borrowing PublicKey) -> Bool? {
            guard let algorithm = curve.preferredSignatureAlgorithm else { return nil }
            do throws(OpenSSLCryptoError) {
                try key.verify(
                    signature[...], form: .fixedWidth, algorithm: algorithm, over: [message[...]])
                return true
            } catch {
                return error == .signatureInvalid ? false : nil
            }
        }
    }

    @Test("What one key after the other is held in verifies for the one it holds alone", arguments: curves)
    func oneAfterTheOther(curve: Curve) throws {
        let signed = try (0..<3).map { try Signed(curve, $0) }
        for round in 0..<30 {
            let own = signed[round % 3]
            let key = try own.key()
            for (index, other) in signed.enumerated() {
                let isVerified = other.isVerified(by: key)
                #expect(isVerified == (index == round % 3))
            }
            var x = [UInt8](repeating: 0, count: curve.coordinateSize)
            let isRead = unsafe x.withUnsafeMutableBytes {
                unsafe key.handle.number("qx", size: curve.coordinateSize, into: $0)
            }
            #expect(isRead && x == own.x)
        }
    }

    @Test("A shell that is used once begins verifications too", arguments: [true, false])
    func usedOnce(isUsedAgain: Bool) throws {
        let shell = try #require(KeyShell(.p256, isUsedAgain: isUsedAgain))
        let handle = KeyHandle(shell)
        for _ in 0..<2 {
            let context = unsafe handle.shell?.verification()
            #expect(unsafe context != nil)
            unsafe EVP_PKEY_CTX_free(context)
        }
    }

    @Test("What is agreed on with one peer after the other is each peer's own")
    func agreement() throws {
        let key = try PrivateKey.generate(.p256)
        let own = (key.x, key.y)
        var secrets: Set<[UInt8]> = []
        for _ in 0..<20 {
            let peer = try PrivateKey.generate(.p256)
            let here = try key.sharedSecret(with: peer.publicKey()).withUnprotectedBytes(Array.init)
            let there = try peer.sharedSecret(
                with: PublicKey(curve: .p256, x: own.0[...], y: own.1[...])
            ).withUnprotectedBytes(Array.init)
            #expect(here == there)
            secrets.insert(here)
        }
        #expect(secrets.count == 20)
    }

    @Test(
        "A point off the curve is refused after a good one, and the next good one is its own",
        arguments: curves)
    func refusedBetween(curve: Curve) throws {
        let (first, second) = (try Signed(curve, 1), try Signed(curve, 2))
        for _ in 0..<10 {
            do {
                let key = try first.key()
                let isFirst = first.isVerified(by: key)
                #expect(isFirst == true)
            }
            var y = first.y
            y[y.count - 1] ^= 1
            #expect(throws: OpenSSLCryptoError.pointNotOnCurve) {
                _ = try PublicKey(curve: curve, x: first.x[...], y: y[...]).x
            }
            let key = try PublicKey(
                curve: curve, x: second.x[...], yIsOdd: (second.y.last ?? 0) & 1 == 1)
            let found = key.y
            #expect(found == second.y)
            let (isSecond, isStillFirst) = (second.isVerified(by: key), first.isVerified(by: key))
            #expect(isSecond == true && isStillFirst == false)
        }
    }

    @Test("Keys that come and go on many threads, and one that all share, verify for themselves alone")
    func manyAtOnce() throws {
        final class Shared: Sendable {
            let key: PublicKey
            init(_ key: consuming PublicKey) { self.key = key }
        }
        let signed = try (0..<4).map { try Signed(.p256, $0) }
        let shared = Shared(try signed[0].key())
        let mistakes = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            let own = 1 + number % 3
            guard let key = try? signed[own].key() else { return mistakes.withLock { $0 += 1 } }
            let seen = signed.map { ($0.isVerified(by: key), $0.isVerified(by: shared.key)) }
            for (index, (byOwn, byShared)) in seen.enumerated()
            where byOwn != (index == own) || byShared != (index == 0) {
                mistakes.withLock { $0 += 1 }
            }
        }
        #expect(mistakes.withLock { $0 } == 0)
    }

    @Test("More keys at a time than shells are kept are each their own")
    func manyHeld() throws {
        final class Held {
            let key: PublicKey
            init(_ key: consuming PublicKey) { self.key = key }
        }
        let signed = try (0..<50).map { try Signed(.p256, $0) }
        for _ in 0..<2 {
            let held = try signed.map { Held(try $0.key()) }
            for (index, holder) in held.enumerated() {
                let isOwn = signed[index].isVerified(by: holder.key)
                let isNext = signed[(index + 1) % 50].isVerified(by: holder.key)
                #expect(isOwn == true && isNext == false)
            }
        }
    }
}
