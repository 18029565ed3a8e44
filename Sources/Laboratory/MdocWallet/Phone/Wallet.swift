internal import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import MdocSession
internal import NDEF
package import OpenSSLCrypto
package import WalletPresentation

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
    private func serviceUUID(_ purpose: String) throws(WalletError) -> BluetoothUUID? {
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

/// Why a wallet cannot be set up or a case not be written.
package enum WalletError: Error, Equatable, Sendable {
    case handoverNotInProfile(HandoverKind)
    /// The engagement in memory did not reach a handover.
    case engagementFailed(NFCEndReason)
    case session(SessionError)
    /// The request is not answered.
    case holder(HolderError)
    /// The request of an app or a page is malformed.
    case presentation(WalletPresentationError)
    case cryptography(OpenSSLCryptoError)
}

// The wallet asked by an app on its phone, and by a page.
extension Wallet {
    /// The envelope that answers an app (Verify with Wallet), with the wallet's fault if it has one; nil if the holder
    /// declines.
    package func envelope(
        answering items: ItemsRequest, of merchant: MerchantIdentity, nonce: PresentationNonce,
        for recipient: RecipientKey
    ) throws(WalletError) -> [UInt8]? {
        let asking = try mapping(
            presentationFault?.asking(merchant, nonce) ?? (merchant: merchant, nonce: nonce),
            WalletError.presentation)
        let transcript = SessionTranscript.inApp(
            asking.merchant, nonce: asking.nonce, recipientKeyHash: recipient.hash)
        guard let response = try response(to: DeviceRequest.encode([(items.encoded(), nil)]), in: transcript)
        else { return nil }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(recipient.pair.privateKey.publicKey())
            let envelope = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("envelope", in: transcript))
            guard let presentationFault else { return envelope }
            let other = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(
                envelope: envelope, swappingWith: other, recipientKeyHash: recipient.hash)
        } catch {
            throw .cryptography(error)
        }
    }

    /// The text that answers a page (ISO/IEC TS 18013-7 Annex C), with the wallet's fault if it has one; nil if the
    /// holder declines.
    package func webResponse(
        answering deviceRequest: [UInt8], encryptionInfo: EncryptionInfo, on origin: WebOrigin
    ) throws(WalletError) -> String? {
        let asking = try mapping(
            presentationFault?.asking(encryptionInfo, on: origin) ?? (
                info: encryptionInfo.text, origin: origin
            ), WalletError.presentation)
        let transcript = SessionTranscript.onTheWeb(encryptionInfo: asking.info, origin: asking.origin)
        guard let response = try response(to: deviceRequest, in: transcript) else { return nil }
        let own = try mapping(encryptionInfo.recipientKey.publicKey()) { (error: COSEError) in
            WalletError.holder(.readerKey(error))
        }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(own)
            let text = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("response", in: transcript))
            guard let presentationFault else { return text }
            let other = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(webResponse: text, swappingWith: other)
        } catch {
            throw .cryptography(error)
        }
    }

    /// DeviceResponse; nil if the holder declines.
    private func response(
        to deviceRequest: [UInt8], in transcript: SessionTranscript
    ) throws(WalletError) -> [UInt8]? {
        let answer = try mapping(
            holder.answer(deviceRequest[...], transcript: transcript), WalletError.holder)
        guard case .response(let response) = answer else { return nil }
        guard let presentationFault, let item = try? CBORItem.parse(response[...]) else { return response }
        var draft = CBORDraft(item)
        presentationFault.edit(response: &draft)
        return draft.encode()
    }

    /// A key that seals in this transcript alone.
    private func ephemeralKey(
        _ purpose: String, in transcript: SessionTranscript
    ) throws(OpenSSLCryptoError) -> PrivateKey {
        let digest = Base64URL.encode(Digest(.sha256, of: transcript.encoded).bytes)
        return try entropy.key(on: .p256, for: "ephemeral key \(purpose) \(digest)")
    }

    /// For whom it is sealed.
    private func recipientKey(_ own: consuming PublicKey) throws(OpenSSLCryptoError) -> PublicKey {
        guard presentationFault == .otherKey else { return own }
        return try entropy.key(on: .p256, for: "other recipient").publicKey()
    }
}
