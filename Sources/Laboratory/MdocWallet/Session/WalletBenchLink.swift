internal import MdocModel
internal import MdocSession

/// The phone's end of a TCP bench link: a greeting, then the messages of one session. Frames and sockets are the
/// caller's.
package struct WalletBenchLink: ~Copyable, Sendable {
    /// The first frame, to be sent as soon as the reader has connected.
    package let greeting: [UInt8]
    /// The `mdoc:` text, which the greeting holds too.
    package let qr: String
    package var session: WalletSession

    /// The phone for its `number`th reader; each reader gets a new engagement.
    package init(
        _ wallet: Wallet, handover kind: HandoverKind, number: Int = 1, now: ContinuousClock.Instant
    ) throws(WalletError) {
        try self.init(wallet, engaged: try wallet.engagement(kind, number: number, now: now))
    }

    /// The phone for the reader that it has been engaged with.
    package init(_ wallet: Wallet, engaged engagement: WalletEngagement) throws(WalletError) {
        let scanned: WalletEngagement
        var messages: (select: [UInt8]?, request: [UInt8]?)
        switch engagement.handover {
        case .qr: scanned = engagement
        case .nfc(let select, let request):
            scanned = try wallet.qrEngagement(engagement.number, engagement.eDeviceKey)
            messages = (select, request)
        case .nfcVersion2(let select, let request):
            scanned = try wallet.qrEngagement(engagement.number, engagement.eDeviceKey)
            messages = (select, request)
        }
        qr = scanned.uri
        greeting = BenchLinkGreeting(
            qr: qr, deviceEngagement: engagement.deviceEngagement, handoverSelect: messages.select,
            handoverRequest: messages.request, isVersion2: engagement.handover.numbersMessages
        ).encoded()
        session = WalletSession(wallet, engagement: engagement)
    }
}
