import ISO7816
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderService
import Synchronization
import Testing
import Transport

@Suite("A presentation over NFC, in memory")
struct NFCTests {
    @Test(
        "Every wallet's answer is verified, by a reader of long and of short APDUs",
        arguments: WalletCase.overNFC)
    func profiles(_ row: WalletCase) async throws {
        let presentation = Scene.presentation(row.profile, row.proof, portrait: 25_000)
        let scene = try Scene(presentation, handover: row.handover)
        for limits in [ContactlessLimits.extended, .short] {
            let field = Field([try scene.phone()], limits)
            let response = try await scene.transaction().run(at: field).verified()
            #expect(response?.portrait()?.count == 25_000)
            #expect(response?.reports.flatMap(\.deviations) == [])
            #expect(response?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature))
        }
        let once: [PresentationEvent] = [.armed, .engaged, .hold, .awaitingConsent, .receiving, .verifying]
        #expect(scene.events.all == once + once)
    }

    @Test("Q55 A phone whose QR code was scanned is asked over NFC")
    func scanned() async throws {
        let scene = try Scene(handover: .qr)
        let phone = try scene.phone()
        let engagement = try DeviceEngagement(
            EngagementURI.deviceEngagement(in: try #require(phone.engagement?.uri))[...])
        let presentation = try await scene.transaction().run(
            at: Field(phone), scanned: engagement)
        #expect(presentation.verified() != nil)
        #expect(phone.log.count(of: 0xb0) == 0)
    }

    @Test("Q55 A scanned phone that offers no NFC transfer is not waited for")
    func scannedWithoutNFC() async throws {
        let scene = try Scene(handover: .qr) { $0.profile.nfcCarrier = nil }
        let engagement = try DeviceEngagement(
            EngagementURI.deviceEngagement(in: try scene.link().qr)[...])
        let field = Field([])
        let presentation = try await scene.transaction().run(at: field, scanned: engagement)
        #expect(presentation.failure == .noUsableRetrieval)
        #expect(scene.events.all == [])
    }

    @Test("A phone that offers Bluetooth alone has no way of retrieval that this reader has")
    func bluetoothOnly() async throws {
        let scene = try Scene { $0.profile.nfcCarrier = nil }
        let presentation = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(presentation.failure == .noUsableRetrieval)
    }

    @Test(
        "Q8 The moment for the tone comes once, when the engagement is complete and not when a phone is there"
    )
    func tone() async throws {
        let scene = try Scene()
        let phone = try scene.phone()
        let commandsBeforeTone = Mutex<Int?>(nil)
        let events = try scene.transaction { event in
            if event == .engaged { commandsBeforeTone.withLock { $0 = phone.log.commands.count } }
        }
        #expect(await events.run(at: Field(phone)).verified() != nil)
        let selectTransfer = phone.log.commands.lastIndex { $0[1] == 0xa4 }
        #expect(commandsBeforeTone.withLock { $0 } == selectTransfer)
        #expect(scene.events.count(of: .engaged) == 1)
    }

    @Test("Q1 A locked phone is polled until it is unlocked, said once, and then asked")
    func locked() async throws {
        let scene = try Scene { $0.lockedSelects = 5 }
        let phone = try scene.phone()
        let field = Field(phone)
        #expect(try await scene.transaction().run(at: field).verified() != nil)
        #expect(field.cards == 6)
        #expect(
            scene.events.all == [
                .armed, .phoneLocked, .engaged, .hold, .awaitingConsent, .receiving, .verifying,
            ])
    }

    @Test("Q1 A phone that stays locked is no error before the engagement's deadline, and named after it")
    func staysLocked() async throws {
        let scene = try Scene { $0.lockedSelects = .max }
        let transaction = try scene.transaction(deadlines: .ample.with { $0.engagement = .milliseconds(300) })
        let (presentation, time) = try await timed { await transaction.run(at: Field(try scene.phone())) }
        #expect(
            presentation.failure
                == .engagementOverdue(lastTap: NFCEndReason(.selectApplication, .noWalletYet)))
        #expect((.milliseconds(300)...(.milliseconds(300) + DeadlineTests.margin)).contains(time))
    }

    @Test("Q2 Q3 A tap lost in mid-engagement begins anew, with nothing of the first")
    func lostInEngagement() async throws {
        let scene = try Scene(handover: .negotiated)
        let first = try scene.phone { $0.cardFault = .pulledInEngagement }
        let second = try scene.phone()
        let field = Field([first, second])
        #expect(try await scene.transaction().run(at: field).verified() != nil)
        let select = CommandAPDU.select(application: .ndefTag).encode()
        #expect(first.log.commands.first == select)
        #expect(second.log.commands.first == select)
        let lost = NFCEndReason(.initialMessage, .cardLost)
        #expect(
            scene.events.all == [
                .armed, .tapAgain(lost), .engaged, .hold, .awaitingConsent, .receiving, .verifying,
            ])
    }

    @Test(
        "Q57 A tap lost in the transfer begins anew: the request's bytes are the same, the reader's key is not",
        arguments: [CardFault.pulledInRequest, .pulledInConsent, .pulledInResponse])
    func lostInTransfer(_ fault: CardFault) async throws {
        let scene = try Scene(Scene.presentation(portrait: 25_000))
        let first = try scene.phone { $0.cardFault = fault }
        let second = try scene.phone()
        // Short APDUs, so that request and answer take several.
        let field = Field([first, second], .short)
        #expect(try await scene.transaction().run(at: field).verified() != nil)
        #expect(scene.events.count(of: .engaged) == 2)
        #expect(second.log.requests.count == 1)
        // A phone that answered has read the request.
        if fault == .pulledInResponse { #expect(first.log.requests == second.log.requests) }
        let envelopes = [first, second].map { $0.log.commands.first { $0[1] == 0xc3 } }
        #expect(envelopes[0] != envelopes[1])
    }

    @Test("Q12 After two failed taps a QR code is offered, once")
    func offersQR() async throws {
        let scene = try Scene()
        let tapAgain = PresentationEvent.tapAgain(
            NFCEndReason(.readCapabilities, .capabilityContainerInvalid))
        let field = Field([])
        let transaction = try scene.transaction(deadlines: .withoutTries)
        async let presentation = transaction.run(at: field)
        for count in 1...3 {
            field.tap(try scene.phone { $0.cardFault = .garbledCapabilities })
            try await scene.events.reach(count, of: tapAgain)
        }
        field.tap(try scene.phone())
        #expect(await presentation.verified() != nil)
        #expect(
            scene.events.all == [
                .armed, tapAgain, tapAgain, .offerQR, tapAgain, .engaged, .hold, .awaitingConsent, .receiving,
                .verifying,
            ])
    }

    @Test("Q202 A tap that broke off is said where the phone does not stay to be tried again")
    func lifted() async throws {
        let scene = try Scene()
        let field = Field(try scene.phone { $0.cardFault = .garbledCapabilities })
        let transaction = try scene.transaction(deadlines: .withoutTries)
        async let presentation = transaction.run(at: field)
        try await scene.events.firstTapAgain()
        field.tap(try scene.phone())
        #expect(await presentation.verified() != nil)
        let reason = NFCEndReason(.readCapabilities, .capabilityContainerInvalid)
        #expect(scene.events.all.prefix(3) == [.armed, .tapAgain(reason), .engaged])
    }

    @Test("Taps that break off without end do not hold the reader for ever")
    func endlessTaps() async throws {
        let scene = try Scene()
        let phones = try (0..<40).map { _ in try scene.phone { $0.cardFault = .pulledInConsent } }
        let field = Field(phones)
        #expect(try await scene.transaction().run(at: field).failure == .linkLost)
        #expect(field.cards == 20)
    }

    @Test("Q5 After a tap that broke off there is time for another, also where the engagement's was over")
    func timeForAnother() async throws {
        let scene = try Scene()
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .seconds(1)
            $0.nextTap = .seconds(20)
        }
        let slow = try scene.phone {
            $0.consentTime = .milliseconds(1200)
            $0.cardFault = .pulledInResponse
        }
        let field = Field([slow], .short)
        let transaction = try scene.transaction(deadlines: deadlines)
        async let presentation = transaction.run(at: field)
        // Its consent took longer than there was time for the engagement.
        try await scene.events.firstTapAgain()
        field.tap(try scene.phone())
        #expect(await presentation.verified() != nil)
    }

    @Test("Q9 Q10 A second phone during a session is left alone")
    func secondPhone() async throws {
        let scene = try Scene { $0.consentTime = .milliseconds(200) }
        let field = Field(try scene.phone())
        let transaction = try scene.transaction()
        async let presentation = transaction.run(at: field)
        try await scene.events.first(.awaitingConsent)
        let second = try scene.phone()
        field.tap(second)
        #expect(await presentation.verified() != nil)
        #expect(second.log.commands.isEmpty)
        #expect(field.cards == 1)
    }

    @Test("A holder who declines is an outcome", arguments: [Holder.Decision.declines, .returnsNothing])
    func declined(_ decision: Holder.Decision) async throws {
        let scene = try Scene { $0.holder.decision = decision }
        let presentation = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(presentation.isDeclined)
    }

    @Test("The phone is told that the session is over, unless it said so itself", arguments: [false, true])
    func terminationMessage(_ endsItself: Bool) async throws {
        let scene = try Scene { $0.endsSessionWithResponse = endsItself }
        let phone = try scene.phone()
        #expect(try await scene.transaction().run(at: Field(phone)).verified() != nil)
        #expect(phone.log.readerStatus == (endsItself ? nil : .termination))
    }

    @Test("Q192 Each phase is measured, and consent is apart from the transfer")
    func phases() async throws {
        let scene = try Scene(Scene.presentation(portrait: 25_000)) { $0.consentTime = .seconds(4) }
        let (presentation, time) = try await timed {
            try await scene.transaction().run(at: Field([scene.phone()], .short))
        }
        #expect(
            presentation.phases.map(\.name) == [.engagement, .request, .consent, .transfer, .verification])
        let consent = try #require(presentation.duration(of: .consent))
        #expect(consent >= .seconds(4))
        #expect(try #require(presentation.duration(of: .transfer)) < .seconds(4))
        #expect(presentation.phases.map(\.duration).reduce(.zero, +) <= time)
    }

    @Test("Q192 A presentation without an answer has the phases it came through")
    func phasesOfFailure() async throws {
        let scene = try Scene { $0.cardFault = .transferFails }
        let presentation = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(presentation.phases.map(\.name) == [.engagement])
    }

    @Test("Q24 Q194 An answer of more than 1 MiB is refused by name before it is read")
    func messageCap() async throws {
        let scene = try Scene(Scene.presentation(portrait: 1 << 20))
        let phone = try scene.phone()
        let presentation = try await scene.transaction().run(at: Field(phone))
        guard case .transfer(let reason)? = presentation.failure,
            case .messageTooLong(let announced, 1 << 20) = reason.fault
        else {
            Issue.record("\(presentation.result)")
            return
        }
        #expect(announced > 1 << 20)
        #expect(reason.phase == .awaitResponse)
        #expect(phone.log.count(of: 0xc0) == 0)
    }

    @Test("An answer just below 1 MiB is verified")
    func belowMessageCap() async throws {
        let scene = try Scene(Scene.presentation(portrait: (1 << 20) - 6000))
        let presentation = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(presentation.verified()?.portrait()?.count == (1 << 20) - 6000)
    }
}

extension PresentationDeadlines {
    /// A phone whose tap broke off is lifted before it is tried again.
    fileprivate static let withoutTries = ample.with {
        $0.nextTry = .seconds(10)
        $0.tries = .milliseconds(50)
    }
}
