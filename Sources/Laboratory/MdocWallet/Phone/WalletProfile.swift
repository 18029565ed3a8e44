package import MdocSession
package import NDEF

/// The behaviour of a wallet in the field, as data. Numbers such as Q13 refer to the quirks in
/// `Documentation/quirks.md`.
package struct WalletProfile: Sendable {
    package let name: String
    /// The behaviour over NFC for each kind of NFC handover that this wallet has.
    package var behaviours: [HandoverKind: NFCHolderBehaviour]
    package var engagementVersion = "1.0"
    /// The members of DeviceEngagement that this wallet has in addition to the required members.
    package var extraEngagementMembers: [CBORDraft.Member] = []
    /// The Bluetooth LE role in the Handover Select of a static handover, and the roles that the phone may
    /// choose in a negotiated handover.
    package var bluetoothRole = BluetoothLERole.centralOnly
    /// The L2CAP channel that an engagement names, for mdoc peripheral server mode. Nil if the engagement
    /// names no channel.
    package private(set) var l2CAPPSM: L2CAPPSM?
    /// Whether the phone has a Bluetooth carrier. Without Bluetooth, NFC is the only carrier.
    package var hasBluetooth = true
    /// The carrier of NFC data transfer. Nil without NFC data transfer, as in real wallets.
    package var nfcCarrier: NFCCarrier?
    /// The behaviour in NFC v2 (draft of the second edition). Nil for a wallet without NFC v2.
    package var version2: NFCVersion2Behaviour?

    /// The kinds of NFC handover of this wallet, in the order of `HandoverKind`.
    package var nfcHandovers: [HandoverKind] {
        HandoverKind.allCases.filter { behaviours[$0] != nil }
    }

    /// Returns this profile with an L2CAP channel. A QR code names the channel in the engagement; a handover
    /// over NFC names it in the provisional AD type 77 (Q39).
    package func adding(_ psm: L2CAPPSM) -> WalletProfile {
        var profile = self
        profile.l2CAPPSM = psm
        for kind in nfcHandovers {
            // An AD structure: the length without the length byte itself, the type 77, and the channel in
            // four bytes.
            profile.behaviours[kind]?.foreignAdvertisingData += [5, 0x77] + psm.encode()
        }
        return profile
    }

    /// Returns this profile with NFC data transfer as the preferred carrier, within the profile's limits for
    /// APDUs.
    package func addingNFCCarrier() -> WalletProfile {
        var profile = self
        let behaviour = nfcHandovers.first.flatMap { behaviours[$0] }
        // NfcOptions of an engagement allow no less than 255 bytes for commands and 256 for responses.
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

    /// The wallets with NFC v2, which is in a draft of the second edition. A reader without NFC v2 can engage
    /// with these wallets by static handover.
    package static let version2 = [multipazVersion2, version2NFCOnly, version2Hybrid]

    package static func named(_ name: String) -> WalletProfile? {
        (all + version2).first { $0.name == name }
    }

    /// Apple Wallet: small files, NLEN 0 during preparation (Q13), zeros past the end of a file (Q15),
    /// engagement 1.1 (Q42).
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
            // OriginInfos (5), and Capabilities (6) with readerAuthAll (3) and extended requests (4).
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

    /// Samsung Wallet: static handover with the write access byte FF (Q18), and advertising data that no
    /// reader needs (Q31).
    package static let samsung = WalletProfile(
        name: "samsung",
        behaviours: [
            .static: .with {
                $0.writeAccess = 0xff
                $0.recordOrder = .carriersFirst
                // Two AD structures: an appearance (type 19) and a name (type 09).
                $0.foreignAdvertisingData = [3, 0x19, 0x40, 0x00, 7, 0x09] + Array("Galaxy".utf8)
            }
        ])

    /// multipaz: a waiting time of half a millisecond (Q17), and answers that ignore the Le of the command
    /// after 61XX (Q52).
    package static let multipaz = WalletProfile(
        name: "multipaz",
        behaviours: [
            .static: .with { $0.ignoresLengthAfterMore = true },
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0, extensions: 15, maximum: 0xffff))
                $0.ignoresLengthAfterMore = true
            },
        ])

    /// A Java Card applet in a phone without power: limits of 261 bytes (Q11), short APDUs, and no UPDATE
    /// BINARY with both NLEN and a message (Q23).
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

    /// A wallet without the peculiarities of a product, with both kinds of NFC handover.
    package static let generic = WalletProfile(
        name: "generic",
        behaviours: [
            .static: .with { $0.unready.initialMessage = 2 },
            .negotiated: .with {
                $0.handover = .negotiated(tnep(waitingTime: 0x0c, extensions: 15, maximum: 0xffff))
            },
        ])

    /// multipaz with NFC v2: chooses NFC, applies the Le of the handover to all later answers, and announces
    /// fewer remaining bytes than there are (Q52).
    package static let multipazVersion2 = secondEdition("multipaz-v2") {
        $0.keepsFirstLength = true
        $0.countsRemainderTwice = true
    }

    /// A wallet with NFC v2 in a phone without Bluetooth.
    private static let version2NFCOnly: WalletProfile = {
        var profile = secondEdition("v2-nfc-only") { $0.refusesSelectLength = true }
        profile.hasBluetooth = false
        return profile.addingNFCCarrier()
    }()

    /// A wallet with NFC v2 that chooses Bluetooth if the reader offers it, and omits the service UUID from
    /// its answer.
    package static let version2Hybrid = secondEdition("v2-hybrid") {
        $0.preference = .bluetoothLE(centralFirst: true)
        $0.omitsServiceUUID = true
    }

    /// Makes a profile with NFC v2. Its static handover serves readers without NFC v2.
    private static func secondEdition(
        _ name: String, _ change: (inout NFCVersion2Behaviour) -> Void
    ) -> WalletProfile {
        var version2 = NFCVersion2Behaviour()
        change(&version2)
        return WalletProfile(
            name: name, behaviours: [.static: .with { $0.ignoresLengthAfterMore = true }],
            engagementVersion: "1.1",
            extraEngagementMembers: [
                // OriginInfos (5), and Capabilities (6) with readerAuthAll (3) and extended requests (4).
                .init(key: 5, value: []), .init(key: 6, value: [3: true, 4: true]),
            ], version2: version2)
    }

    /// Makes the TNEP service parameter of a negotiated handover. The waiting time is the encoded byte
    /// (WT_INT), not a number of milliseconds.
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
