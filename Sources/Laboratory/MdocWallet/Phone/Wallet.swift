internal import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import MdocSession
internal import NDEF
package import OpenSSLCrypto
package import WalletPresentation

/// A software phone with a wallet: its documents, its behaviour, and the one fault that it makes.
///
/// A wallet is a value without session state. It is used in three ways:
/// - ``WalletCard`` is the phone on a PC/SC reader.
/// - ``WalletBenchLink`` is the phone at the end of a bench link. ``WalletSession`` is the phone's side of
///   one session.
/// - ``envelope(answering:of:nonce:for:)`` and ``webResponse(answering:encryptionInfo:on:)`` answer an app
///   and a web page.
///
/// The parts of a wallet are independent of each other:
/// - `holder` answers requests and decides in place of a person.
/// - `profile` determines how the phone makes its engagement. Most profiles imitate a wallet that real phones
///   use.
/// - `entropy` is the source of keys and random bytes. With a seed they are the same in each run.
/// - A fault breaks one rule of one layer: `cardFault` of the card, `version2Fault` of NFC v2, `sessionFault`
///   of the session encryption, `presentationFault` of a presentation channel. Faults of the response are in
///   `holder`, faults of the document in its issuer.
///
/// A wallet does no I/O and reads no clock. Times are arguments, and delays are returned to the caller.
/// Wallets are for tests, demonstrations and the corpus only. No program that a shop runs links this module
/// (`Tests/Architecture/LaboratoryTests`).
package struct Wallet: Sendable {
    package var holder: Holder
    package var profile: WalletProfile
    package var entropy: TestEntropy
    package var sessionCurve = Curve.p256
    /// The person's decision on the second and later requests of a session. Nil to repeat the first decision.
    package var furtherDecision: Holder.Decision?
    /// The time that the person needs to read a request before deciding.
    package var consentTime = Duration.zero
    /// Whether the message with the response also has status 20, which ends the session.
    package var endsSessionWithResponse = false
    package var sessionFault: SessionFault?
    package var cardFault: CardFault?
    package var presentationFault: PresentationFault?
    package var version2Fault: WalletVersion2Fault?
    /// The number of SELECT commands that the phone refuses before it is unlocked (Q1).
    package var lockedSelects = 0

    package init(holder: Holder, profile: WalletProfile = .generic, entropy: TestEntropy = .openSSL) {
        self.holder = holder
        self.profile = profile
        self.entropy = entropy
    }

    /// Makes the ephemeral key of the `number`th engagement.
    func eDeviceKey(_ number: Int) throws(WalletError) -> COSEKeyPair {
        COSEKeyPair(
            try mapping(
                entropy.key(on: sessionCurve, for: "ephemeral device key \(number)"), WalletError.cryptography
            ))
    }

    /// Makes the engagement of a QR code, which names the phone's retrieval methods.
    func qrEngagement(_ number: Int, _ eDeviceKey: COSEKeyPair) throws(WalletError) -> WalletEngagement {
        // A RetrievalMethod is a type, a version and options (8.2.1.1). Type 2 is Bluetooth LE, type 1 NFC.
        var methods: [CBORDraft] = []
        if profile.hasBluetooth { methods.append([2, 1, .map(try bluetoothOptions(number))]) }
        if let carrier = profile.nfcCarrier {
            // NfcOptions allow no less than 255 bytes for commands and 256 for responses.
            let command = Int64(max(255, carrier.maximumCommandData))
            let response = Int64(max(256, carrier.maximumResponseData))
            methods.append([1, 1, [0: .integer(command), 1: .integer(response)]])
        }
        let bytes = deviceEngagement(eDeviceKey, retrievalMethods: methods)
        return WalletEngagement(
            number: number, deviceEngagement: bytes, handover: .qr, eDeviceKey: eDeviceKey)
    }

    /// Makes BleOptions (8.2.2.3), with a UUID for each Bluetooth mode that the phone has.
    ///
    /// Members 0 and 1 say which modes the phone has: mdoc peripheral server mode and mdoc central client
    /// mode. Members 10 and 11 are their UUIDs, and 21 is the L2CAP channel of the server.
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

    /// Makes the content of an engagement over NFC: the engagement's bytes and the carriers that the phone
    /// offers.
    func nfcContent(_ number: Int, _ eDeviceKey: COSEKeyPair) throws(WalletError) -> NFCHolderContent {
        var carriers = (profile.nfcCarrier.map { [HandoverCarrier.nfc($0)] }) ?? []
        if profile.hasBluetooth {
            let uuid = try serviceUUID("phone \(number)")
            carriers.append(
                .bluetoothLE(BluetoothLEOutOfBand(role: profile.bluetoothRole, serviceUUID: uuid)))
        }
        // The carriers are in the Handover Select, so the engagement itself names no retrieval method.
        var content = NFCHolderContent(
            deviceEngagement: deviceEngagement(eDeviceKey, retrievalMethods: []), carriers: carriers)
        cardFault?.edit(&content)
        return content
    }

    /// Makes a random UUID (RFC 9562 5.4). Its bits for version and variant have fixed values.
    private func serviceUUID(_ purpose: String) throws(WalletError) -> BluetoothUUID? {
        var uuid = try mapping(entropy.bytes(16, for: "service UUID \(purpose)"), WalletError.cryptography)
        uuid[6] = uuid[6] & 0x0f | 0x40
        uuid[8] = uuid[8] & 0x3f | 0x80
        return BluetoothUUID(uuid)
    }

    /// Makes the engagement of an NFC v2 handover. Unlike the engagement of a classic NFC handover, this
    /// engagement names the retrieval methods itself.
    func version2Engagement(_ eDeviceKey: COSEKeyPair, _ methods: [NFCVersion2Method]) -> [UInt8] {
        deviceEngagement(
            eDeviceKey, retrievalMethods: methods.map { .encoded(NFCVersion2Handover.entry($0)) })
    }

    /// Encodes a DeviceEngagement, with the further members of the profile.
    private func deviceEngagement(_ eDeviceKey: COSEKeyPair, retrievalMethods: [CBORDraft]) -> [UInt8] {
        // Members of DeviceEngagement (8.2.1.1): 0 is the version, 1 the cipher suite with the key, 2 the
        // retrieval methods.
        var engagement: CBORDraft = [
            0: .text(profile.engagementVersion), 1: [1, .encoded(Array(eDeviceKey.publicKeyBytes.bytes))],
        ]
        if !retrievalMethods.isEmpty { engagement[2] = .array(retrievalMethods) }
        engagement.members += profile.extraEngagementMembers
        return engagement.encode()
    }
}

extension Wallet {
    /// Makes the `number`th engagement of this phone.
    ///
    /// An engagement over NFC is made with a reader in memory, which offers every carrier. The phone and this
    /// reader exchange the same handover messages as in a real tap.
    ///
    /// - Throws: `WalletError.handoverNotInProfile` if the profile has no such handover.
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

    /// Lets the phone engage with a reader in memory, and returns the handover on which both sides agreed.
    private func handover(
        _ kind: HandoverKind, content: NFCHolderContent, readerUUID: BluetoothUUID?,
        now: ContinuousClock.Instant
    ) throws(WalletError) -> Handover {
        guard let behaviour = profile.behaviours[kind] else { throw .handoverNotInProfile(kind) }
        var phone = NFCEngagementHolder(behaviour, content: content)
        // The reader in memory has the maximum limits of extended length (ISO/IEC 7816-4), so that only the
        // phone's limits apply to the messages.
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
                // This exchange in memory does not really wait: the time passed to the phone is set to the
                // end of the wait.
                now = until
                action = reader.expire(now: now)
            case .deliver(let handover):
                return .nfc(select: handover.handoverSelect, request: handover.handoverRequest)
            case .end(let reason): throw .engagementFailed(reason)
            }
        }
    }
}

/// The engagement of one session: its bytes, the handover that brought it to the reader, and the ephemeral
/// key pair.
package struct WalletEngagement: Sendable {
    /// The number of this engagement among the phone's engagements, from 1.
    package let number: Int
    package let deviceEngagement: [UInt8]
    package let handover: Handover
    package let eDeviceKey: COSEKeyPair
    /// The session that began over NFC, which Bluetooth continues. Nil unless the handover is NFC v2.
    var session: SharedWalletSession?

    package init(
        number: Int, deviceEngagement: [UInt8], handover: Handover, eDeviceKey: COSEKeyPair
    ) {
        self.number = number
        self.deviceEngagement = deviceEngagement
        self.handover = handover
        self.eDeviceKey = eDeviceKey
    }

    /// The `mdoc:` text of a QR code with this engagement.
    package var uri: String { EngagementURI.text(for: deviceEngagement) }
}

/// The ways in which a phone engages (ISO/IEC 18013-5 8.2).
package enum HandoverKind: String, CaseIterable, Sendable {
    /// A QR code, which the reader scans.
    case qr
    /// NFC. The first message is the Handover Select.
    case `static`
    /// NFC. The Handover Select answers the reader's Handover Request.
    case negotiated
}

/// A reason why a wallet, an engagement or a corpus case cannot be made, or why a request cannot be answered.
package enum WalletError: Error, Equatable, Sendable {
    case handoverNotInProfile(HandoverKind)
    /// The NFC engagement with the reader in memory ended without a handover.
    case engagementFailed(NFCEndReason)
    case session(SessionError)
    /// The holder could not answer the request.
    case holder(HolderError)
    /// The request of an app or a web page is malformed.
    case presentation(WalletPresentationError)
    case cryptography(OpenSSLCryptoError)
}

// Presentation channels: an app on the phone, or a web page, asks the wallet.
extension Wallet {
    /// Makes the envelope that answers an app (Verify with Wallet), with the wallet's `presentationFault`.
    ///
    /// - Returns: the envelope, or nil if the holder declines.
    package func envelope(
        answering items: ItemsRequest, of merchant: MerchantIdentity, nonce: PresentationNonce,
        for recipient: RecipientKey
    ) throws(WalletError) -> [UInt8]? {
        let input = try mapping(
            presentationFault?.edited(merchant: merchant, nonce: nonce) ?? (merchant: merchant, nonce: nonce),
            WalletError.presentation)
        let transcript = SessionTranscript.inApp(
            input.merchant, nonce: input.nonce, recipientKeyHash: recipient.hash)
        guard let response = try response(to: DeviceRequest.encode([(items.encoded(), nil)]), in: transcript)
        else { return nil }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(recipient.pair.privateKey.publicKey())
            let envelope = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("envelope", in: transcript))
            guard let presentationFault else { return envelope }
            // A second envelope is sealed, because a fault may copy a part of it, such as the ephemeral key.
            let other = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(
                envelope: envelope, swappingWith: other, recipientKeyHash: recipient.hash)
        } catch {
            throw .cryptography(error)
        }
    }

    /// Makes the text that answers a web page (ISO/IEC TS 18013-7 Annex C), with the wallet's
    /// `presentationFault`.
    ///
    /// - Returns: the text, or nil if the holder declines.
    package func webResponse(
        answering deviceRequest: [UInt8], encryptionInfo: EncryptionInfo, on origin: WebOrigin
    ) throws(WalletError) -> String? {
        let input = try mapping(
            presentationFault?.edited(encryptionInfo: encryptionInfo, origin: origin) ?? (
                info: encryptionInfo.text, origin: origin
            ), WalletError.presentation)
        let transcript = SessionTranscript.onTheWeb(encryptionInfo: input.info, origin: input.origin)
        guard let response = try response(to: deviceRequest, in: transcript) else { return nil }
        let own = try mapping(encryptionInfo.recipientKey.publicKey()) { (error: COSEError) in
            WalletError.holder(.readerKey(error))
        }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(own)
            let text = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("response", in: transcript))
            guard let presentationFault else { return text }
            // A second answer is sealed, because a fault may copy a part of it, such as the ephemeral key.
            let other = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(webResponse: text, swappingWith: other)
        } catch {
            throw .cryptography(error)
        }
    }

    /// Makes the DeviceResponse. Returns nil if the holder declines.
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

    /// Makes an ephemeral key. With a seed, the key depends only on the seed, `purpose` and the transcript.
    private func ephemeralKey(
        _ purpose: String, in transcript: SessionTranscript
    ) throws(OpenSSLCryptoError) -> PrivateKey {
        let digest = Base64URL.encode(Digest(.sha256, of: transcript.encoded).bytes)
        return try entropy.key(on: .p256, for: "ephemeral key \(purpose) \(digest)")
    }

    /// Returns the key for which the answer is sealed: the recipient's key, or another key if
    /// `presentationFault` is `otherKey`.
    private func recipientKey(_ own: consuming PublicKey) throws(OpenSSLCryptoError) -> PublicKey {
        guard presentationFault == .otherKey else { return own }
        return try entropy.key(on: .p256, for: "other recipient").publicKey()
    }
}
