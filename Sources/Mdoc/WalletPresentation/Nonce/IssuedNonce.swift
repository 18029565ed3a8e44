internal import CBOR
package import MdocModel
internal import OpenSSLCrypto

/// Through what a wallet presents outside proximity.
package enum PresentationChannel: String, Sendable {
    /// PassKit, in an app.
    case app
    /// The Digital Credentials API, on a page.
    case web
}

/// To whom a nonce was given: a digest of the caller's own name for the session, so that the name is stored nowhere.
package struct SessionBinding: Hashable, Sendable, RedactedDescription {
    /// 32 bytes.
    package let digest: [UInt8]

    package init(session: some Sequence<UInt8>) {
        digest = Digest(.sha256, of: Array(session)[...]).bytes
    }

    /// One that was stored; nil if it has another size.
    package init?(stored digest: [UInt8]) {
        guard digest.count == HashAlgorithm.sha256.digestSize else { return nil }
        self.digest = digest
    }
}

package struct IssuedNonce: Hashable, Sendable {
    package let nonce: PresentationNonce
    package let session: SessionBinding
    package let channel: PresentationChannel
    /// The last second in which it may be spent.
    package let expires: Timestamp

    package init(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        expires: Timestamp
    ) {
        self.nonce = nonce
        self.session = session
        self.channel = channel
        self.expires = expires
    }

    /// Whether this session and channel may spend it, apart from whether it was spent. Call it before the store's
    /// atomic step, so that nobody can spend another's nonce.
    package func check(
        session: SessionBinding, channel: PresentationChannel, at now: Timestamp
    ) throws(NonceRefusal) {
        guard constantTimeEquals(session.digest[...], self.session.digest[...]) else {
            throw .otherSession
        }
        guard channel == self.channel else { throw .otherChannel }
        guard now <= expires else { throw .expired }
    }

    /// The proof that this presentation alone uses the nonce.
    ///
    /// - Parameter isFirstUse: what one atomic step of the store answered that marks the nonce as spent; no later step,
    ///   on whatever server, may answer true again.
    package func spent(
        isFirstUse: Bool, by session: SessionBinding, over channel: PresentationChannel, at now: Timestamp
    ) throws(NonceRefusal) -> SpentNonce {
        try check(session: session, channel: channel, at: now)
        guard isFirstUse else { throw .reused }
        return SpentNonce(nonce, isReplayChecked: true)
    }
}

/// Why a nonce may not be used.
package enum NonceRefusal: String, CaseIterable, Error, Sendable {
    /// Not issued by us, or so long ago that it is forgotten.
    case unknown = "nonce.unknown"
    case reused = "nonce.reused"
    case otherSession = "nonce.other_session"
    /// Issued for the other of app and web.
    case otherChannel = "nonce.other_channel"
    case expired = "nonce.expired"
    case issuedBefore = "nonce.issued_before"
    /// No more nonces are kept at a time.
    case tooMany = "nonce.too_many"
}

/// The proof that a nonce was ours, this session's, in time and not used before. It goes with the presentation it opens.
package struct SpentNonce: ~Copyable, Sendable {
    package let nonce: PresentationNonce
    /// False if replays are accepted.
    let isReplayChecked: Bool

    fileprivate init(_ nonce: PresentationNonce, isReplayChecked: Bool) {
        self.nonce = nonce
        self.isReplayChecked = isReplayChecked
    }

    /// Offline, where nobody knows whether the nonce was used before; the verdict says so.
    package static func acceptingReplays(of nonce: PresentationNonce) -> SpentNonce {
        SpentNonce(nonce, isReplayChecked: false)
    }
}

extension NonceRefusal {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .unknown: "the nonce was not issued here, or it is too old and was deleted: request a new one"
        case .reused: "the nonce was used before: request a new one"
        case .otherSession: "the nonce was issued to another session: request one for this session"
        case .otherChannel:
            "the nonce was issued for the other channel (app or web): request one for this channel"
        case .expired: "the nonce has expired: request a new one"
        case .issuedBefore: "the same nonce was issued before: request a new one"
        case .tooMany: "the limit of unused nonces is reached: try again later"
        }
    }
}
