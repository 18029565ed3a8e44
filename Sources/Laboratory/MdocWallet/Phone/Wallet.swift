internal import CBOR
internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import MdocSession
internal import NDEF
package import OpenSSLCrypto

/// A phone with its documents and its ways: what a card or a bench link is made of.
package struct Wallet: Sendable {
    package var holder: Holder
    package var profile: WalletProfile
    package var entropy: TestEntropy
    package var sessionCurve = Curve.p256
    /// What the person decides from the second request of a session on. Nil means the first decision again.
    package var furtherDecision: Holder.Decision?
    /// How long the person reads before deciding.
    package var consentTime = Duration.zero
    /// Whether status 20 comes along with the response.
    package var endsSessionWithResponse = false
    package var sessionFault: SessionFault?
    package var cardFault: CardFault?
    package var presentationFault: PresentationFault?
    package var version2Fault: WalletVersion2Fault?
    /// How many SELECTs a locked phone refuses before it is unlocked (Q1).
    package var lockedSelects = 0

    package init(holder: Holder, profile: WalletProfile = .generic, entropy: TestEntropy = .openSSL) {
        self.holder = holder
        self.profile = profile
        self.entropy = entropy
    }

    /// The ephemeral key of the `number`th engagement.
    func eDeviceKey(_ number: Int) throws(WalletError) -> COSEKeyPair {
        COSEKeyPair(
            try mapping(
                entropy.key(on: sessionCurve, for: "ephemeral device key \(number)"), WalletError.cryptography
            ))
    }

    /// The engagement of a QR code, with how to reach the phone.
    func qrEngagement(_ number: Int, _ eDeviceKey: COSEKeyPair) throws(WalletError) -> WalletEngagement {
        var methods: [CBORDraft] = []
        if profile.hasBluetooth { methods.append([2, 1, .map(try bluetoothOptions(number))]) }
        if let carrier = profile.nfcCarrier {
            let command = Int64(max(255, carrier.maximumCommandData))
            let response = Int64(max(256, carrier.maximumResponseData))
            methods.append([1, 1, [0: .integer(command), 1: .integer(response)]])
        }
        let bytes = deviceEngagement(eDeviceKey, retrievalMethods: methods)
        return WalletEngagement(
            number: number, deviceEngagement: bytes, handover: .qr, eDeviceKey: eDeviceKey)
    }

    /// BleOptions, with a UUID for each mode that the phone has (8.2.2.3).
    private func bluetoothOptions(_ number: Int) throws(WalletError) -> [CBORDraft.Member] {
        let modes = profile.bluetoothRole.modesInHandoverSelect
        let isServer = modes.contains(.peripheralServer)
        let isClient = modes.contains(.centralClient)
        var options: [CBORDraft.Member] = [
            .init(key: 0, value: .boolean(isServer)), .init(key: 1, value: .boolean(isClient)),
        ]
        if isServer, let uuid = try serviceUUID("phone \(number), server") {
            options.append(.init(key: 10, value: .bytes(uuid.bytes)))
        }
        if isClient, let uuid = try serviceUUID("phone \(number)") {
            options.append(.init(key: 11, value: .bytes(uuid.bytes)))
        }
        if isServer, let psm = profile.l2CAPPSM {
            options.append(.init(key: 21, value: .integer(Int64(psm.value))))
        }
        return options
    }

    /// What the phone brings into an engagement over NFC.
    func nfcContent(_ number: Int, _ eDeviceKey: COSEKeyPair) throws(WalletError) -> NFCHolderContent {
        var carriers = (profile.nfcCarrier.map { [HandoverCarrier.nfc($0)] }) ?? []
        if profile.hasBluetooth {
            let uuid = try serviceUUID("phone \(number)")
            carriers.append(
                .bluetoothLE(BluetoothLEOutOfBand(role: profile.bluetoothRole, serviceUUID: uuid)))
        }
        var content = NFCHolderContent(
            deviceEngagement: deviceEngagement(eDeviceKey, retrievalMethods: []), carriers: carriers)
        cardFault?.edit(&content)
        return content
    }

    /// A random UUID (RFC 9562 5.4).
    func serviceUUID(_ purpose: String) throws(WalletError) -> BluetoothUUID? {
        var uuid = try mapping(entropy.bytes(16, for: "service UUID \(purpose)"), WalletError.cryptography)
        uuid[6] = uuid[6] & 0x0f | 0x40
        uuid[8] = uuid[8] & 0x3f | 0x80
        return BluetoothUUID(uuid)
    }

    /// The engagement of an NFC v2 handover: it names its methods, as that of a QR code does.
    func version2Engagement(_ eDeviceKey: COSEKeyPair, _ methods: [NFCVersion2Method]) -> [UInt8] {
        deviceEngagement(
            eDeviceKey, retrievalMethods: methods.map { .encoded(NFCVersion2Handover.entry($0)) })
    }

    private func deviceEngagement(_ eDeviceKey: COSEKeyPair, retrievalMethods: [CBORDraft]) -> [UInt8] {
        var engagement: CBORDraft = [
            0: .text(profile.engagementVersion), 1: [1, .encoded(Array(eDeviceKey.publicKeyBytes.bytes))],
        ]
        if !retrievalMethods.isEmpty { engagement[2] = .array(retrievalMethods) }
        engagement.members += profile.extraEngagementMembers
        return engagement.encode()
    }
}
