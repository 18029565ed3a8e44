package import MdocSession
package import NDEF

/// How the wallets of the field behave, as data (quirks.md, "Wallet profiles").
package struct WalletProfile: Sendable {
    package let name: String
    /// Over NFC, for each kind of handover that this wallet has.
    package var behaviours: [HandoverKind: NFCHolderBehaviour]
    package var engagementVersion = "1.0"
    /// DeviceEngagement members beyond those of every wallet.
    package var extraEngagementMembers: [CBORDraft.Member] = []
    /// The LE role in the Handover Select of static handover, and what may be chosen in negotiated.
    package var bluetoothRole = BluetoothLERole.centralOnly
    /// The channel that an engagement names, of mdoc peripheral server mode.
    package private(set) var l2CAPPSM: L2CAPPSM?
    /// Whether there is a Bluetooth carrier; without it NFC is the only one.
    package var hasBluetooth = true
    /// NFC data transfer. Real wallets leave it out of what they offer: nil is what they do.
    package var nfcCarrier: NFCCarrier?
    /// NFC v2 (draft of the second edition); nil for a wallet without it.
    package var version2: NFCVersion2Behaviour?

    /// The kinds of NFC handover, in a fixed order.
    package var nfcHandovers: [HandoverKind] {
        HandoverKind.allCases.filter { behaviours[$0] != nil }
    }

    /// The same wallet with an L2CAP channel: in QR codes, and over NFC in its provisional place, the AD type 77 (Q39).
    package func adding(_ psm: L2CAPPSM) -> WalletProfile {
        var profile = self
        profile.l2CAPPSM = psm
        for kind in nfcHandovers {
            profile.behaviours[kind]?.foreignAdvertisingData += [5, 0x77] + psm.encode()
        }
        return profile
    }

    /// The same wallet with NFC data transfer, the preferred carrier, within the limits it has for APDUs.
    package func addingNFCCarrier() -> WalletProfile {
        var profile = self
        let behaviour = nfcHandovers.first.flatMap { behaviours[$0] }
        profile.nfcCarrier =
            nfcCarrier
            ?? NFCCarrier(
                maximumCommandData: max(255, behaviour?.maximumCommandData ?? 255),
                maximumResponseData: max(256, behaviour?.maximumResponseData ?? 256))
        return profile
    }
}

extension WalletProfile {
    package static let all = [apple, google, samsung, multipaz, applet, generic]

    /// Wallets with NFC v2, by a draft of the second edition. Readers without it meet static handover.
    package static let version2 = [multipazVersion2, version2NFCOnly, version2Hybrid]

    package static func named(_ name: String) -> WalletProfile? {
        (all + version2).first { $0.name == name }
    }

    /// Apple Wallet: small files, NLEN 0 while it prepares (Q13), zeros past the end (Q15), engagement 1.1 (Q42).
    package static let apple = WalletProfile(
        name: "apple",
        behaviours: [
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0x14, extensions: 15, maximum: 0x0800))
                $0.maximumResponseData = 0x0400
                $0.maximumCommandData = 0x0400
                $0.maximumFileSize = 0x0802
                $0.unready = .init(serviceStatus: 1, handoverSelect: 4)
                $0.recordOrder = .carriersFirst
                $0.readsZerosPastEnd = true
                $0.enforcesWaitingTime = true
            }
        ],
        engagementVersion: "1.1",
        extraEngagementMembers: [
            .init(key: 5, value: []), .init(key: 6, value: [3: true, 4: true]),
        ])

    /// Google Wallet: repeats the reader's UUID (Q30).
    package static let google = WalletProfile(
        name: "google",
        behaviours: [
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0x10, extensions: 15, maximum: 0xffff))
                $0.repeatsServiceUUID = true
                $0.enforcesWaitingTime = true
            }
        ])

    /// Samsung Wallet: static with write access FF (Q18), and advertising data of no use here (Q31).
    package static let samsung = WalletProfile(
        name: "samsung",
        behaviours: [
            .static: .with {
                $0.writeAccess = 0xff
                $0.recordOrder = .carriersFirst
                $0.foreignAdvertisingData = [3, 0x19, 0x40, 0x00, 7, 0x09] + Array("Galaxy".utf8)
            }
        ])

    /// multipaz: a waiting time of half a millisecond (Q17), and Le ignored after 61XX (Q52).
    package static let multipaz = WalletProfile(
        name: "multipaz",
        behaviours: [
            .static: .with { $0.ignoresLengthAfterMore = true },
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0, extensions: 15, maximum: 0xffff))
                $0.ignoresLengthAfterMore = true
            },
        ])

    /// A Java Card applet in a phone that is off: limits of 261 bytes, short APDUs, no merged write (Q11, Q23).
    package static let applet = WalletProfile(
        name: "applet",
        behaviours: [
            .static: .with {
                $0.maximumResponseData = 0xff
                $0.maximumCommandData = 0xff
                $0.acceptsExtendedLength = false
                $0.refusesMergedWrite = true
            }
        ], hasBluetooth: false, nfcCarrier: NFCCarrier(maximumCommandData: 261, maximumResponseData: 261))

    /// No wallet in particular, with both kinds of handover.
    package static let generic = WalletProfile(
        name: "generic",
        behaviours: [
            .static: .with { $0.unready.initialMessage = 2 },
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0x0c, extensions: 15, maximum: 0xffff))
            },
        ])

    /// multipaz with NFC v2: it chooses NFC, keeps the Le of the handover, and miscounts what remains (Q52).
    package static let multipazVersion2 = secondEdition("multipaz-v2") {
        $0.keepsFirstLength = true
        $0.countsRemainderTwice = true
    }

    /// NFC v2 in a phone without Bluetooth.
    private static let version2NFCOnly: WalletProfile = {
        var profile = secondEdition("v2-nfc-only") { $0.refusesSelectLength = true }
        profile.hasBluetooth = false
        return profile.addingNFCCarrier()
    }()

    /// NFC v2 that chooses Bluetooth where it is offered, without a UUID in its answer.
    package static let version2Hybrid = secondEdition("v2-hybrid") {
        $0.preference = .bluetoothLE(centralFirst: true)
        $0.omitsServiceUUID = true
    }

    private static func secondEdition(
        _ name: String, _ change: (inout NFCVersion2Behaviour) -> Void
    ) -> WalletProfile {
        var version2 = NFCVersion2Behaviour()
        change(&version2)
        return WalletProfile(
            name: name, behaviours: [.static: .with { $0.ignoresLengthAfterMore = true }],
            engagementVersion: "1.1",
            extraEngagementMembers: [
                .init(key: 5, value: []), .init(key: 6, value: [3: true, 4: true]),
            ], version2: version2)
    }

    private static func tnep(waitingTime: UInt8, extensions: UInt8, maximum: UInt16) -> ServiceParameter {
        ServiceParameter(
            waitingTimeInteger: waitingTime, waitingTimeExtensions: extensions, maximumMessageSize: maximum)
    }
}

extension NFCHolderBehaviour {
    fileprivate static func with(_ change: (inout NFCHolderBehaviour) -> Void) -> NFCHolderBehaviour {
        var behaviour = NFCHolderBehaviour()
        change(&behaviour)
        return behaviour
    }
}
