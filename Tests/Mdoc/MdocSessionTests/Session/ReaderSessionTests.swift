import CBOR
import COSE
import MdocModel
import MdocSession
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("Reader session")
struct ReaderSessionTests {
    private let now = SessionPair.start

    @Test(
        "Request and response pass on every curve of cipher suite 1, with every handover",
        arguments: SessionPair.curves)
    func everyCurve(_ curve: Curve) throws {
        for handover in [
            Handover.qr, .nfc(select: [1, 2, 3], request: nil), .nfc(select: [1], request: [2]),
        ] {
            var pair = try SessionPair(curve, handover: handover)
            #expect(try pair.request([1, 2, 3]) == [1, 2, 3])
            let response = try pair.holder.seal([4, 5, 6])
            let action = pair.reader.receive(response[...], now: now)
            #expect(action.delivered == [4, 5, 6])
            #expect(pair.holder.transcript?.encoded == pair.reader.transcript.encoded)
        }
    }

    @Test("Q45 Another handover on one side, and nothing is opened")
    func otherHandover() throws {
        for (one, other) in [
            (Handover.qr, Handover.nfc(select: [1], request: nil)),
            (.nfc(select: [1], request: nil), .nfc(select: [1], request: [])),
            (.nfc(select: [1], request: [2]), .nfc(select: [1, 0], request: [2])),
        ] {
            var pair = try SessionPair(handover: one, holderHandover: other)
            let message = try pair.reader.transmit([1]).message
            #expect(throws: SessionError.decryptionFailed) { _ = try pair.holder.receive(message[...]) }
        }
    }

    @Test("Q44 Over an engagement written anew, nothing is opened")
    func engagementWrittenAnew() throws {
        let key = COSEKeyPair(try PrivateKey.generate(.p256))
        let received =
            [UInt8](hex: "bf 00 63312e31 01 8201") + key.publicKeyBytes.bytes
            + [UInt8](hex: "05 80 06 a203f504f5 ff")
        let anew = [UInt8](hex: "a2 00 63312e31 01 8201") + key.publicKeyBytes.bytes
        for (engagement, isOpened) in [(received, true), (anew, false)] {
            var reader = try ReaderSession(
                engagement: DeviceEngagement(received[...]), handover: .qr,
                eReaderKey: COSEKeyPair(PrivateKey.generate(.p256)))
            var holder = HolderSession(deviceEngagement: engagement, handover: .qr, eDeviceKey: key)
            let message = try reader.transmit([1]).message
            if isOpened {
                #expect(try holder.receive(message[...]).request == [1])
            } else {
                #expect(throws: SessionError.decryptionFailed) { _ = try holder.receive(message[...]) }
            }
        }
    }

    @Test(
        "Q48 If the reader key is on another curve or the phone's point is off its curve, nothing is sent",
        arguments: SessionPair.curves)
    func otherCurve(_ curve: Curve) throws {
        let key = COSEKeyPair(try PrivateKey.generate(curve))
        let engagement = try DeviceEngagement(SessionPair.engagement(key)[...])
        for other in SessionPair.curves where other != curve {
            let own = COSEKeyPair(try PrivateKey.generate(other))
            #expect(throws: SessionError.keyAgreementFailed) {
                _ = try ReaderSession(engagement: engagement, handover: .qr, eReaderKey: own)
            }
        }
        guard curve.family == .weierstrass else { return }
        var bytes = SessionPair.engagement(key)
        bytes[bytes.count - 1] ^= 1
        let off = try DeviceEngagement(bytes[...])
        let own = COSEKeyPair(try PrivateKey.generate(curve))
        #expect(throws: SessionError.keyAgreementFailed) {
            _ = try ReaderSession(engagement: off, handover: .qr, eReaderKey: own)
        }
    }

    /// Points of small order, whose secret is zero with any key (RFC 7748 6).
    @Test(
        "Q48 A Montgomery key of small order is refused",
        arguments: [
            (Curve.x25519, "00"), (.x25519, "01"),
            (.x25519, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
            (.x448, "00"), (.x448, "01"),
        ])
    func smallOrder(_ curve: Curve, point: String) throws {
        let x = Array(([UInt8](hex: point) + [UInt8](repeating: 0, count: 56)).prefix(curve.coordinateSize))
        let key = COSEKey.encode(curve: curve, x: x, y: [])
        let bytes = EncodedCBOR<COSEKey>(embedding: key)
        let engagement = try DeviceEngagement(([UInt8](hex: "a2 00 63312e30 01 8201") + bytes.bytes)[...])
        let own = COSEKeyPair(try PrivateKey.generate(curve))
        #expect(throws: SessionError.keyAgreementFailed) {
            _ = try ReaderSession(engagement: engagement, handover: .qr, eReaderKey: own)
        }
    }

    @Test(
        "Several requests go in one session; the first as SessionEstablishment, further ones as SessionData")
    func severalRequests() throws {
        var pair = try SessionPair()
        for round in 0..<5 as Range<UInt8> {
            let message = try pair.reader.transmit([round]).message
            if round == 0 {
                _ = try SessionEstablishment(message[...])
            } else {
                #expect(try SessionData(message[...]).data != nil)
            }
            #expect(try pair.holder.receive(message[...]).request == [round])
            let response = try pair.holder.seal([round, round])
            #expect(pair.reader.receive(response[...], now: now).delivered == [round, round])
        }
    }

    @Test("Q197 A second response without a second request ends the session")
    func secondResponse() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let first = try pair.holder.seal([1])
        let second = try pair.holder.seal([2])
        #expect(pair.reader.receive(first[...], now: now).delivered == [1])
        let action = pair.reader.receive(second[...], now: now)
        #expect(action.end == .failed(.unexpectedMessage))
        #expect(try action.terminationStatus == 20)
        try expectEnded(&pair)
    }

    @Test("Q197 A response of an earlier round, of a later one, or one's own request is not opened")
    func replay() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let first = try pair.holder.seal([1])
        #expect(pair.reader.receive(first[...], now: now).delivered == [1])
        _ = try pair.request([2])
        try expectDecryptionFailure(pair.reader.receive(first[...], now: now))
        try expectEnded(&pair)

        var early = try SessionPair()
        _ = try early.request([1])
        _ = try early.holder.seal([1])
        let second = try early.holder.seal([2])
        try expectDecryptionFailure(early.reader.receive(second[...], now: now))
        try expectEnded(&early)

        var mirror = try SessionPair()
        let message = try mirror.reader.transmit([1]).message
        let reflected = SessionData.encode(
            data: Array(try SessionEstablishment(message[...]).data), status: nil)
        try expectDecryptionFailure(mirror.reader.receive(reflected[...], now: now))
        try expectEnded(&mirror)
    }

    @Test("Q197 A response of another session is not decrypted")
    func otherSession() throws {
        var one = try SessionPair()
        var other = try SessionPair()
        _ = try one.request([1])
        _ = try other.request([1])
        let response = try other.holder.seal([1])
        try expectDecryptionFailure(one.reader.receive(response[...], now: now))
        try expectEnded(&one)
    }

    @Test("Q199 A change to any byte of the message gives the same error", arguments: 0..<24)
    func changed(_ index: Int) throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        var response = try pair.holder.seal([1, 2, 3, 4, 5, 6, 7, 8])
        let data = try #require(SessionData(response[...]).data)
        response[data.startIndex + index] ^= 0x80
        try expectDecryptionFailure(pair.reader.receive(response[...], now: now))
        try expectEnded(&pair)
    }

    @Test("Q199 Data shorter than a tag fails as any other", arguments: [0, 1, 15])
    func short(_ count: Int) throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let message = SessionData.encode(data: [UInt8](repeating: 0, count: count), status: nil)
        try expectDecryptionFailure(pair.reader.receive(message[...], now: now))
        try expectEnded(&pair)
    }

    @Test(
        "What does not decode ends the session with status 11",
        arguments: ["", "80", "a0", "a1646461746101", "ff", "a1646461746141"])
    func malformed(_ hex: String) throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let action = pair.reader.receive([UInt8](hex: hex)[...], now: now)
        guard case .failed(.malformed(.malformed(.sessionData, _))) = action.end else {
            Issue.record("\(String(describing: action.end))")
            return
        }
        #expect(try action.terminationStatus == 11)
        try expectEnded(&pair)
    }

    @Test(
        "A status alone ends the session by its number, and nothing is sent",
        arguments: [10, 11, 20, 0, 99] as [UInt64])
    func status(_ number: UInt64) throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let status = SessionStatus(rawValue: number)
        let action = pair.reader.receive(SessionData.encode(data: nil, status: status)[...], now: now)
        #expect(action.end == .status(status))
        #expect(try action.terminationStatus == nil)
        try expectEnded(&pair)
    }

    @Test("Data beside status 20 is delivered, and the session is over")
    func terminationWithData() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let message = try pair.holder.seal([7], status: .termination)
        #expect(pair.reader.receive(message[...], now: now).deliveredLast == [7])
        try expectEnded(&pair)
    }

    @Test(
        "Q235 If the status reports an error or is unknown, the data in the same message is not delivered",
        arguments: [0, 1, 10, 11, 12, 19, 21, 99, .max] as [UInt64])
    func errorWithData(_ number: UInt64) throws {
        let status = SessionStatus(rawValue: number)
        var pair = try SessionPair()
        _ = try pair.request([1])
        let message = try pair.holder.seal([7], status: status)
        let action = pair.reader.receive(message[...], now: now)
        #expect(action.delivered == nil && action.end == .status(status))
        #expect(try action.terminationStatus == nil)
        try expectEnded(&pair)

        // After a first good answer the second is not delivered either.
        var second = try SessionPair()
        _ = try second.request([1])
        let first = try second.holder.seal([1])
        #expect(second.reader.receive(first[...], now: now).delivered == [1])
        _ = try second.request([2])
        let last = try second.holder.seal([2], status: status)
        #expect(second.reader.receive(last[...], now: now).end == .status(status))
        try expectEnded(&second)
    }

    @Test("A status with data that does not open is a failure")
    func statusWithBrokenData() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let message = SessionData.encode(data: [UInt8](repeating: 1, count: 32), status: .termination)
        try expectDecryptionFailure(pair.reader.receive(message[...], now: now))
        try expectEnded(&pair)
    }

    @Test("The mdoc may end between two requests, as most do after the response")
    func statusBetweenRequests() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let response = try pair.holder.seal([1])
        #expect(pair.reader.receive(response[...], now: now).delivered == [1])
        let action = pair.reader.receive(SessionData.encode(data: nil, status: .termination)[...], now: now)
        #expect(action.end == .status(.termination))
        #expect(try action.terminationStatus == nil)
        try expectEnded(&pair)
    }

    @Test("The mdoc may end before the first request")
    func statusBeforeRequest() throws {
        var pair = try SessionPair()
        let action = pair.reader.receive(SessionData.encode(data: nil, status: .termination)[...], now: now)
        #expect(action.end == .status(.termination))
        try expectEnded(&pair)
    }

    @Test("Data before any request is not due, and ends the session")
    func dataBeforeRequest() throws {
        var pair = try SessionPair()
        let action = pair.reader.receive(
            SessionData.encode(data: [UInt8](repeating: 0, count: 32), status: nil)[...], now: now)
        #expect(action.end == .failed(.unexpectedMessage))
        #expect(try action.terminationStatus == 20)
        try expectEnded(&pair)
    }

    @Test("A second request before the answer ends the session")
    func requestBeforeAnswer() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.reader.send([2], now: now) }
        let late = try pair.holder.seal([1])
        #expect(pair.reader.receive(late[...], now: now).delivered == nil)
        try expectEnded(&pair)
    }

    @Test("Q191 The wait for consent ends at its deadline, to the nanosecond")
    func deadline() throws {
        for consent in [Duration.seconds(300), .seconds(1)] {
            var pair = try SessionPair(consent: consent)
            let deadline = try pair.reader.transmit([1]).deadline
            #expect(deadline == now + consent)
            #expect(pair.reader.expire(now: now)?.end == nil)
            #expect(pair.reader.expire(now: deadline - .nanoseconds(1))?.end == nil)
            let overdue = pair.reader.expire(now: deadline)
            let action = try #require(overdue)
            #expect(action.end == .overdue)
            #expect(try action.terminationStatus == 20)
            #expect(pair.reader.expire(now: deadline + .seconds(1))?.end == nil)
            try expectEnded(&pair)
        }
    }

    @Test("Q191 An answer at its deadline is late, one just before it is not")
    func late() throws {
        for (offset, isLate) in [
            (Duration.nanoseconds(-1), false), (.zero, true), (.nanoseconds(1), true), (.seconds(9), true),
        ] {
            var pair = try SessionPair()
            let (message, deadline) = try pair.reader.transmit([1])
            #expect(try pair.holder.receive(message[...]).request == [1])
            let response = try pair.holder.seal([1])
            let action = pair.reader.receive(response[...], now: deadline + offset)
            #expect((action.delivered == [1]) == !isLate)
            #expect((action.end == .overdue) == isLate)
            if isLate { try expectEnded(&pair) }
        }
    }

    @Test("Each request has a deadline of its own")
    func secondDeadline() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let response = try pair.holder.seal([1])
        _ = pair.reader.receive(response[...], now: now)
        #expect(pair.reader.expire(now: now + .seconds(10_000))?.end == nil)
        let later = now + .seconds(10_000)
        let deadline = try pair.reader.transmit([2], now: later).deadline
        #expect(deadline == later + .seconds(300))
    }

    @Test("Before a request nothing is overdue")
    func nothingOverdue() throws {
        var pair = try SessionPair()
        #expect(pair.reader.expire(now: now + .seconds(1_000_000))?.end == nil)
        #expect(try pair.request([1]) == [1])
    }

    @Test("We end with status 20, once")
    func terminate() throws {
        for requests in [0, 1] {
            var pair = try SessionPair()
            if requests > 0 { _ = try pair.request([1]) }
            let action = pair.reader.terminate()
            #expect(action.end == .terminated)
            #expect(try action.terminationStatus == 20)
            try expectEnded(&pair)
            let again = pair.reader.terminate()
            #expect(again.end == .terminated)
            #expect(try again.terminationStatus == nil)
        }
    }

    @Test("Q154 A message longer than the limit is refused")
    func limits() throws {
        let key = COSEKeyPair(try PrivateKey.generate(.p256))
        let engagement = SessionPair.engagement(key)
        for (limit, isRead) in [(1000, true), (100, false)] {
            var reader = try ReaderSession(
                engagement: DeviceEngagement(engagement[...]), handover: .qr,
                eReaderKey: COSEKeyPair(PrivateKey.generate(.p256)), limits: CBORLimits(bytes: limit))
            var holder = HolderSession(deviceEngagement: engagement, handover: .qr, eDeviceKey: key)
            let message = try reader.transmit([1]).message
            _ = try holder.receive(message[...])
            let response = try holder.seal([UInt8](repeating: 0, count: 200)[...])
            #expect((reader.receive(response[...], now: now).delivered != nil) == isRead)
        }
    }

    @Test("Q200 What is delivered does not show its bytes")
    func redacted() throws {
        var pair = try SessionPair()
        _ = try pair.request([1])
        let response = try pair.holder.seal(Array("Doe".utf8)[...])
        let action = pair.reader.receive(response[...], now: now)
        #expect(action.delivered == Array("Doe".utf8))
        var dumped = ""
        dump(action, to: &dumped)
        for text in ["\(action)", String(reflecting: action), dumped] {
            #expect(!text.contains("111") && !text.contains("Doe"))
        }
    }

    private func expectDecryptionFailure(_ action: ReaderSession.Action) throws {
        #expect(action.end == .failed(.decryptionFailed))
        #expect(try action.terminationStatus == 10)
    }

    /// Whatever is tried, nothing comes of an ended session.
    private func expectEnded(_ pair: inout SessionPair) throws {
        #expect(throws: SessionError.unexpectedMessage) { _ = try pair.reader.send([1], now: now) }
        if let response = try? pair.holder.seal([1]) {
            #expect(pair.reader.receive(response[...], now: now).delivered == nil)
        }
        #expect(
            pair.reader.receive(SessionData.encode(data: nil, status: .termination)[...], now: now).delivered
                == nil)
        #expect(try pair.reader.receive([0xa0], now: now).terminationStatus == nil)
        #expect(pair.reader.expire(now: now + .seconds(100_000))?.end == nil)
    }
}
