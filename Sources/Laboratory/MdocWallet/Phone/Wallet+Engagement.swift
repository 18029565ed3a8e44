package import COSE
package import MdocModel
internal import MdocSession
internal import NDEF

extension Wallet {
    /// The `number`th engagement of this phone. Over NFC it is held in memory, with a reader that offers all it
    /// can, so that the handover messages are those that would be exchanged.
    package func engagement(
        _ kind: HandoverKind, number: Int = 1, now: ContinuousClock.Instant
    ) throws(WalletError) -> WalletEngagement {
        let key = try eDeviceKey(number)
        guard kind != .qr else { return try qrEngagement(number, key) }
        let content = try nfcContent(number, key)
        let readerUUID = try serviceUUID("reader \(number)")
        return WalletEngagement(
            number: number, deviceEngagement: content.deviceEngagement,
            handover: try handover(kind, content: content, readerUUID: readerUUID, now: now), eDeviceKey: key)
    }

    private func handover(
        _ kind: HandoverKind, content: NFCHolderContent, readerUUID: BluetoothUUID?,
        now: ContinuousClock.Instant
    ) throws(WalletError) -> Handover {
        guard let behaviour = profile.behaviours[kind] else { throw .handoverNotInProfile(kind) }
        var phone = NFCEngagementHolder(behaviour, content: content)
        let limits = NFCReaderLimits(
            maximumCommandData: 65_535, maximumResponseData: 65_536, extendedLength: true)
        let bluetooth = readerUUID.map {
            NFCOffer.BluetoothLE(serviceUUID: $0, role: .bothCentralPreferred)
        }
        var reader = NFCEngagementReader(
            limits: limits, offer: NFCOffer(bluetoothLE: bluetooth, nfc: limits.carrier))
        var now = now
        var action = reader.start(now: now)
        while true {
            switch action {
            case .transmit(let command):
                action = reader.receive(phone.answer(command[...], now: now)[...], now: now)
            case .wait(let until):
                now = until
                action = reader.expire(now: now)
            case .deliver(let handover):
                return .nfc(select: handover.handoverSelect, request: handover.handoverRequest)
            case .end(let reason): throw .engagementFailed(reason)
            }
        }
    }
}

/// What engaged one session: the engagement's bytes, how it reached the reader, and the key behind it.
package struct WalletEngagement: Sendable {
    /// Counts the engagements of the phone.
    package let number: Int
    package let deviceEngagement: [UInt8]
    package let handover: Handover
    package let eDeviceKey: COSEKeyPair
    /// After an NFC v2 handover: the session that NFC has, for Bluetooth to join.
    var session: SharedWalletSession?

    package init(
        number: Int, deviceEngagement: [UInt8], handover: Handover, eDeviceKey: COSEKeyPair
    ) {
        self.number = number
        self.deviceEngagement = deviceEngagement
        self.handover = handover
        self.eDeviceKey = eDeviceKey
    }

    package var uri: String { EngagementURI.text(for: deviceEngagement) }
}

/// How a phone engages (ISO/IEC 18013-5 8.2).
package enum HandoverKind: String, CaseIterable, Sendable {
    case qr
    /// NFC: the first message is the Handover Select.
    case `static`
    /// NFC: the Handover Select answers the reader's Handover Request.
    case negotiated
}
