package import BlueZTransport
internal import CBOR
package import MdocModel
package import ReaderService

/// The settings of a presentation.
package struct PresentationFacts: Equatable, Sendable, Codable {
    /// The number of the presentation in its file, beginning with 1.
    package let number: Int
    package let transport: TraceWord<RetrievalPlan.Transport>
    package let bleMode: TraceWord<RetrievalPlan.Mode>
    package let l2cap: TraceWord<RetrievalPlan.L2CAP>
    package let requestVersion: TraceWord<RequestVersion>
    /// The use of NFC v2; `nil` in traces of older versions.
    package let nfcV2: TraceWord<RetrievalPlan.NFCVersion2>?

    init(_ number: Int, _ plan: PresentationPlan) {
        self.number = number
        transport = TraceWord(plan.retrieval.transport)
        bleMode = TraceWord(plan.retrieval.mode)
        l2cap = TraceWord(plan.retrieval.l2cap)
        requestVersion = TraceWord(plan.requestVersion)
        nfcV2 = TraceWord(plan.retrieval.nfcVersion2)
    }
}

/// The contents of the phone's engagement, except its key.
package struct EngagementFacts: Equatable, Sendable, Codable {
    package let version: TraceVersion?
    /// The integer keys in the map of the engagement.
    package let keys: [Int64]
    /// The integer keys in the map of the engagement's capabilities.
    package let capabilities: [Int64]
    package let offersNFC: Bool
    package let offersBluetooth: Bool
    /// The known keys whose values are malformed.
    package let malformed: [Int64]

    /// The maximum number of keys that are recorded, because a hostile phone may send many.
    private static let mostKeys = 32
    /// The range of keys that are recorded, because a hostile phone may send any number.
    private static let knownKeys: ClosedRange<Int64> = -255...255

    package init(_ engagement: DeviceEngagement) {
        version = TraceVersion(engagement.version)
        (offersNFC, offersBluetooth) = (engagement.offersNFC, engagement.offersBluetooth)
        malformed = engagement.malformedMembers
        // A malformed map gives no keys, and the trace is written all the same.
        let map = try? CBORItem.parse(engagement.bytes).map()
        keys = Self.keys(of: map)
        // Key 6 is Capabilities (draft of the second edition).
        capabilities = Self.keys(of: try? map?[6]?.map())
    }

    /// Returns the integer keys in `knownKeys` among the first `mostKeys` keys of a map; empty without a map.
    private static func keys(of map: CBORMap?) -> [Int64] {
        (map.map { Array($0) } ?? []).prefix(mostKeys).compactMap { try? $0.key.integer() }
            .filter(knownKeys.contains)
    }
}

/// A step that a presentation reported.
package struct StepFacts: Equatable, Sendable, Codable {
    package enum Step: String, CaseIterable, Sendable {
        case armed, phoneLocked, notAnID, tapAgain, liftAndTapAgain, confirmThenTapAgain, offerQR,
            bluetoothUnavailable, engaged,
            readerSilent, mayLift, connecting, checkBluetooth, hold, awaitingConsent, receiving, verifying,
            noted

        fileprivate init(_ event: PresentationEvent) {
            self =
                switch event {
                case .armed: .armed
                case .phoneLocked: .phoneLocked
                case .notAnID: .notAnID
                case .tapAgain: .tapAgain
                case .liftAndTapAgain: .liftAndTapAgain
                case .confirmThenTapAgain: .confirmThenTapAgain
                case .offerQR: .offerQR
                case .readerSilent: .readerSilent
                case .bluetoothUnavailable: .bluetoothUnavailable
                case .engaged: .engaged
                case .mayLift: .mayLift
                case .connecting: .connecting
                case .checkBluetooth: .checkBluetooth
                case .hold: .hold
                case .awaitingConsent: .awaitingConsent
                case .receiving: .receiving
                case .verifying: .verifying
                case .noted: .noted
                }
        }
    }

    package let step: TraceWord<Step>
    /// The reason why the tap or Bluetooth failed; `nil` for other steps.
    package let cause: FaultFacts?
    /// The id of a remark on the phone's messages; `nil` for other steps.
    package let note: TraceWord<PresentationNote.ID>?

    init(_ event: PresentationEvent) {
        step = TraceWord(Step(event))
        note = if case .noted(let note) = event { TraceWord(note.id) } else { nil }
        cause =
            switch event {
            case .tapAgain(let reason), .liftAndTapAgain(let reason): FaultFacts(reason)
            case .bluetoothUnavailable(let fault): FaultFacts(fault)
            default: nil
            }
    }
}

/// An observation of bluetoothd about a phone, apart from the phone's messages.
package struct ObservationFacts: Equatable, Sendable, Codable {
    package enum What: String, CaseIterable, Sendable {
        /// Each case has the name of a case of `BlueZObservation`. `turnedAway` means that this reader
        /// disconnects an unknown device.
        case phone, mtu, identRead, identAnswered, identRefused, subscribed, unsubscribed, turnedAway,
            disconnected
    }

    package enum AddressType: String, CaseIterable, Sendable {
        case random, `public`, unknown
    }

    /// The reason why a connection ended. `unknown` is the only case, because this process cannot
    /// find out the reason.
    package enum Reason: String, CaseIterable, Sendable {
        case unknown
    }

    package let what: TraceWord<What>
    package private(set) var address: TraceWord<AddressType>?
    package private(set) var mtu: Int?
    package private(set) var source: TraceWord<BlueZObservation.MTUSource>?
    package private(set) var characteristic: TraceWord<BlueZObservation.Characteristic>?
    /// Whether the notifications of the characteristic pass through a socket of bluetoothd and not through
    /// D-Bus calls.
    package private(set) var usesSocket: Bool?
    package private(set) var reason: TraceWord<Reason>?

    package init(_ observation: BlueZObservation) {
        switch observation {
        case .phone(let isRandom):
            what = TraceWord(.phone)
            address = TraceWord(isRandom.map { $0 ? .random : .public } ?? .unknown)
        case .mtu(let value, let source):
            what = TraceWord(.mtu)
            mtu = value
            self.source = TraceWord(source)
        case .identRead: what = TraceWord(.identRead)
        case .identAnswered: what = TraceWord(.identAnswered)
        case .identRefused: what = TraceWord(.identRefused)
        case .subscribed(let characteristic, let usesSocket):
            what = TraceWord(.subscribed)
            self.characteristic = TraceWord(characteristic)
            self.usesSocket = usesSocket
        case .unsubscribed(let characteristic):
            what = TraceWord(.unsubscribed)
            self.characteristic = TraceWord(characteristic)
        case .turnedAway: what = TraceWord(.turnedAway)
        case .disconnected:
            what = TraceWord(.disconnected)
            reason = TraceWord(.unknown)
        }
    }
}
