import MdocWallet
import Testing

/// A wallet, how it is engaged, and how it proves that it holds the document.
struct WalletCase: Sendable, CustomTestStringConvertible {
    let profile: WalletProfile
    let handover: HandoverKind
    let proof: Holder.DeviceAuthentication

    var testDescription: String { "\(profile.name) \(handover.rawValue) \(proof.rawValue)" }

    static let overNFC = all { $0.nfcHandovers }
    static let byQRCodeOrNFC = all { [.qr] + $0.nfcHandovers }

    private static func all(_ handovers: (WalletProfile) -> [HandoverKind]) -> [WalletCase] {
        WalletProfile.all.flatMap { profile in
            handovers(profile).flatMap { handover in
                Holder.DeviceAuthentication.allCases.map {
                    WalletCase(profile: profile, handover: handover, proof: $0)
                }
            }
        }
    }
}
