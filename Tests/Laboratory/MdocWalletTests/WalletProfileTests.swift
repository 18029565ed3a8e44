import CBOR
import MdocModel
import MdocSession
import MdocWallet
import NDEF
import Testing
import VectorFiles

@Suite("Wallet profiles are the rows of the table")
struct WalletProfileTests {
    /// The capability container as a card of this profile shows it.
    private func capabilities(_ profile: WalletProfile, _ kind: HandoverKind) throws -> String {
        let counter = try Counter(PresentationCase("profile") { $0.profile = profile })
        var card = try WalletCard(counter.presented.wallet, handover: kind)
        var answer = ""
        for command in ["00a4040007d276000085010100", "00a4000c02e103", "00b000000f"] {
            guard case .respond(let bytes) = card.answer([UInt8](hex: command)[...], now: .now) else {
                throw UnexpectedAction()
            }
            answer = bytes.hex
        }
        return answer
    }

    private func handoverSelect(
        _ profile: WalletProfile, _ kind: HandoverKind
    ) throws -> (HandoverSelect, NDEFMessage, DeviceEngagement) {
        var wallet = try Counter().presented.wallet
        wallet.profile = profile
        let engagement = try wallet.engagement(kind, now: .now)
        guard case .nfc(let bytes, _) = engagement.handover else { throw UnexpectedAction() }
        let message = try NDEFMessage.parse(bytes[...])
        return (
            try HandoverSelect.parse(message), message,
            try DeviceEngagement(engagement.deviceEngagement[...])
        )
    }

    @Test(
        "A wallet offers the ways of Bluetooth that it has, each with a UUID, and Q39 its L2CAP channel",
        arguments: [BluetoothLERole.centralOnly, .peripheralOnly, .bothCentralPreferred],
        [nil, L2CAPPSM(0xc1)])
    func bluetooth(role: BluetoothLERole, psm: L2CAPPSM?) throws {
        var profile = WalletProfile.generic
        profile.bluetoothRole = role
        if let psm { profile = profile.adding(psm) }
        var wallet = try Counter().presented.wallet
        wallet.profile = profile
        let scanned = try DeviceEngagement(try wallet.engagement(.qr, now: .now).deviceEngagement[...])
        guard case .ble(let options)? = scanned.retrievalMethods.first else { throw UnexpectedAction() }
        let modes = role.modesInHandoverSelect
        #expect((options.centralClientUUID != nil) == modes.contains(.centralClient))
        #expect((options.peripheralServerUUID != nil) == modes.contains(.peripheralServer))
        #expect(options.centralClientUUID != options.peripheralServerUUID)
        #expect(options.peripheralServerPSM == (modes.contains(.peripheralServer) ? psm?.value : nil))

        for kind in profile.nfcHandovers {
            let (select, _, _) = try handoverSelect(profile, kind)
            guard case .bluetoothLE(let record)? = select.carriers.first else { throw UnexpectedAction() }
            let chosen = modes.contains(.centralClient) ? BluetoothLEModes.centralClient : .peripheralServer
            #expect(record.role.modesInHandoverSelect == (kind == .static ? modes : chosen))
            #expect(record.protocolServiceMultiplexer == psm.map { UInt32($0.value) })
        }
    }

    @Test("Apple: file sizes and limits of 0400, and a merged file of 0802")
    func appleCapabilities() throws {
        #expect(try capabilities(.apple, .negotiated) == "000f20040004000406e104080200009000")
    }

    @Test("Q18 Samsung: static handover with write access FF")
    func samsungCapabilities() throws {
        #expect(try capabilities(.samsung, .static) == "000f207fff7fff0406e1047fff00ff9000")
        #expect(WalletProfile.samsung.nfcHandovers == [.static])
    }

    @Test("Google and multipaz: limits of 7FFF", arguments: [HandoverKind.negotiated])
    func androidCapabilities(kind: HandoverKind) throws {
        let expected = "000f207fff7fff0406e1047fff00009000"
        #expect(try capabilities(.google, kind) == expected)
        #expect(try capabilities(.multipaz, kind) == expected)
        #expect(try capabilities(.multipaz, .static) == expected)
    }

    @Test("Q42 Q44 Apple: engagement 1.1 with keys 5 and 6")
    func appleEngagement() throws {
        let (_, _, engagement) = try handoverSelect(.apple, .negotiated)
        #expect(engagement.version == "1.1")
        #expect(engagement.capabilities == [.readerAuthAll, .extendedRequest])
        #expect(Array(engagement.bytes.suffix(8)).hex == "058006a203f504f5")
        #expect(engagement.malformedMembers.isEmpty)
    }

    @Test("Others: engagement 1.0 with the keys 0 and 1 alone", arguments: ["google", "samsung", "multipaz"])
    func plainEngagement(name: String) throws {
        let profile = try #require(WalletProfile.all.first { $0.name == name })
        let (_, _, engagement) = try handoverSelect(profile, try #require(profile.nfcHandovers.first))
        #expect(engagement.version == "1.0")
        #expect(try CBORItem.parse(engagement.bytes).map().count == 2)
    }

    @Test("Q29 Q30 UUIDs: none from Apple and negotiated multipaz, the reader's from Google, own when static")
    func uuids() throws {
        func uuid(_ profile: WalletProfile, _ kind: HandoverKind) throws -> BluetoothUUID? {
            let (select, _, _) = try handoverSelect(profile, kind)
            for case .bluetoothLE(let record) in select.carriers {
                #expect(record.role == .centralOnly)
                return record.serviceUUID
            }
            throw UnexpectedAction()
        }
        #expect(try uuid(.apple, .negotiated) == nil)
        #expect(try uuid(.multipaz, .negotiated) == nil)
        #expect(try uuid(.google, .negotiated) != nil)
        #expect(try uuid(.samsung, .static) != nil)
        #expect(try uuid(.multipaz, .static) != nil)
    }

    @Test("Q27 Record order: the carriers before the engagement from Apple and Samsung, after it from others")
    func recordOrder() throws {
        func isEngagementFirst(_ profile: WalletProfile, _ kind: HandoverKind) throws -> Bool {
            let (_, message, _) = try handoverSelect(profile, kind)
            return message.records[1].isOf(.deviceEngagement)
        }
        #expect(try !isEngagementFirst(.apple, .negotiated))
        #expect(try !isEngagementFirst(.samsung, .static))
        #expect(try isEngagementFirst(.google, .negotiated))
        #expect(try isEngagementFirst(.multipaz, .static))
    }

    @Test("Q31 Samsung: appearance and name among the advertising data")
    func samsungAdvertising() throws {
        let (_, message, _) = try handoverSelect(.samsung, .static)
        let record = try #require(message.records.first { $0.isOf(.bluetoothLE) })
        #expect(Array(record.payload.prefix(4)).hex == "03194000")
        #expect(Array(record.payload).hex.contains("0709" + Array("Galaxy".utf8).hex))
    }

    @Test("Q16 Q17 Waiting times: 16 ms from Apple, 8 ms from Google, the floor of 1 ms from multipaz")
    func waitingTimes() throws {
        func waitingTime(_ profile: WalletProfile) throws -> Duration {
            guard case .negotiated(let service, _)? = profile.behaviours[.negotiated]?.handover else {
                throw UnexpectedAction()
            }
            #expect(service.waitingTimeExtensions == 15)
            return service.waitingTime
        }
        #expect(try waitingTime(.apple) == .milliseconds(16))
        #expect(try waitingTime(.google) == .milliseconds(8))
        #expect(try waitingTime(.multipaz) == .milliseconds(1))
    }

    @Test(
        "Q13 Q14 NLEN reads 0000 before what Apple writes, and before the first message of the generic wallet"
    )
    func polls() throws {
        func lengthReads(_ profile: WalletProfile, _ kind: HandoverKind) throws -> Int {
            let counter = try Counter(PresentationCase("profile") { $0.profile = profile })
            var card = try WalletCard(counter.presented.wallet, handover: kind)
            var tap = CardTap()
            _ = try counter.verified(&tap, &card)
            return tap.commands.count { $0 == [0, 0xb0, 0, 0, 2] }
        }
        #expect(try lengthReads(.apple, .negotiated) == 3 + 1 + 4)
        #expect(try lengthReads(.google, .negotiated) == 3)
        #expect(try lengthReads(.generic, .static) == 1 + 2)
    }

    @Test("The NFC carrier that is added keeps to the wallet's limits; the applet's is its own (Q11)")
    func addedCarrier() {
        #expect(WalletProfile.all.filter { $0.nfcCarrier != nil }.map(\.name) == ["applet"])
        #expect(
            WalletProfile.apple.addingNFCCarrier().nfcCarrier
                == NFCCarrier(maximumCommandData: 0x0400, maximumResponseData: 0x0400))
        #expect(
            WalletProfile.applet.addingNFCCarrier().nfcCarrier
                == NFCCarrier(maximumCommandData: 261, maximumResponseData: 261))
    }
}
