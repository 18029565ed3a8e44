import BlueZTransport
import Doctor
import MdocSession
import PCSCTransport
import ReaderService
import Transport

@testable import CommandLineInterface
@testable import countersign

extension UserFacingTexts {
    static let commands: [TextGroup] = [
        TextGroup(ExitStatus.allCases, .commands) { $0.meaning },
        TextGroup(PresentationEvent.samples, .commands, form: .sentence) { $0.text },
        TextGroup(
            [PresentationEvent.engaged], .commands, named: "PresentationEvent, scanned", form: .sentence
        ) {
            $0.textAfterScan
        },
        TextGroup(UserFacingTexts.daemonFindings, .commands, id: { $0.id }) {
            $0.explanation(file: "/etc/bluetooth/main.conf")
        },
        TextGroup(DaemonNote.allCases, .commands, id: { $0.rawValue }) { $0.explanation },
        TextGroup(AdapterMode.samples, .commands, ids: .camelCase, id: { $0.rawValue }) {
            $0.explanation
        },
        TextGroup(AdapterQuirk.allCases, .commands, id: { $0.rawValue }) { $0.explanation },
        TextGroup(ReaderHindrance.samples, .commands) { hindrance in
            let facts = ReaderFacts(service: .answers([], chosen: nil), hindrances: [hindrance])
            return facts.checks.first { $0.id == .readerFound }?.detail.full ?? ""
        },
    ]

    private static let daemonFindings: [DaemonFinding] =
        DaemonRequirement.all.map(DaemonFinding.missing)
        + [.configurationMalformed(line: 3), .configurationChanged, .configurationUnknown]
}

extension PresentationEvent: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .armed
        case .armed?: .phoneLocked
        case .phoneLocked?: .notAnID
        case .notAnID?: .liftAndTapAgain(NFCEndReason(.selectApplication, .cardMute))
        case .liftAndTapAgain?: .tapAgain(NFCEndReason(.selectApplication, .cardLost))
        case .tapAgain?: .confirmThenTapAgain
        case .confirmThenTapAgain?: .offerQR
        case .offerQR?: .bluetoothUnavailable(.adapterOff)
        case .bluetoothUnavailable?: .readerSilent
        case .readerSilent?: .engaged
        case .engaged?: .mayLift
        case .mayLift?: .connecting
        case .connecting?: .checkBluetooth
        case .checkBluetooth?: .hold
        case .hold?: .awaitingConsent
        case .awaitingConsent?: .receiving
        case .receiving?: .verifying
        case .verifying?: .noted(.sequenceMissing(expected: 0))
        case .noted?: nil
        }
    }
}

extension AdapterMode: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .lowEnergy
        case .lowEnergy?: .dual
        case .dual?: .classic
        case .classic?: nil
        }
    }
}

extension ReaderHindrance: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        let usb = USBIdentity(vendor: 0x072f, product: 0x2200)
        return switch previous {
        case nil: .takenByKernelNFC(usb, model: "ACS ACR122U", modules: ["pn533_usb"])
        case .takenByKernelNFC?: .notCCID(usb, model: "NXP PN533")
        case .notCCID?: .notListed(usb, model: "ACS ACR122U")
        case .notListed?: .unknownToDrivers(usb, model: "ACS ACR1552U")
        case .unknownToDrivers?: nil
        }
    }
}
