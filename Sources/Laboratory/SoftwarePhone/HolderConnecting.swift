internal import MdocModel
internal import MdocSession
internal import MdocWallet
internal import NDEF
internal import ReaderService
internal import Transport

/// The data with which the phone connects over Bluetooth to the reader that has received the phone's
/// engagement.
struct ReaderReach: Sendable {
    /// The Bluetooth modes and UUIDs on which phone and reader agreed. In mdoc central client mode the UUID
    /// is the reader's, in mdoc peripheral server mode the phone's.
    let offer: BluetoothOffer
    /// The value of the ident characteristic, by which the phone recognises the reader (Q70).
    let ident: BLEIdent
}

extension WalletEngagement {
    /// The data with which the phone connects to the reader that has this engagement. Nil if the engagement
    /// offers no Bluetooth.
    var reader: ReaderReach? {
        guard let engagement = try? DeviceEngagement(deviceEngagement[...]),
            let ident = try? BLEIdent(for: engagement),
            // After a QR code there are no handover messages, so the engagement is the only source of the
            // Bluetooth modes and UUIDs.
            let offer = handover.bluetooth ?? BluetoothOffer(engagement)
        else { return nil }
        return ReaderReach(offer: offer, ident: ident)
    }
}

extension Handover {
    /// The Bluetooth modes and UUIDs that follow from the handover messages. Nil after a QR code, or if the
    /// messages agree on no Bluetooth.
    fileprivate var bluetooth: BluetoothOffer? {
        if case .nfcVersion2(let select, let request) = self {
            guard let (_, chosen) = try? NFCVersion2Handover.engagement(inSelect: select[...]),
                let offered = try? NFCVersion2Handover.methods(inRequest: request[...])
            else { return nil }
            return (try? NFCVersion2Choice.settled(chosen, offered: offered))?.bluetooth.map {
                BluetoothOffer($0)
            }
        }
        guard case .nfc(let select, let request) = self,
            let chosen = (try? HandoverSelect.parse(NDEFMessage.parse(select[...])))?.carriers.bluetooth
        else { return nil }
        let offered = request.flatMap { request in
            (try? HandoverRequest.parse(NDEFMessage.parse(request[...])))?.carriers.bluetooth
        }
        // A static handover has no Handover Request, so the reader excludes no mode.
        let allowed = offered?.role.modesInHandoverRequest ?? [.centralClient, .peripheralServer]
        return NFCBluetoothLECarrier(chosen, allowed: allowed, offered: offered?.serviceUUID).map {
            BluetoothOffer($0)
        }
    }
}

extension [HandoverCarrier] {
    /// The record of the Bluetooth carrier. Nil if Bluetooth is not among the carriers.
    fileprivate var bluetooth: BluetoothLEOutOfBand? {
        for case .bluetoothLE(let record) in self { return record }
        return nil
    }
}

/// The phone's side of connecting over Bluetooth.
///
/// In mdoc central client mode the phone connects to the reader and sends State 01. In mdoc peripheral server
/// mode the phone waits for the reader's connection. With both modes, the first link is used.
struct HolderConnecting {
    let radio: any BluetoothLERadio
    let reader: ReaderReach

    /// Returns the link after one side has sent State 01.
    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        switch (reader.offer.centralClient, reader.offer.peripheralServer) {
        case (let readerUUID?, let phoneUUID?): try await race(readerUUID, phoneUUID)
        case (let readerUUID?, nil): try await connect(readerUUID)
        case (nil, let phoneUUID?): try await serve(phoneUUID)
        case (nil, nil): throw .serviceIncomplete
        }
    }

    /// Connects to the reader's service and sends State 01 (mdoc central client mode).
    private func connect(_ uuid: BluetoothUUID) async throws(BluetoothLEError) -> any BluetoothLELink {
        let link = try await radio.connect(to: GATTService(.mdocCentralClient(uuid)))
        do throws(BluetoothLEError) {
            // A reader whose Ident value differs is waiting for another phone (Q70).
            if let client = link as? any BluetoothLEClientLink,
                try await client.readIdent() != reader.ident.bytes
            {
                throw .connectionFailed(.identOfAnother)
            }
            try await link.signal(BLEStateValue.start.rawValue)
            return link
        } catch {
            await link.close()
            throw error
        }
    }

    /// Offers the phone's service and waits until the reader has connected and sent State 01 (mdoc peripheral
    /// server mode).
    private func serve(_ uuid: BluetoothUUID) async throws(BluetoothLEError) -> any BluetoothLELink {
        let server = try await radio.serve(GATTService(.mdocPeripheralServer(uuid)))
        do throws(BluetoothLEError) {
            return try await server.link()
        } catch {
            await server.close()
            throw error
        }
    }

    /// Connects in both modes at once and returns the first link. The other attempt is cancelled.
    private func race(
        _ readerUUID: BluetoothUUID, _ phoneUUID: BluetoothUUID
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        try await firstLink(
            { () throws(BluetoothLEError) in try await connect(readerUUID) },
            { () throws(BluetoothLEError) in try await serve(phoneUUID) }
        ).get()
    }
}
