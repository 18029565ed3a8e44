import CBOR
import COSE
import MdocModel
import MdocSession
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("Holder session")
struct HolderSessionTests {
    @Test("After a message that does not open, nothing is opened or sealed any more")
    func afterFailure() throws {
        var pair = try SessionPair()
        var message = try pair.reader.transmit([1]).message
        let good = message
        message[message.count - 1] ^= 1
        #expect(throws: SessionError.decryptionFailed) { _ = try pair.holder.receive(message[...]) }
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.receive(good[...]) }
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.seal([1]) }
    }

    @Test("After a further message that does not open, no new session is set up")
    func afterLaterFailure() throws {
        var pair = try SessionPair()
        let establishment = try pair.reader.transmit([1]).message
        _ = try pair.holder.receive(establishment[...])
        let broken = SessionData.encode(data: [UInt8](repeating: 0, count: 20), status: nil)
        #expect(throws: SessionError.decryptionFailed) { _ = try pair.holder.receive(broken[...]) }
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.receive(establishment[...]) }
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.seal([1]) }
    }

    @Test(
        "After a message that does not decode, the session is over",
        arguments: [
            ("80", .unexpectedType(expected: .map, at: 0)), ("a0", .missingMember(at: 0)),
            ("", .truncated(at: 0)),
        ] as [(String, CBORError)])
    func afterMalformed(_ hex: String, error: CBORError) throws {
        for isFirst in [true, false] {
            var pair = try SessionPair()
            let establishment = try pair.reader.transmit([1]).message
            if !isFirst { _ = try pair.holder.receive(establishment[...]) }
            let structure = isFirst ? MdocStructure.sessionEstablishment : .sessionData
            #expect(throws: SessionError.malformed(.malformed(structure, error))) {
                _ = try pair.holder.receive([UInt8](hex: hex)[...])
            }
            #expect(throws: SessionError.unexpectedMessage) {
                _ = try pair.holder.receive(establishment[...])
            }
            #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.seal([1]) }
        }
    }

    @Test("After a status the session is over", arguments: [10, 11, 20] as [UInt64])
    func afterStatus(_ number: UInt64) throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let status = SessionStatus(rawValue: number)
        let received = try pair.holder.receive(SessionData.encode(data: nil, status: status)[...])
        #expect(received.status == status)
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.seal([1]) }
        #expect(throws: SessionError.unexpectedMessage) {
            _ = try pair.holder.receive(
                SessionData.encode(data: [UInt8](repeating: 0, count: 20), status: nil)[...])
        }
    }

    @Test("Nothing is sealed before the reader's key is known")
    func sealBeforeRequest() throws {
        var pair = try SessionPair()
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.holder.seal([1]) }
        #expect(pair.holder.transcript == nil)
    }

    @Test("Q197 A repeated request is not opened")
    func replay() throws {
        var pair = try SessionPair()
        let message = try pair.reader.transmit([1]).message
        _ = try pair.holder.receive(message[...])
        let replayed = SessionData.encode(
            data: Array(try SessionEstablishment(message[...]).data), status: nil)
        #expect(throws: SessionError.decryptionFailed) { _ = try pair.holder.receive(replayed[...]) }
    }

    @Test("Q48 A reader key on another curve, or off its curve, is refused")
    func readerKey() throws {
        let device = COSEKeyPair(try PrivateKey.generate(.p256))
        for isOffCurve in [true, false] {
            let other = COSEKeyPair(try PrivateKey.generate(isOffCurve ? .p256 : .p384))
            var key = Array(other.publicKeyBytes.content)
            if isOffCurve { key[key.count - 1] ^= 1 }
            let message = SessionEstablishment.encode(
                eReaderKey: EncodedCBOR(embedding: key), data: [UInt8](repeating: 0, count: 20))
            var holder = HolderSession(
                deviceEngagement: SessionPair.engagement(device), handover: .qr, eDeviceKey: device)
            #expect(throws: SessionError.keyAgreementFailed) { _ = try holder.receive(message[...]) }
        }
    }
}
