internal import ErrorMapping
package import MdocModel
internal import Synchronization
package import WalletPresentation

/// The nonces of one server that forgets them when it ends.
package final class MemoryNonces: NonceStore {
    private let ledger: Mutex<NonceLedger>
    private let time: MonotonicTime

    package init(_ terms: NonceTerms = NonceTerms(), time: MonotonicTime = MonotonicTime()) {
        self.time = time
        ledger = Mutex(NonceLedger(lifetime: terms.lifetime, capacity: terms.capacity))
    }

    package func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) throws(NonceStoreError) -> IssuedNonce {
        guard asked.count <= NonceTerms.longestAsked else { throw .askedTooLong }
        let now = time.time(at: now)
        return try mapping(
            ledger.withLock { ledger throws(NonceRefusal) in
                try ledger.issue(nonce, to: session, for: channel, asked: asked, at: now)
            }, NonceStoreError.refused)
    }

    package func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) throws(NonceStoreError) -> SpentRequest {
        let now = time.time(at: now)
        return try mapping(
            ledger.withLock { ledger throws(NonceRefusal) in
                let spent = try ledger.spend(nonce, by: session, over: channel, at: now)
                return SpentRequest(spent, asked: ledger.asked(with: nonce))
            }, NonceStoreError.refused)
    }
}
