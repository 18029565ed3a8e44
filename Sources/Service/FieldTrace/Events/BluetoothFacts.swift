internal import Transport

/// One use of the radio that makes a link, or tries to.
package struct RadioFacts: Equatable, Sendable, Codable {
    package enum Action: String, CaseIterable, Sendable {
        /// Our service is shown and advertised.
        case advertise
        /// A phone connected to our service and started.
        case accept
        /// We connect to a phone's service, or to an L2CAP channel.
        case connect
        case connectL2CAP = "connect.l2cap"
        /// Our service is taken off the air.
        case withdraw
    }

    package let action: TraceWord<Action>
    package let service: TraceToken?
    /// From the call to its end, in milliseconds.
    package let took: Double
    package let fault: FaultFacts?
    package let link: LinkFacts?
}

/// A link that was made.
package struct LinkFacts: Equatable, Sendable, Codable {
    package enum Kind: String, CaseIterable, Sendable {
        case server, client, l2cap
    }

    package let kind: TraceWord<Kind>
    /// The most bytes of one value.
    package let packetLimit: Int
    /// How often connecting was tried.
    package let attempts: Int?
}

/// A message over Bluetooth, or a part of one after which the link ended, by its fragments.
package struct FragmentsFacts: Equatable, Sendable, Codable {
    package enum Direction: String, CaseIterable, Sendable {
        case fromPhone, toPhone
    }

    package let direction: TraceWord<Direction>
    package var fragments: UInt32 = 0
    /// In bytes, with the byte before each fragment.
    package var bytes: UInt32 = 0
    package var largest: UInt32 = 0
    package var isComplete = false
    /// From its first fragment to its last, in milliseconds.
    package var took = 0.0
}

/// A value of State, or the end of the link.
package struct LinkStateFacts: Equatable, Sendable, Codable {
    package enum Change: String, CaseIterable, Sendable {
        case stateFromPhone, stateToPhone
        /// We closed the link.
        case closed
        /// The phone left, or the radio lost it; why is not known where the process may not read it.
        case lost
    }

    package let change: TraceWord<Change>
    /// The byte of State.
    package let value: Int?
    package let fault: FaultFacts?
}
