package import MdocModel
internal import MdocSession

/// The phone's end of a TCP bench link: a greeting, then one answer for each message. Frames and sockets are the
/// caller's.
package struct WalletBenchLink: ~Copyable, Sendable {
    /// The first frame, to be sent as soon as the reader has connected.
    package let greeting: [UInt8]
    /// The `mdoc:` text, which the greeting holds too.
    package let qr: String
    private var session: WalletSession

    /// The phone for its `number`th reader; each gets an engagement of its own.
    package init(
        _ wallet: Wallet, handover kind: HandoverKind, number: Int = 1, now: ContinuousClock.Instant
    ) throws(WalletError) {
        let key = try wallet.eDeviceKey(number)
        let engagement = try wallet.engagement(kind, number: number, key, now: now)
        let scanned = kind == .qr ? engagement : try wallet.qrEngagement(number, key)
        qr = EngagementURI.text(for: scanned.deviceEngagement)
        var messages: (select: [UInt8]?, request: [UInt8]?)
        if case .nfc(let select, let request) = engagement.handover { messages = (select, request) }
        greeting = BenchLinkGreeting(
            qr: qr, deviceEngagement: engagement.deviceEngagement, handoverSelect: messages.select,
            handoverRequest: messages.request
        ).encoded()
        session = WalletSession(wallet, engagement: engagement)
    }

    /// The request that came last, decrypted.
    package var deviceRequest: [UInt8]? { session.deviceRequest }

    /// The status with which the reader ended the session, once it has.
    package var readerStatus: SessionStatus? { session.readerStatus }

    /// Takes a frame from the reader.
    package mutating func receive(_ frame: ArraySlice<UInt8>) -> WalletSession.Reply {
        session.receive(frame)
    }
}
