internal import CBOR
package import COSE
package import MdocModel
package import MdocSession
package import MdocTrust
package import MdocVerification
package import Transport

/// The plan of one presentation: the request to the phone, the trust and policy for judging the answer, and
/// the time limits.
///
/// The daemon's coordinator, the command line and the library make a plan; a `ReaderTransaction` carries it
/// out. The plan does not change during the presentation, so that each tap of one presentation requests the
/// same elements (Q57).
package struct PresentationPlan: Sendable {
    /// The request to the phone.
    package var question: PresentationQuestion
    /// A second request to the same phone, which depends on the first answer.
    package var further: FurtherQuestion?
    /// The issuers and lists that are trusted.
    package var trust: TrustStore
    /// The policy for judging the answer.
    package var policy: VerificationPolicy
    package var deadlines: PresentationDeadlines
    /// The transports and modes over which the phone's answer may come.
    package var retrieval: RetrievalPlan
    package var requestVersion: RequestVersion
    /// Whether the result includes the answer as the phone sent it, for a verification elsewhere. Such an
    /// answer contains personal data.
    package var handsOutRawAnswer = false
    /// Called after a phone is engaged and before the first request is sent to it. If the function
    /// returns false, nothing is sent and the presentation ends as cancelled.
    package var admission: (@Sendable () async -> Bool)?
    /// The clock that gives the time for judging the answer.
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

/// The times of a presentation, one for each wait (Q191).
package struct PresentationDeadlines: Equatable, Sendable {
    /// The time to wait for a tap, from the moment at which the reader begins to wait.
    package var engagement: Duration = .seconds(120)
    /// The minimum time to wait for another tap after a tap that broke off. A wallet app on iOS must pause
    /// for 15 s before it can emulate a card again (Q5).
    package var nextTap: Duration = .seconds(30)
    /// The maximum time from the first command of a tap to its complete engagement. A wallet app on iOS can
    /// emulate a card for 15 s, and the limit is below that time (Q5).
    package var tap: Duration = .seconds(12)
    /// The maximum time of one phase of an engagement.
    package var tapPhase: Duration = .seconds(5)
    /// The maximum time from the engagement to a Bluetooth link that has started. Some phones look for the
    /// reader for 10 s and more (Q90).
    package var connection: Duration = .seconds(30)
    /// The time from the engagement to the notice that the phone is still connecting.
    package var connecting: Duration = .seconds(3)
    /// The time from the engagement to the notice that Bluetooth may be off in the phone.
    package var checkBluetooth: Duration = .seconds(8)
    /// The maximum time to wait for the signature of the reader's identity, once everything else in the
    /// request is ready.
    package var signing: Duration = .seconds(5)
    /// The maximum time of one NFC command of the data transfer, except the command in which the holder
    /// decides (Q53). Over Bluetooth, the maximum time between two fragments (Q88).
    package var progress: Duration = .seconds(10)
    /// The maximum time from the request to the answer, in which the holder reads and decides.
    package var consent: Duration = .seconds(300)
    /// The maximum time to wait for another tap of a phone that received the request and was lifted without
    /// an answer. With NFC v2 the holder confirms between two taps.
    package var armed: Duration = .seconds(300)
    /// The maximum time for notifying the phone of the end.
    package var termination: Duration = .seconds(1)
    /// The pause between two attempts with a phone that shows no wallet yet (Q7).
    package var lockedPhone: Duration = .milliseconds(250)
    /// The time for which a card without a wallet is taken for a locked phone. Afterwards the card is taken
    /// for something else, such as a bank card (Q206).
    package var unlocking: Duration = .seconds(2)
    /// The pause between two attempts with a card that is no phone (Q206) or does not answer to power-up
    /// (Q203).
    package var otherCard: Duration = .seconds(1)
    /// The pause between two attempts with a phone that stays on the reader after a tap that broke off
    /// (Q202).
    package var nextTry: Duration = .milliseconds(700)
    /// The maximum time of all attempts while the phone stays on the reader. Afterwards the phone has to be
    /// lifted (Q202).
    package var tries: Duration = .seconds(3)
    /// The time in which taps begin with classic handover, counted from the failure of an NFC v2 engagement.
    package var version2Rest: Duration = .seconds(60)

    package init() {}
}

/// A step of a presentation, reported to pages, command line, library and field trace. No event contains
/// personal data.
package enum PresentationEvent: Equatable, Sendable {
    /// The reader waits for a phone. The holder should open the ID first.
    case armed
    /// A phone on the reader shows no wallet: it is locked, or its screen is off (Q1).
    case phoneLocked
    /// The card on the reader is an ordinary card, or a phone that stays locked, and shows no ID (Q206).
    case notAnID
    /// The phone stays on the reader and every attempt broke off. The phone has to be lifted before the next
    /// tap (Q202, Q203).
    case liftAndTapAgain(NFCEndReason)
    /// The tap broke off before it was complete. The reader sends the same request at the next tap.
    case tapAgain(NFCEndReason)
    /// The phone received the request and was lifted before its holder decided. The reader waits until the
    /// holder has decided and taps again.
    case confirmThenTapAgain
    /// Two taps have failed, so a QR code should be offered (Q12).
    case offerQR
    /// Bluetooth cannot be used, for this reason. Only NFC is used.
    case bluetoothUnavailable(RadioFault)
    /// The PC/SC reader does not answer, so no phone can be detected. The reader may recover (Q212).
    case readerSilent
    /// The engagement is complete. This is the moment to sound the tone (Q8).
    case engaged
    /// Everything else comes over Bluetooth, so the phone may leave the reader (Q9).
    case mayLift
    /// The phone is engaged and has not connected over Bluetooth yet.
    case connecting
    /// The engaged phone still has not connected. Bluetooth may be off in the phone.
    case checkBluetooth
    /// The answer comes over NFC, so the phone has to stay on the reader.
    case hold
    /// The holder decides. Over NFC this event comes before the request is sent, because the holder decides
    /// while the last command of the request is open (Q54).
    case awaitingConsent
    /// The answer has begun to arrive. A transport that cannot report the beginning reports the complete
    /// answer.
    case receiving
    /// The answer is being checked.
    case verifying
    /// Something in the phone's messages is unusual but does not change the result. This event may come after
    /// the end, while the phone is being notified.
    case noted(PresentationNote)
}

/// The duration of one phase of a presentation.
package struct PhaseTime: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        /// From the phone's arrival at the reader to the complete engagement.
        case engagement
        /// From the engagement to a Bluetooth link that has started.
        case connection
        /// From the end of the previous phase until the request was sent, including the set-up of the
        /// session.
        case request
        /// From the request to the first byte of the answer, or to its last byte if the transport cannot
        /// report the first.
        case consent
        /// From the first byte of the answer to the last.
        case transfer
        /// The time for decrypting and checking the answer.
        case verification
    }

    package let name: Name
    package let duration: Duration
}

/// The result of a transaction with one phone, with the last request, the durations of the phases, and notes
/// on the phone's messages.
package struct Presentation: Sendable {
    /// The presentation of the first request, if the plan's second request (`further`) was sent; empty
    /// otherwise. If this list is not empty, all other members describe the second request.
    package let earlier: [Presentation]
    /// The judgement on the phone's answer, or the reason why there is none.
    package let result: Result<Judgement, PresentationFailure>
    /// The request that was answered or, without an answer, the request that was sent last; `nil` if no
    /// request was sent.
    package let request: SessionRequest?
    /// The way in which the phone was met; `nil` if no phone was engaged.
    package let engagementKind: EngagementKind?
    package let phases: [PhaseTime]
    /// The answer as the phone sent it; `nil` without an answer, or if the plan does not ask for the raw
    /// answer.
    package let rawAnswer: RawAnswer?
    /// The notes on the phone's messages. Notes may still be added while the phone is notified of the end.
    private let noted: PresentationNotes
    /// The task that notifies the phone of the end; `nil` if nothing is left to do.
    private let leaving: Task<Void, Never>?

    init(
        _ result: Result<Judgement, PresentationFailure>, after earlier: [Presentation] = [],
        request: SessionRequest?, engagementKind: EngagementKind? = nil, phases: [PhaseTime],
        rawAnswer: RawAnswer?,
        notes: PresentationNotes = PresentationNotes(), leaving: Task<Void, Never>?
    ) {
        self.earlier = earlier
        self.result = result
        self.request = request
        self.engagementKind = engagementKind
        self.phases = phases
        self.rawAnswer = rawAnswer
        noted = notes
        self.leaving = leaving
    }

    /// The reason why no answer was judged; `nil` if an answer was judged.
    package var failure: PresentationFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    /// The notes on the phone's messages until now. No note is added after `waitUntilLeft()` has returned.
    package var notes: [PresentationNote] { noted.all }

    /// Waits until the phone has been notified of the end and nothing more is transmitted. The result may be
    /// shown before this function returns (Q76).
    package func waitUntilLeft() async {
        await leaving?.value
    }
}

/// The reason why no answer of a phone was judged.
package enum PresentationFailure: Error, Equatable, Sendable {
    /// The phone returned no data. Its holder declined or has no such document, or its wallet does not accept
    /// this reader.
    case declined
    /// The decrypted answer is not a DeviceResponse.
    case responseMalformed(MdocModelError)
    /// The PC/SC reader, or the bench link, cannot be used.
    case readerUnavailable(ReaderFault)
    /// No engagement was complete in time. `lastTap` is the reason why the last tap ended; `nil` if no phone
    /// was tapped (Q12).
    case engagementOverdue(lastTap: NFCEndReason?)
    /// The engagement is malformed, or its key cannot be used.
    case engagement(MdocModelError)
    /// The phone offers no retrieval method that this reader supports.
    case noUsableRetrieval
    /// The NFC transfer ended before the answer was complete.
    case transfer(NFCEndReason)
    /// Bluetooth cannot be used, although the plan requires it or the session was using it.
    case radioUnavailable(RadioFault)
    /// Neither the phone nor this reader made a connection in time.
    case connectionOverdue
    /// No link to the phone could be made.
    case connection(ConnectionFault)
    /// The transfer over Bluetooth ended before the answer was complete.
    case bluetooth(BLEEndReason)
    /// The link broke before the answer was complete, and no other tap followed.
    case linkLost
    /// The phone announced a message of `announced` bytes; at most `limit` are allowed.
    case messageTooLong(announced: Int, limit: Int)
    /// The first frame on the bench link (a TCP connection to a software wallet) is not a greeting.
    case benchLink(BenchLinkError)
    /// The request had to be signed with this identity. The identity's key did not sign, and the request
    /// was not sent.
    case requestNotSigned(identity: String)
    /// The session could not be set up, or its messages do not decode or decrypt.
    case session(SessionError)
    /// The phone ended the session with this status and without an answer.
    case status(SessionStatus)
    /// The phone ended the session with its first answer, before the plan's second request was sent.
    case sessionOver
    /// The phone answered the plan's two requests with different documents, and these documents have
    /// different keys.
    case otherDocument
    /// The holder did not answer in time.
    case consentOverdue
    /// The presentation was cancelled by this program or its user.
    case cancelled
}

/// A decrypted and unverified answer, with the transcript and the key that a verification elsewhere needs.
package struct RawAnswer: Sendable, RedactedDescription {
    /// The DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2).
    package let response: [UInt8]
    package let transcript: SessionTranscript
    /// The reader's ephemeral key pair. A MAC is verified with its private half (ISO/IEC 18013-5 9.1.3.5).
    package let readerKey: COSEKeyPair

    init(_ response: [UInt8], in session: borrowing ReaderSession) {
        self.response = response
        transcript = session.transcript
        readerKey = session.eReaderKey
    }
}
