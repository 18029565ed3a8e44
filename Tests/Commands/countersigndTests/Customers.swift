import Foundation
import MdocModel
import MdocWallet
import PresentationStage

/// People with licences of one issuer, whom the daemon's own clock finds valid.
struct Customers {
    let presented: PresentedWallet

    init(_ change: (inout PresentationCase) -> Void = { _ in }) throws {
        let presentation = PresentationCase("customer") {
            $0.profile = WalletProfile.generic.addingNFCCarrier()
            change(&$0)
        }
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        presented = try PresentedWallet(presentation, at: now)
    }

    var root: [UInt8] { presented.issuer.root }

    /// The phone of one of them.
    func phone(
        _ handover: HandoverKind = .negotiated, _ change: (inout Wallet) -> Void = { _ in }
    ) throws -> Phone {
        var wallet = presented.wallet
        change(&wallet)
        return Phone(try WalletCard(wallet, handover: handover))
    }
}
