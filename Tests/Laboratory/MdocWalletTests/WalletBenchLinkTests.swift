import CBOR
import COSE
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import Testing

@Suite("The wallet at the end of a bench link")
struct WalletBenchLinkTests {
    @Test("Greeting, request and verified response", arguments: HandoverKind.allCases)
    func roundTrip(kind: HandoverKind) throws {
        let counter = try Counter()
        var link = try WalletBenchLink(counter.presented.wallet, handover: kind, now: .now)
        let greeting = try BenchLinkGreeting(link.greeting[...])
        #expect(greeting.qr == link.qr)
        #expect((greeting.handoverSelect != nil) == (kind != .qr))
        #expect((greeting.handoverRequest != nil) == (kind == .negotiated))
        let (engagement, handover) = try greeting.engagement()
        #expect(engagement.bytes == greeting.deviceEngagement[...])

        let key = COSEKeyPair(try PrivateKey.generate(.p256))
        var session = try ReaderSession(engagement: engagement, handover: handover, eReaderKey: key)
        for _ in 0..<3 {
            let action = try session.send(counter.presented.deviceRequest[...], now: .now)
            guard case .transmit(let request, _) = action,
                case .send(let answer, after: .zero) = link.session.receive(request[...]),
                case .deliver(let response, isEnded: false) = session.receive(answer[...], now: .now),
                case .verified = try counter.verdict(response, session.transcript, key)
            else {
                Issue.record("not verified")
                return
            }
        }
        guard case .end(.terminated, let terminationMessage?) = session.terminate() else {
            Issue.record("no termination message")
            return
        }
        #expect(link.session.receive(terminationMessage[...]) == .end)
        #expect(link.session.receive(terminationMessage[...]) == .end)
    }

    @Test("The QR of a greeting over NFC leads to the same key")
    func sameKey() throws {
        let counter = try Counter()
        let link = try WalletBenchLink(counter.presented.wallet, handover: .static, now: .now)
        let scanned = try DeviceEngagement(EngagementURI.deviceEngagement(in: link.qr)[...])
        let (engagement, _) = try BenchLinkGreeting(link.greeting[...]).engagement()
        #expect(scanned.eDeviceKeyBytes.bytes == engagement.eDeviceKeyBytes.bytes)
    }

    @Test("Each reader gets an engagement of its own")
    func numbers() throws {
        let wallet = try Counter().presented.wallet
        let first = try WalletBenchLink(wallet, handover: .qr, number: 1, now: .now)
        let second = try WalletBenchLink(wallet, handover: .qr, number: 2, now: .now)
        #expect(first.qr != second.qr)
    }
}

@Suite("The wallet's side of a session")
struct WalletSessionTests {
    /// A phone and a reader that are engaged.
    private struct Pair: ~Copyable {
        let presented: PresentedWallet
        var phone: WalletSession
        var reader: ReaderSession

        init(_ presentation: PresentationCase = PresentationCase("session")) throws {
            let presented = try Counter(presentation).presented
            let engagement = try presented.wallet.engagement(.qr, now: .now)
            let reader = try ReaderSession(
                engagement: DeviceEngagement(engagement.deviceEngagement[...]), handover: .qr,
                eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)))
            self.init(presented, WalletSession(presented.wallet, engagement: engagement), reader)
        }

        private init(
            _ presented: PresentedWallet, _ phone: consuming WalletSession, _ reader: consuming ReaderSession
        ) {
            self.presented = presented
            self.phone = phone
            self.reader = reader
        }

        /// The encrypted request; the licence's, unless told otherwise.
        mutating func request(_ plain: [UInt8]? = nil) throws -> [UInt8] {
            let action = try reader.send((plain ?? presented.deviceRequest)[...], now: .now)
            guard case .transmit(let request, _) = action else { throw UnexpectedAction() }
            return request
        }
    }

    @Test("A first message that is no SessionEstablishment ends the session with status 11")
    func notASessionEstablishment() throws {
        var pair = try Pair()
        let status = SessionData.encode(data: nil, status: .decodingError)
        #expect(pair.phone.receive([0xa0]) == .sendLast(status, after: .zero))
        #expect(pair.phone.receive([0xa0]) == .end)
    }

    @Test("A request that does not decrypt ends the session with status 10")
    func changedRequest() throws {
        var pair = try Pair()
        var request = try pair.request()
        request[request.count - 1] ^= 1
        let status = SessionData.encode(data: nil, status: .encryptionError)
        #expect(pair.phone.receive(request[...]) == .sendLast(status, after: .zero))
    }

    @Test("Q156 A request that is none is answered with response status 11 and no documents")
    func notARequest() throws {
        var pair = try Pair()
        let request = try pair.request([0xa0])
        guard case .send(let answer, _) = pair.phone.receive(request[...]),
            case .deliver(let response, _) = pair.reader.receive(answer[...], now: .now)
        else {
            Issue.record("no response")
            return
        }
        let parsed = try UnverifiedResponse(response[...])
        #expect(parsed.status == 11)
        #expect(parsed.documents.isEmpty)
    }

    @Test("Data and status 20 come together, and the session is over on both sides")
    func dataAndStatus() throws {
        var pair = try Pair(PresentationCase("session") { $0.endsSessionWithResponse = true })
        let request = try pair.request()
        guard case .sendLast(let answer, _) = pair.phone.receive(request[...]),
            case .deliver(_, isEnded: true) = pair.reader.receive(answer[...], now: .now)
        else {
            Issue.record("no response")
            return
        }
        #expect(pair.phone.receive(request[...]) == .end)
    }
}
