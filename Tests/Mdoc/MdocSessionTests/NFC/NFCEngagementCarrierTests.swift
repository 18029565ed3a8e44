import NDEF
import Testing

@testable import MdocSession

@Suite("Carriers of an NFC handover")
struct NFCEngagementCarrierTests {
    /// The carriers that a phone with these carriers and a reader with this offer settle on.
    private func outcome(
        _ carriers: [HandoverCarrier], _ offer: NFCOffer, negotiated: Bool,
        _ change: (inout NFCHolderBehaviour) -> Void = { _ in },
        settings: NFCEngagementSettings = NFCEngagementSettings()
    ) -> NFCTap.Outcome {
        let behaviour = negotiated ? NFCSamples.negotiatedBehaviour(change) : NFCSamples.behaviour(change)
        var tap = NFCTap(
            behaviour, content: NFCSamples.content(carriers: carriers), offer: offer, settings: settings)
        return tap.run()
    }

    private func bluetooth(_ outcome: NFCTap.Outcome) throws -> NFCBluetoothLECarrier {
        let carriers = try #require(outcome.handover, "\(outcome)").carriers
        let found = carriers.lazy.compactMap {
            if case .bluetoothLE(let carrier) = $0 { carrier } else { nil }
        }
        return try #require(found.first)
    }

    @Test("Q29 A Handover Select without UUID means the UUID we offered")
    func offeredUUID() throws {
        let settled = try bluetooth(
            outcome([NFCSamples.bluetooth(.centralOnly, uuid: nil)], NFCSamples.offer, negotiated: true))
        #expect(settled.outOfBand.serviceUUID == nil)
        #expect(settled.centralClientUUID == NFCSamples.uuid)
        #expect(settled.peripheralServerUUID == nil)
    }

    @Test("Q29 For mdoc peripheral server mode a UUID of the phone's own wins")
    func phonesUUID() throws {
        let settled = try bluetooth(
            outcome([NFCSamples.bluetooth(.peripheralOnly)], NFCSamples.offer, negotiated: true))
        #expect(settled.peripheralServerUUID == NFCSamples.otherUUID)
        #expect(settled.centralClientUUID == nil)
        let without = try bluetooth(
            outcome([NFCSamples.bluetooth(.peripheralOnly, uuid: nil)], NFCSamples.offer, negotiated: true))
        #expect(without.peripheralServerUUID == NFCSamples.uuid)
    }

    @Test("Q30 A repeated UUID with mdoc central client mode changes nothing")
    func repeatedUUID() throws {
        let settled = try bluetooth(
            outcome([NFCSamples.bluetooth(.centralOnly)], NFCSamples.offer, negotiated: true) {
                $0.repeatsServiceUUID = true
            })
        #expect(settled.outOfBand.serviceUUID == NFCSamples.uuid)
        #expect(settled.centralClientUUID == NFCSamples.uuid)
    }

    @Test("After static handover the phone's UUID counts for both modes")
    func staticUUID() throws {
        let settled = try bluetooth(
            outcome([NFCSamples.bluetooth(.bothCentralPreferred)], NFCSamples.offer, negotiated: false))
        #expect(settled.centralClientUUID == NFCSamples.otherUUID)
        #expect(settled.peripheralServerUUID == NFCSamples.otherUUID)
    }

    @Test("A static Bluetooth carrier without UUID is unreadable; others go on")
    func staticWithoutUUID() throws {
        let record = NFCSamples.bluetooth(.centralOnly, uuid: nil)
        let alone = outcome([record], NFCSamples.offer, negotiated: false)
        #expect(
            alone.reason == NFCEndReason(.initialMessage, .noUsableCarrier([.centralClient, .unreadable])))
        let both = outcome([record, .nfc(NFCSamples.nfc)], NFCSamples.offer, negotiated: false)
        #expect(both.handover?.carriers == [.unreadable(.bluetoothLE, count: 3), .nfc(NFCSamples.nfc)])
    }

    @Test("Q31 Foreign advertising data change nothing")
    func foreignAdvertisingData() throws {
        let settled = try bluetooth(
            outcome([NFCSamples.bluetooth(.centralOnly)], NFCSamples.offer, negotiated: false) {
                $0.foreignAdvertisingData = [3, 0x19, 0xc0, 0x03, 4, 0x09, 0x61, 0x62, 0x63]
            })
        #expect(settled.centralClientUUID == NFCSamples.otherUUID)
    }

    @Test("Q32 A Bluetooth record with a leading length is unreadable; others go on")
    func leadingLength() {
        let carriers = [NFCSamples.bluetooth(.centralOnly), .nfc(NFCSamples.nfc)]
        let both = outcome(carriers, NFCSamples.offer, negotiated: false) {
            $0.fault = .prefixesBluetoothLength
        }
        #expect(both.handover?.carriers == [.unreadable(.bluetoothLE, count: 23), .nfc(NFCSamples.nfc)])
        let alone = outcome([carriers[0]], NFCSamples.offer, negotiated: true) {
            $0.fault = .prefixesBluetoothLength
        }
        #expect(alone.reason == NFCEndReason(.handoverSelect, .unofferedCarrier(.unreadable)))
    }

    @Test("Q33 Our role is mirrored: as central we offer mdoc peripheral server mode alone")
    func mirroredRole() throws {
        let carriers = [NFCSamples.bluetooth(.bothCentralPreferred)]
        let central = try bluetooth(outcome(carriers, NFCSamples.offer(role: .centralOnly), negotiated: true))
        #expect(central.outOfBand.role == .peripheralOnly)
        #expect(central.centralClientUUID == nil)
        let peripheral = try bluetooth(
            outcome(carriers, NFCSamples.offer(role: .peripheralOnly), negotiated: true))
        #expect(peripheral.outOfBand.role == .centralOnly)
        #expect(peripheral.peripheralServerUUID == nil)
    }

    @Test("Q33 After static handover a mode that we cannot do is left out")
    func staticModes() throws {
        let carriers = [NFCSamples.bluetooth(.bothPeripheralPreferred)]
        let settled = try bluetooth(
            outcome(carriers, NFCSamples.offer(role: .centralOnly), negotiated: false))
        #expect(settled.peripheralServerUUID == NFCSamples.otherUUID)
        #expect(settled.centralClientUUID == nil)
    }

    @Test("Q35 A phone with mdoc peripheral server mode alone is handled, or refused by that name")
    func peripheralServerAlone() throws {
        let carriers = [NFCSamples.bluetooth(.peripheralOnly)]
        let settled = try bluetooth(outcome(carriers, NFCSamples.offer, negotiated: false))
        #expect(settled.peripheralServerUUID == NFCSamples.otherUUID)
        let refused = outcome(carriers, NFCSamples.offer(role: .peripheralOnly, nfc: nil), negotiated: false)
        #expect(refused.reason == NFCEndReason(.initialMessage, .noUsableCarrier(.peripheralServer)))
    }

    @Test("Q36 The Handover Request's NFC carrier has both lengths")
    func requestedNFCCarrier() throws {
        var tap = NFCTap(
            NFCSamples.negotiatedBehaviour(),
            offer: NFCSamples.offer(role: nil, nfc: NFCReaderLimits.short.carrier))
        let request = try #require(tap.run().handover?.handoverRequest)
        let records = try NDEFMessage.parse(request[...]).records
        #expect(records.last?.payload == [0x01, 0x02, 0x01, 0xff, 0x03, 0x02, 0x01, 0x00])
    }

    @Test("Q37 An NFC carrier under TNF 02 is used")
    func nfcCarrierAsMedia() {
        let found = outcome([.nfc(NFCSamples.nfc)], NFCSamples.offer, negotiated: true) {
            $0.sendsNFCCarrierAsMedia = true
        }
        #expect(found.handover?.carriers == [.nfc(NFCSamples.nfc)])
    }

    @Test("Q38 A carrier that we did not offer ends the engagement at once, unless configured otherwise")
    func unofferedCarrier() throws {
        let offer = NFCSamples.offer(role: .peripheralOnly, nfc: nil)
        let nfc = outcome([.nfc(NFCSamples.nfc)], offer, negotiated: true) { $0.fault = .ignoresOffer }
        #expect(nfc.reason == NFCEndReason(.handoverSelect, .unofferedCarrier(.nfc)))
        let server = outcome([NFCSamples.bluetooth(.peripheralOnly)], offer, negotiated: true) {
            $0.fault = .ignoresOffer
        }
        #expect(server.reason == NFCEndReason(.handoverSelect, .unofferedCarrier(.peripheralServer)))

        var settings = NFCEngagementSettings()
        settings.acceptsUnofferedCarriers = true
        let accepted = outcome(
            [.nfc(NFCSamples.nfc)], offer, negotiated: true, { $0.fault = .ignoresOffer }, settings: settings)
        #expect(accepted.handover?.carriers == [.nfc(NFCSamples.nfc)])
        let mode = outcome(
            [NFCSamples.bluetooth(.peripheralOnly)], offer, negotiated: true, { $0.fault = .ignoresOffer },
            settings: settings)
        #expect(try bluetooth(mode).peripheralServerUUID == NFCSamples.otherUUID)
    }

    @Test("Q38 Beside an offered carrier an unoffered one is left out")
    func unofferedBesideOffered() throws {
        let carriers = [.nfc(NFCSamples.nfc), NFCSamples.bluetooth(.centralOnly)]
        let found = outcome(carriers, NFCSamples.offer(role: .peripheralOnly, nfc: nil), negotiated: true) {
            $0.fault = .ignoresOffer
        }
        #expect(found.handover?.carriers.count == 1)
        #expect(try bluetooth(found).centralClientUUID == NFCSamples.uuid)
    }
}
