import CBOR
import MdocModel
import MdocSession
import OpenSSLCrypto
import Testing
import VectorFiles

@testable import COSE

/// ISO/IEC 18013-5 Annex D.3 and D.5.1: engagement, transcript and session encryption.
@Suite("Annex D, session")
struct AnnexDSessionTests {
    let annex: AnnexD

    init() throws {
        annex = try AnnexD.load()
    }

    @Test(
        "Each public key is the one of its private key",
        arguments: ["eReaderKey", "eDeviceKey", "sDeviceKey"])
    func publicKeys(_ name: String) throws {
        let pair = try annex.key(name)
        #expect(try pair.privateKey.x == annex("\(name)_x"))
        #expect(try pair.privateKey.y == annex("\(name)_y"))
    }

    @Test("A scalar one higher gives another public key")
    func anotherKey() throws {
        var scalar = try annex("eReaderKey_d")
        scalar[31] ^= 1
        let key = try PrivateKey(curve: .p256, scalar: scalar[...])
        #expect(try key.x != annex("eReaderKey_x"))
    }

    @Test("The engagement of the QR code is read, and its URI is written and read back")
    func qr() throws {
        let bytes = try annex("deviceEngagement_qr")
        let uri = try annex.text("deviceEngagement_qr_uri")
        #expect(EngagementURI.text(for: bytes) == uri)
        #expect(try EngagementURI.deviceEngagement(in: uri) == bytes)
        let engagement = try DeviceEngagement(bytes[...])
        #expect(engagement.version == "1.0")
        #expect(try engagement.eDeviceKeyBytes.bytes.elementsEqual(annex("eDeviceKeyBytes")))
        #expect(engagement.malformedMembers.isEmpty)
        guard case .ble(let options) = engagement.retrievalMethods.first else {
            Issue.record("no BLE")
            return
        }
        #expect(engagement.retrievalMethods.count == 1)
        #expect(options.peripheralServerUUID == nil)
        #expect(options.centralClientUUID?.hex == "45efef742b2c4837a9a3b0e1d05a6917")
    }

    @Test("A character less, and the URI holds no engagement")
    func qrCut() throws {
        let uri = try annex.text("deviceEngagement_qr_uri")
        #expect(throws: MdocModelError.notAnEngagementURI) {
            try DeviceEngagement(EngagementURI.deviceEngagement(in: String(uri.dropLast()))[...])
        }
    }

    @Test("EDeviceKeyBytes and EReaderKeyBytes are what our encoder writes for these keys")
    func keyBytes() throws {
        #expect(try annex.key("eDeviceKey").publicKeyBytes.bytes.elementsEqual(annex("eDeviceKeyBytes")))
        let stored = try SessionTranscript(stored: annex.content("sessionTranscriptBytes")[...])
        #expect(try annex.key("eReaderKey").publicKeyBytes.bytes == stored.eReaderKeyBytes?.bytes)
    }

    @Test("Q44 Q45 The transcript is rebuilt byte for byte from engagement, key and handover messages")
    func transcript() throws {
        let parts = try annex.transcript().bytesParts
        #expect(try Array(parts.joined()) == annex("sessionTranscriptBytes"))
    }

    @Test("Without the Handover Request it is another transcript")
    func otherTranscript() throws {
        let other = SessionTranscript(
            deviceEngagement: try annex.engagement(), eReaderKey: try annex.key("eReaderKey").publicKeyBytes,
            handover: .nfc(select: try annex("nfcHandoverSelect"), request: nil))
        #expect(try Array(other.bytesParts.joined()) != annex("sessionTranscriptBytes"))
    }

    @Test("Zab is the shared secret of both ephemeral keys, from either side")
    func sharedSecret() throws {
        let reader = try annex.key("eReaderKey")
        let device = try annex.key("eDeviceKey")
        let expected = SecretBytes(copying: try annex("sharedSecret_Zab")[...])
        #expect(try reader.privateKey.sharedSecret(with: device.privateKey.publicKey()).equals(expected))
        #expect(try device.privateKey.sharedSecret(with: reader.privateKey.publicKey()).equals(expected))
        let document = try annex.key("sDeviceKey")
        #expect(try !reader.privateKey.sharedSecret(with: document.privateKey.publicKey()).equals(expected))
    }

    @Test("Salt, SKReader, SKDevice and EMacKey are derived")
    func derivedKeys() throws {
        let salt = Digest(.sha256, ofParts: try annex.transcript().bytesParts).bytes
        #expect(try salt == annex("hkdfSalt"))
        for (secret, info, name) in [
            ("sharedSecret_Zab", "SKReader", "skReader"), ("sharedSecret_Zab", "SKDevice", "skDevice"),
            ("eMacKey_Zab", "EMacKey", "eMacKey"),
        ] {
            let key = try hkdfSHA256(
                secret: SecretBytes(copying: annex(secret)[...]), salt: salt[...],
                info: Array(info.utf8)[...],
                count: 32)
            #expect(try key.equals(SecretBytes(copying: annex(name)[...])), "\(name)")
        }
    }

    @Test("The reader writes the published SessionEstablishment and opens the published SessionData")
    func reader() throws {
        var session = try readerSession()
        guard case .transmit(let message, _) = try session.send(annex("deviceRequest")[...], now: .now) else {
            Issue.record("nothing sent")
            return
        }
        #expect(try message == annex("sessionEstablishment"))
        guard
            case .deliver(let response, isEnded: false) = try session.receive(
                annex("sessionData")[...], now: .now)
        else {
            Issue.record("nothing delivered")
            return
        }
        #expect(try response == annex("deviceResponse"))
    }

    @Test("The mdoc opens the published SessionEstablishment and writes the published SessionData")
    func holder() throws {
        var session = HolderSession(
            deviceEngagement: try annex.engagement(), handover: try annex.handover(),
            eDeviceKey: try annex.key("eDeviceKey"))
        guard case .request(let request) = try session.receive(annex("sessionEstablishment")[...]) else {
            Issue.record("no request")
            return
        }
        #expect(try request == annex("deviceRequest"))
        #expect(try session.seal(annex("deviceResponse")[...]) == annex("sessionData"))
        #expect(
            try session.transcript?.encoded.elementsEqual(annex.content("sessionTranscriptBytes")) == true)
    }

    @Test("One bit anywhere in the encrypted message ends the session", arguments: [40, 1500, 3586])
    func changedBit(_ index: Int) throws {
        var session = try readerSession()
        _ = try session.send(annex("deviceRequest")[...], now: .now)
        var message = try annex("sessionData")
        message[index] ^= 1
        guard
            case .end(.failed(.decryptionFailed), let terminationMessage) = session.receive(
                message[...], now: .now)
        else {
            Issue.record("a changed message was opened")
            return
        }
        #expect(terminationMessage == [UInt8](hex: "a1667374617475730a"))
    }

    @Test("The published termination message is status 20, and ends the session with no answer to it")
    func termination() throws {
        #expect(try SessionData.encode(data: nil, status: .termination) == annex("sessionTermination"))
        var session = try readerSession()
        _ = try session.send(annex("deviceRequest")[...], now: .now)
        guard
            case .end(.status(.termination), terminationMessage: nil) = try session.receive(
                annex("sessionTermination")[...], now: .now)
        else {
            Issue.record("not ended by the status")
            return
        }
    }

    @Test("The Ident of the ephemeral key is derived")
    func ident() throws {
        let ident = try hkdfSHA256(
            secret: SecretBytes(copying: annex("eDeviceKeyBytes")[...]), salt: [],
            info: Array("BLEIdent".utf8)[...], count: 16)
        #expect(try ident.equals(SecretBytes(copying: annex("bleIdent")[...])))
    }

    private func readerSession() throws -> ReaderSession {
        try ReaderSession(
            engagement: DeviceEngagement(annex.engagement()[...]), handover: annex.handover(),
            eReaderKey: annex.key("eReaderKey"))
    }
}
