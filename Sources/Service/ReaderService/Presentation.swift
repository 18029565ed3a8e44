internal import CBOR
package import COSE
package import MdocModel
package import MdocSession
package import MdocTrust
package import MdocVerification
package import Transport

/// What is asked in one presentation, and by what its answer is judged.
package struct PresentationPlan: Sendable {
    package var question: PresentationQuestion
    package var further: FurtherQuestion?
    package var trust: TrustStore
    package var policy: VerificationPolicy
    package var deadlines: PresentationDeadlines
    package var retrieval: RetrievalPlan
    package var requestVersion: RequestVersion
    /// Whether the answer is handed out as it came, for a verification elsewhere: it holds personal data.
    package var handsOutRawAnswer = false
    /// Called once a phone is engaged and before each first request to it; false ends the presentation as cancelled, with
    /// nothing sent.
    package var admission: (@Sendable () async -> Bool)?
    /// The time by which the answer is judged.
    package var clock: WallClock

    package init(
        question: PresentationQuestion, trust: TrustStore, policy: VerificationPolicy,
        deadlines: PresentationDeadlines = PresentationDeadlines(),
        retrieval: RetrievalPlan = RetrievalPlan(), requestVersion: RequestVersion = .automatic,
        clock: WallClock
    ) {
        self.question = question
        self.trust = trust
        self.policy = policy
        self.deadlines = deadlines
        self.retrieval = retrieval
        self.requestVersion = requestVersion
        self.clock = clock
    }
}

/// The named waits of a presentation (Q191).
package struct PresentationDeadlines: Equatable, Sendable {
    /// From arming to a tap.
    package var engagement: Duration = .seconds(120)
    /// From a tap that broke off to the next, at least: some phones cannot come back sooner (Q5).
    package var nextTap: Duration = .seconds(30)
    /// From the first command of a tap to its complete engagement; well under the 15 s of an iOS wallet (Q5).
    package var tap: Duration = .seconds(12)
    /// For one phase of that.
    package var tapPhase: Duration = .seconds(5)
    /// From the engagement to a link over Bluetooth that has been started: some phones look for us for 10 s and more
    /// (Q90).
    package var connection: Duration = .seconds(30)
    /// From the engagement until people see that the phone is still connecting.
    package var connecting: Duration = .seconds(3)
    /// From the engagement until the holder is asked whether Bluetooth is on.
    package var checkBluetooth: Duration = .seconds(8)
    /// For the reader's own signature, from when the request can be sent.
    package var signing: Duration = .seconds(5)
    /// For one command of the data transfer, but for the one in which the holder decides (Q53), and from one fragment
    /// over Bluetooth to the next (Q88).
    package var progress: Duration = .seconds(10)
    /// From the request to the answer: the holder reads and consents meanwhile.
    package var consent: Duration = .seconds(300)
    /// How long the request waits for the next tap of a phone that took it away: that of NFC v2, where the holder
    /// confirms between two taps.
    package var armed: Duration = .seconds(300)
    /// For notifying the phone of the end.
    package var termination: Duration = .seconds(1)
    /// Between two looks at a phone that has no wallet to show yet (Q7).
    package var lockedPhone: Duration = .milliseconds(250)
    /// For a phone to show its wallet before it is taken for something else, such as a bank card (Q206).
    package var unlocking: Duration = .seconds(2)
    /// Between two looks at such a card, or at one that does not answer to power-up (Q203, Q206).
    package var otherCard: Duration = .seconds(1)
    /// Between two tries of a phone that stays on the reader after a tap that broke off (Q202).
    package var nextTry: Duration = .milliseconds(700)
    /// For all tries of one stay on the reader; then the phone has to be lifted (Q202).
    package var tries: Duration = .seconds(3)
    /// In which taps begin with classic handover, after a phone that began NFC v2 and failed.
    package var version2Rest: Duration = .seconds(60)

    package init() {}
}

/// What happens, for those who show it. Holds nothing personal.
package enum PresentationEvent: Equatable, Sendable {
    /// Waiting for a phone. Its holder should open the ID first.
    case armed
    /// A phone is there that shows no wallet: locked, or its screen is off (Q1).
    case phoneLocked
    /// A card is there that is not a phone with its ID open: an ordinary card, or a phone that stays locked (Q206).
    case notAnID
    /// The phone stays on the reader, and every try broke off: it has to be lifted before the next tap (Q202, Q203).
    case liftAndTapAgain(NFCEndReason)
    /// The tap broke off before it was complete; the same request waits for the next one.
    case tapAgain(NFCEndReason)
    /// The phone left with the request, before its holder decided: after that the same request waits for its next tap.
    case confirmThenTapAgain
    /// A QR code is worth offering: two taps have failed (Q12).
    case offerQR
    /// There is no Bluetooth; NFC alone is used. `id` is the transport's.
    case bluetoothUnavailable(RadioFault)
    /// The reader does not answer, so that no phone can be seen; it may recover (Q212).
    case readerSilent
    /// The engagement is complete: the moment to sound the tone (Q8).
    case engaged
    /// Everything else comes over Bluetooth: the phone may leave the reader (Q9).
    case mayLift
    /// The phone is engaged and has not connected over Bluetooth yet.
    case connecting
    /// It still has not: its Bluetooth may be off.
    case checkBluetooth
    /// The answer comes over NFC: the phone has to stay on the reader.
    case hold
    /// The request is out; the holder decides.
    case awaitingConsent
    /// An answer has begun; if the transport cannot report that, the answer is complete.
    case receiving
    /// The answer is being checked.
    case verifying
    /// Something is remarkable in the phone's messages, and changes nothing. It may come after the end, as long as the
    /// phone is being notified.
    case noted(PresentationNote)
}

/// How long a part of a presentation took.
package struct PhaseTime: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        /// From the phone in the field to its complete engagement.
        case engagement
        /// From the engagement to a link over Bluetooth that has been started.
        case connection
        /// Setting up the session and sending the request.
        case request
        /// From the request to the first byte of the answer; if the transport cannot report that, to the last.
        case consent
        /// From the first byte of the answer to the last.
        case transfer
        /// Decrypting and checking the answer.
        case verification
    }

    package let name: Name
    package let duration: Duration
}

/// The result of a transaction with one phone, and how it came about.
package struct Presentation: Sendable {
    /// The presentation of the first question, if a further one was asked. All other members are then about the further one.
    package let earlier: [Presentation]
    /// The judgement on the phone's answer, or why there is none.
    package let result: Result<Judgement, PresentationFailure>
    /// The request that was answered, or that went out last; nil if none did.
    package let request: SessionRequest?
    package let phases: [PhaseTime]
    /// The answer as it came, where the plan hands it out and there is one.
    package let rawAnswer: RawAnswer?
    private let noted: PresentationNotes
    private let leaving: Task<Void, Never>?

    init(
        _ result: Result<Judgement, PresentationFailure>, after earlier: [Presentation] = [],
        request: SessionRequest?, phases: [PhaseTime], rawAnswer: RawAnswer?,
        notes: PresentationNotes = PresentationNotes(), leaving: Task<Void, Never>?
    ) {
        self.earlier = earlier
        self.result = result
        self.request = request
        self.phases = phases
        self.rawAnswer = rawAnswer
        noted = notes
        self.leaving = leaving
    }

    /// Why no answer was judged; nil if one was.
    package var failure: PresentationFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    /// What was noted of the phone's messages until now. It is complete once the phone has `left`.
    package var notes: [PresentationNote] { noted.all }

    /// Returns when the phone has been notified of the end and nothing of the presentation is transmitted any more.
    /// The result may be shown before (Q76).
    package func left() async {
        await leaving?.value
    }
}

/// Why no answer of a phone was judged.
package enum PresentationFailure: Error, Equatable, Sendable {
    /// The holder returned nothing: declined, has no such document, or the wallet does not know this reader.
    case declined
    /// The decrypted answer is not a DeviceResponse.
    case responseMalformed(MdocModelError)
    case readerUnavailable(ReaderFault)
    /// No complete engagement in time. Where a phone was there, its last tap ended so (Q12).
    case engagementOverdue(lastTap: NFCEndReason?)
    /// The engagement is not one, or has a key that cannot be used.
    case engagement(MdocModelError)
    /// The phone offers no way of retrieval that this reader has.
    case noUsableRetrieval
    /// The NFC transfer ended before the answer was complete.
    case transfer(NFCEndReason)
    /// Bluetooth is needed, or was in use, and cannot be used.
    case radioUnavailable(RadioFault)
    /// The phone did not connect, or could not be connected to, in time.
    case connectionOverdue
    /// No link to the phone could be made.
    case connection(ConnectionFault)
    /// The transfer over Bluetooth ended before the answer was complete.
    case bluetooth(BLEEndReason)
    /// The link broke before the answer was complete, and no further tap came.
    case linkLost
    /// The phone announced a message of so many bytes; at most `limit` are allowed.
    case messageTooLong(announced: Int, limit: Int)
    /// The first frame of the bench link is not one.
    case benchLink(BenchLinkError)
    /// The request had to be signed and could not be, and so was not sent.
    case requestNotSigned(identity: String)
    /// The session could not be set up, or its messages do not decode or decrypt.
    case session(SessionError)
    /// The phone ended the session with this status and without an answer.
    case status(SessionStatus)
    /// The phone ended the session with its first answer, so that nothing further could be asked.
    case sessionOver
    /// The further question was answered with another document and another key than the first.
    case otherDocument
    case consentOverdue
    /// The presentation was cancelled on our side.
    case cancelled
}

/// An answer as it came, unverified, with what a verification elsewhere needs.
package struct RawAnswer: Sendable, RedactedDescription {
    /// The DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2).
    package let response: [UInt8]
    package let transcript: SessionTranscript
    /// The reader's ephemeral key, by whose private half a MAC is checked (ISO/IEC 18013-5 9.1.3.5).
    package let readerKey: COSEKeyPair

    init(_ response: [UInt8], in session: borrowing ReaderSession) {
        self.response = response
        transcript = session.transcript
        readerKey = session.eReaderKey
    }
}
