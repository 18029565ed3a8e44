internal import NDEF

/// The carriers of a Handover Select, sorted into usable, unreadable and other carriers.
struct NFCCarrierChoice {
    /// The usable and the unreadable carriers, in the phone's order.
    private(set) var carriers: [NFCHandoverCarrier] = []
    /// Whether one of `carriers` can be used.
    private(set) var hasUsable = false
    /// The kinds of carriers that the phone named, usable or not.
    private(set) var named: NFCCarrierKinds = []

    private let offer: NFCOffer
    private let isNegotiated: Bool
    private let acceptsAll: Bool

    /// Sorts the carriers by whether the reader's offer contains them. With `acceptsAll` a carrier of a
    /// negotiated handover is usable even if it is not in the offer (Q38).
    init(_ carriers: [HandoverCarrier], offer: NFCOffer, isNegotiated: Bool, acceptsAll: Bool) {
        self.offer = offer
        self.isNegotiated = isNegotiated
        // In a static handover the reader sends no offer to the phone. `offer` then lists the carriers that
        // this reader can use, and a carrier outside this list is never usable.
        self.acceptsAll = acceptsAll && isNegotiated
        for carrier in carriers { sort(carrier) }
    }

    /// Records the kind of a carrier, and keeps the carrier if it is usable or unreadable.
    private mutating func sort(_ carrier: HandoverCarrier) {
        switch carrier {
        case .nfc(let limits):
            named.insert(.nfc)
            if offer.nfc != nil || acceptsAll { use(.nfc(limits)) }
        case .bluetoothLE(let record): sort(record)
        case .unreadable(let kind, let count):
            named.insert(.unreadable)
            carriers.append(.unreadable(kind, count: count))
        case .foreign: named.insert(.foreign)
        }
    }

    /// Records the modes of a Bluetooth record, and keeps the record if it is usable or unreadable. The
    /// record is usable if one of its modes is allowed and has a UUID.
    private mutating func sort(_ record: BluetoothLEOutOfBand) {
        let modes = record.role.modesInHandoverSelect
        if modes.contains(.peripheralServer) { named.insert(.peripheralServer) }
        if modes.contains(.centralClient) { named.insert(.centralClient) }
        let allowed = acceptsAll ? modes : offer.bluetoothLE?.role.modesInHandoverRequest ?? []
        guard !modes.isDisjoint(with: allowed) else { return }
        // Without a Handover Request the phone does not know the reader's UUID.
        let offered = isNegotiated ? offer.bluetoothLE?.serviceUUID : nil
        if let settled = NFCBluetoothLECarrier(record, allowed: allowed, offered: offered) {
            use(.bluetoothLE(settled))
        } else {
            // Without a UUID for an allowed mode, neither side could find the other.
            named.insert(.unreadable)
            carriers.append(.unreadable(.bluetoothLE, count: record.encode().count))
        }
    }

    private mutating func use(_ carrier: NFCHandoverCarrier) {
        carriers.append(carrier)
        hasUsable = true
    }
}
