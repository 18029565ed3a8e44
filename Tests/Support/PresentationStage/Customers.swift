internal import Foundation
internal import MdocModel
package import MdocWallet

/// People with licences of one issuer, whom a reader finds valid by the computer's own clock.
package struct Customers: Sendable {
    package let presented: PresentedWallet

    package init(
        entropy: TestEntropy = .openSSL, _ change: (inout PresentationCase) -> Void = { _ in }
    ) throws {
        let presentation = PresentationCase("customer") {
            $0.profile = WalletProfile.generic.addingNFCCarrier()
            change(&$0)
        }
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        presented = try PresentedWallet(presentation, entropy: entropy, at: now)
    }

    package var root: [UInt8] { presented.issuer.root }

    /// The phone of one of them.
    package func phone(
        _ handover: HandoverKind = .negotiated, _ change: (inout Wallet) -> Void = { _ in }
    ) throws -> Phone {
        var wallet = presented.wallet
        change(&wallet)
        return Phone(try WalletCard(wallet, handover: handover))
    }
}
