package import BlueZTransport

/// What bluetoothd tells of a phone beside its messages.
package struct ObservationFacts: Equatable, Sendable, Codable {
    package enum What: String, CaseIterable, Sendable {
        case phone, mtu, identRead, identAnswered, identRefused, subscribed, unsubscribed, turnedAway,
            disconnected
    }

    package enum AddressType: String, CaseIterable, Sendable {
        case random, `public`, unknown
    }

    /// Why a connection ended, where the process may read it.
    package enum Reason: String, CaseIterable, Sendable {
        case unknown
    }

    package let what: TraceWord<What>
    package private(set) var address: TraceWord<AddressType>?
    package private(set) var mtu: Int?
    package private(set) var source: TraceWord<BlueZObservation.MTUSource>?
    package private(set) var characteristic: TraceWord<BlueZObservation.Characteristic>?
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
