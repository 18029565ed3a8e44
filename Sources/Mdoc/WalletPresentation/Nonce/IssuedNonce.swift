internal import CBOR
package import MdocModel
internal import OpenSSLCrypto

/// A channel for presentations without a tap on a reader.
package enum PresentationChannel: String, Sendable {
    /// An app with PassKit (Verify with Wallet).
    case app
    /// A web page, or an Android app, with the Digital Credentials API.
    case web
}

/// The session to which a nonce was issued: a digest of the caller's own session name, so that the name
/// itself is stored nowhere.
package struct SessionBinding: Hashable, Sendable, RedactedDescription {
    /// The SHA-256 of the session name, 32 bytes.
    package let digest: [UInt8]

    package init(session: some Sequence<UInt8>) {
        digest = Digest(.sha256, of: Array(session)[...]).bytes
    }

    /// Restores a stored binding; `nil` if the digest has another size.
    package init?(stored digest: [UInt8]) {
        guard digest.count == HashAlgorithm.sha256.digestSize else { return nil }
        self.digest = digest
    }
}

/// A nonce with the session and channel for which it was issued, and its expiry.
///
/// `check(session:channel:at:)` and `spent(isFirstUse:by:over:at:)` turn it into a `SpentNonce`. Between
/// these two calls, the store marks the nonce as spent in one atomic step.
package struct IssuedNonce: Hashable, Sendable {
    package let nonce: PresentationNonce
    package let session: SessionBinding
    package let channel: PresentationChannel
    /// The last second in which the nonce may be spent.
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

    /// Checks that this session and channel may spend the nonce at `now`. Whether it was spent before is not
    /// checked.
    ///
    /// Call this function before the atomic step in which the store marks the nonce as spent. Otherwise
    /// another session could spend the nonce.
    package func check(
        session: SessionBinding, channel: PresentationChannel, at now: Timestamp
    ) throws(NonceRefusal) {
        guard constantTimeEquals(session.digest[...], self.session.digest[...]) else {
            throw .otherSession
        }
        guard channel == self.channel else { throw .otherChannel }
        guard now <= expires else { throw .expired }
    }

    /// Returns the proof that no other presentation uses the nonce.
    ///
    /// - Parameter isFirstUse: Whether the nonce was unspent before the atomic step in which the store marked
    ///   it as spent. No later step, on any server, may give `true` again for this nonce.
    /// - Throws: `NonceRefusal` if the nonce must not be used.
    package func spent(
        isFirstUse: Bool, by session: SessionBinding, over channel: PresentationChannel, at now: Timestamp
    ) throws(NonceRefusal) -> SpentNonce {
        try check(session: session, channel: channel, at: now)
        guard isFirstUse else { throw .reused }
        return SpentNonce(nonce, isReplayChecked: true)
    }
}

/// The reason that a nonce must not be used.
package enum NonceRefusal: String, CaseIterable, Error, Sendable {
    /// The nonce was not issued here, or was deleted some time after its expiry.
    case unknown = "nonce.unknown"
    case reused = "nonce.reused"
    case otherSession = "nonce.other_session"
    /// The nonce was issued for the web and used by an app, or the reverse.
    case otherChannel = "nonce.other_channel"
    case expired = "nonce.expired"
    case issuedBefore = "nonce.issued_before"
    /// The maximum number of stored nonces is reached.
    case tooMany = "nonce.too_many"
}

/// The proof that a nonce was issued here to this session, has not expired and was not used before.
///
/// Opening a presentation consumes the proof, so that one nonce opens one presentation.
package struct SpentNonce: ~Copyable, Sendable {
    package let nonce: PresentationNonce
    /// Whether a second use of the nonce was ruled out; false for a stored presentation.
    let isReplayChecked: Bool

    fileprivate init(_ nonce: PresentationNonce, isReplayChecked: Bool) {
        self.nonce = nonce
        self.isReplayChecked = isReplayChecked
    }

    /// Accepts the nonce of a stored presentation, which may have been used before. The verdict then says
    /// that replays were not checked.
    package static func acceptingReplays(of nonce: PresentationNonce) -> SpentNonce {
        SpentNonce(nonce, isReplayChecked: false)
    }
}

extension NonceRefusal {
    /// The reason in words, for messages to users.
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
