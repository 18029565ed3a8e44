import BlueZTransport
import CBOR
import COSE
import Doctor
import MdocModel
import MdocSession
import PCSCTransport
import PKIX
import ReaderService
import Transport
import TrustFetch

@testable import MdocTrust
@testable import countersign

extension UserFacingTexts {
    static let commands: [TextGroup] = [
        TextGroup(ExitStatus.allCases, .commands) { $0.meaning },
        TextGroup(PresentationEvent.samples, .commands, form: .sentence) { $0.text },
        TextGroup(TrustCondition.samples, .commands, id: { $0.id }) { $0.explanation },
        TextGroup(AdmissionRefusal.samples, .commands, id: { $0.id }) { $0.explanation },
        TextGroup(VICALError.samples, .commands, id: { TrustCondition.vicalRefused($0).id }) {
            $0.explanation
        },
        TextGroup(VICALFinding.samples, .commands, id: { TrustCondition.vical($0).id }) {
            $0.explanation
        },
        TextGroup(RICALError.samples, .commands) { $0.explanation },
        TextGroup(CertificatePathError.samples, .commands) { $0.explanation },
        TextGroup(
            StatusTokenError.samples, .commands, id: { TrustCondition.statusListUnreadable($0).id }
        ) { $0.explanation },
        TextGroup(TrustBundleError.samples, .commands, id: { $0.id }) { $0.explanation },
        TextGroup(TrustFetchError.samples, .commands, ids: .word, id: { $0.id }) { $0.explanation },
        TextGroup(LocationFault.samples, .commands, ids: .word, id: { $0.rawValue }) { $0.explanation },
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

extension TrustCondition: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .certificateUnreadable(.truncated(at: 7))
        case .certificateUnreadable?: .notACertificateAuthority(subject: Received.name)
        case .notACertificateAuthority?:
            .selfIssuedWithoutAuthority(subject: Received.name, hasBasicConstraints: false)
        case .selfIssuedWithoutAuthority?: .keyNotUsable(subject: Received.name)
        case .keyNotUsable?: .anchorKeyUsage(subject: Received.name)
        case .anchorKeyUsage?: .anchorNameConstraints(subject: Received.name)
        case .anchorNameConstraints?:
            .anchorUnknownExtension(subject: Received.name, ObjectIdentifier("1.2.3.4"))
        case .anchorUnknownExtension?:
            .anchorTwice(
                subject: Received.name, other: TrustSource.Identity(kind: .anchor, name: Received.path))
        case .anchorTwice?: .anchorProfile(subject: Received.name, [ProfileFinding(.keyUsage)])
        case .anchorProfile?: .anchorNotYetValid(subject: Received.name)
        case .anchorNotYetValid?: .anchorExpired(subject: Received.name)
        case .anchorExpired?: .anchorExpiresSoon(subject: Received.name, days: 30)
        case .anchorExpiresSoon?: .vicalRefused(.expired)
        case .vicalRefused?: .vical(.listEmpty)
        case .vical?: .vicalSigner([ProfileFinding(.keyUsageTrailingZeros)])
        case .vicalSigner?: .vicalWithoutNextUpdate
        case .vicalWithoutNextUpdate?: .revocationListUnreadable(.deltaCRL)
        case .revocationListUnreadable?: .revocationListIssuerUnknown(issuer: Received.name)
        case .revocationListIssuerUnknown?: .revocationListSignatureInvalid(issuer: Received.name)
        case .revocationListSignatureInvalid?: .statusListUnreadable(.typeWrong)
        case .statusListUnreadable?: .statusListSignerUnknown
        case .statusListSignerUnknown?: .statusListSubjectWrong
        case .statusListSubjectWrong?: .listNotYetValid
        case .listNotYetValid?: .listStale(overdueSeconds: 90_000)
        case .listStale?: nil
        }
    }
}

extension AdmissionRefusal: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .unusable(.listNotYetValid)
        case .unusable?:
            .older(
                ListIssueName(number: "89782", date: Timestamp(secondsSince1970: 1_754_352_000)),
                than: ListIssueName(number: "616575", date: Timestamp(secondsSince1970: 1_727_136_000)))
        case .older?: .otherIssuer
        case .otherIssuer?: .shrunken(from: 10, to: 7)
        case .shrunken?: nil
        }
    }
}

extension VICALError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .dateMalformed(.notADate(at: 7))
        case .dateMalformed?: .versionUnknown
        case .versionUnknown?: .signerMalformed(.truncated(at: 7))
        case .signerMalformed?: .signerNotTrusted(.issuerNotFound(issuer: Received.name))
        case .signerNotTrusted?: .signerProfile([ProfileFinding(.keyUsage)])
        case .signerProfile?: .signerRevoked
        case .signerRevoked?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: nil
        }
    }
}

extension RICALError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .dateMalformed(.notADate(at: 7))
        case .dateMalformed?: .versionUnknown
        case .versionUnknown?: .signerNotProtected
        case .signerNotProtected?: .signerMalformed(.truncated(at: 7))
        case .signerMalformed?: .signerNotTrusted(.issuerNotFound(issuer: Received.name))
        case .signerNotTrusted?: .typeUnknown(Received.name)
        case .typeUnknown?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: .empty
        case .empty?: nil
        }
    }
}

extension VICALFinding: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .listEmpty
        case .listEmpty?: .entryUnreadable(index: 3)
        case .entryUnreadable?: .serialNumberDiffers(index: 3, subject: Received.name)
        case .serialNumberDiffers?: .keyIdentifierDiffers(subject: Received.name)
        case .keyIdentifierDiffers?: .withoutDocTypes(subject: Received.name)
        case .withoutDocTypes?: .entryTwice(subject: Received.name)
        case .entryTwice?: nil
        }
    }
}

extension CertificatePathError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .empty
        case .empty?: .tooLong
        case .tooLong?: .issuerNotFound(issuer: Received.name)
        case .issuerNotFound?: .signatureInvalid
        case .signatureInvalid?: .outsideValidity(subject: Received.name)
        case .outsideValidity?: .notAnAuthority(subject: Received.name)
        case .notAnAuthority?: nil
        }
    }
}

extension StatusTokenError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .typeWrong
        case .typeWrong?: .claimMissing(6)
        case .claimMissing?: .claimMisplaced(65_533)
        case .claimMisplaced?: .bitsWrong(3)
        case .bitsWrong?: .listNotCompressed
        case .listNotCompressed?: .listTooLong
        case .listTooLong?: nil
        }
    }
}

extension TrustBundleError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .typeWrong
        case .typeWrong?: .older
        case .older?: .notYetValid
        case .notYetValid?: .snapshotDiffers
        case .snapshotDiffers?: nil
        }
    }
}

extension TrustFetchError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .locationRefused(.pinned)
        case .locationRefused?: .timedOut(.connect)
        case .timedOut(.connect)?: .timedOut(.headers)
        case .timedOut(.headers)?: .timedOut(.progress)
        case .timedOut(.progress)?: .timedOut(.whole)
        case .timedOut(.whole)?: .timedOut(.batch)
        case .timedOut(.batch)?: .tooLarge(limit: 1 << 24)
        case .tooLarge?: .status(404)
        case .status?: .redirectedElsewhere
        case .redirectedElsewhere?: .redirectedToPlaintext
        case .redirectedToPlaintext?: .redirectedTooOften(limit: 3)
        case .redirectedTooOften?: .contentEncoded
        case .contentEncoded?: .tls(.certificateRefused)
        case .tls(.certificateRefused)?: .tls(.hostNameWrong)
        case .tls(.hostNameWrong)?: .tls(.handshakeFailed)
        case .tls(.handshakeFailed)?: .nameUnresolved
        case .nameUnresolved?: .unreachable
        case .unreachable?: .truncated
        case .truncated?: .malformed
        case .malformed?: .cancelled
        case .cancelled?: .serverRootsUnreadable
        case .serverRootsUnreadable?: nil
        }
    }
}

extension LocationFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .unreadable
        case .unreadable?: .schemeRefused
        case .schemeRefused?: .credentials
        case .credentials?: .pinned
        case .pinned?: nil
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
