import CBOR
import ISO7816
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import NDEF
import Testing
import VectorFiles

/// A profile with one of its handovers.
struct ProfileHandover: CustomTestStringConvertible, Sendable {
    let profile: WalletProfile
    let kind: HandoverKind

    var testDescription: String { "\(profile.name) \(kind)" }

    static let all = WalletProfile.all.flatMap { profile in
        profile.nfcHandovers.map { ProfileHandover(profile: profile, kind: $0) }
    }
}

@Suite("The wallet as a card")
struct WalletCardTests {
    @Test(
        "Every profile presents portraits of 2, 25 and 90 KB by signature and by MAC",
        arguments: ProfileHandover.all, Holder.DeviceAuthentication.allCases)
    func everyProfile(of: ProfileHandover, authentication: Holder.DeviceAuthentication) throws {
        for size in [2000, 25_000, 90_000] {
            let counter = try Counter(
                PresentationCase("card") {
                    $0.profile = of.profile
                    $0.deviceAuthentication = authentication
                    $0.licence.portraitSize = size
                })
            var card = try WalletCard(counter.presented.wallet, handover: of.kind)
            for limits in [CardTap.short, CardTap.extended] where of.profile.takes(limits) {
                card.insert()
                var tap = CardTap(limits: limits)
                let response = try counter.verified(&tap, &card)
                let portrait = response.documents[0].elements.first { $0.name.identifier == "portrait" }
                #expect(try portrait?.value.byteString().count == size)
            }
        }
    }

    @Test("Q55 A QR code engages and NFC transfers")
    func qr() throws {
        let counter = try Counter()
        var card = try WalletCard(counter.presented.wallet, handover: .qr)
        var tap = CardTap()
        _ = try counter.verified(&tap, &card)
        let code = card.engagement?.uri
        #expect(code?.hasPrefix("mdoc:") == true)
        card.insert()
        #expect(card.engagement?.uri == code)
        tap = CardTap()
        _ = try counter.verified(&tap, &card)
    }

    @Test("Q2 Each engagement has a key of its own, and a tap leaves nothing to the next")
    func freshState() throws {
        let counter = try Counter()
        var card = try WalletCard(counter.presented.wallet, handover: .negotiated)
        var engagements: Set<[UInt8]> = []
        for _ in 0..<3 {
            card.insert()
            var tap = CardTap()
            _ = try counter.verified(&tap, &card)
            engagements.insert(Array(try #require(tap.handover).deviceEngagement))
        }
        #expect(engagements.count == 3)
        card.insert()
        let select = [UInt8](hex: "00a4040007a000000248040000")
        #expect(card.answer(select[...], now: .now) == .respond([0x6a, 0x82]))
    }

    @Test("Q1 A locked phone refuses until it is unlocked")
    func locked() throws {
        var counter = try Counter()
        counter.presented.wallet.lockedSelects = 2
        var card = try WalletCard(counter.presented.wallet, handover: .static)
        for _ in 0..<2 {
            var tap = CardTap()
            let outcome = try tap.run(&card, deviceRequest: counter.presented.deviceRequest)
            guard case .nfc(let reason) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason == NFCEndReason(.selectApplication, .noWalletYet))
        }
        var tap = CardTap()
        _ = try counter.verified(&tap, &card)
    }

    @Test("Q54 The last ENVELOPE stays open while the person reads, and no other command does")
    func consentTime() throws {
        var counter = try Counter()
        counter.presented.wallet.consentTime = .seconds(42)
        var card = try WalletCard(counter.presented.wallet, handover: .static)
        var tap = CardTap(limits: CardTap.short)
        let begin = tap.now
        _ = try counter.verified(&tap, &card)
        #expect(tap.now >= begin + .seconds(42))
        #expect(tap.now < begin + .seconds(43))
    }

    @Test("A person who declines ends the session with status 20")
    func declines() throws {
        let counter = try Counter(PresentationCase("card") { $0.decision = .declines })
        var card = try WalletCard(counter.presented.wallet, handover: .negotiated)
        var tap = CardTap()
        guard
            case .session(.status(.termination)) = try tap.run(
                &card, deviceRequest: counter.presented.deviceRequest)
        else {
            Issue.record("not declined")
            return
        }
    }

    @Test("A profile does not take a handover that it has not")
    func unknownHandover() throws {
        let counter = try Counter(PresentationCase("card") { $0.profile = .apple })
        #expect(throws: WalletError.handoverNotInProfile(.static)) {
            _ = try WalletCard(counter.presented.wallet, handover: .static)
        }
    }

    @Test("Without an NFC carrier the data transfer application is not there, as in the field")
    func noCarrier() throws {
        var counter = try Counter()
        counter.presented.wallet.profile = .generic
        var card = try WalletCard(counter.presented.wallet, handover: .static)
        var tap = CardTap()
        let outcome = try tap.run(&card, deviceRequest: counter.presented.deviceRequest)
        guard case .nfc(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason == NFCEndReason(.selectDataTransfer, .status(.notFound)))
    }

    @Test("Q59 The application of NFC v2 is not there, and the engagement goes on in the same activation")
    func noVersion2() throws {
        let counter = try Counter()
        var card = try WalletCard(counter.presented.wallet, handover: .negotiated)
        let select = [UInt8](hex: "00a4040007a000000248040100")
        #expect(card.answer(select[...], now: .now) == .respond([0x6a, 0x82]))
        var tap = CardTap()
        _ = try counter.verified(&tap, &card)
    }

    @Test("No command makes the card trap", arguments: [1, 2, 3])
    func randomCommands(seed: UInt64) throws {
        let counter = try Counter()
        var card = try WalletCard(counter.presented.wallet, handover: .negotiated)
        var random = SplitMix64(seed: seed)
        let starts = [
            "00a4040007d276000085010100", "00a4040007a000000248040000", "00a4000c02e103", "00a4000c02e104",
        ].map([UInt8].init(hex:))
        for _ in 0..<2000 {
            var command = try #require(starts.randomElement(using: &random))
            if Bool.random(using: &random) { command = random.mutate(command) }
            guard case .respond(let answer) = card.answer(command[...], now: .now) else { continue }
            #expect(answer.count >= 2)
        }
    }
}

extension WalletProfile {
    fileprivate func takes(_ limits: NFCReaderLimits) -> Bool {
        !limits.extendedLength || nfcHandovers.allSatisfy { behaviours[$0]?.acceptsExtendedLength == true }
    }
}
