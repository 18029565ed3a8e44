import COSE
import Foundation
import OpenSSLCrypto
import VectorFiles

@testable import WalletPresentation

/// Answers that another implementation sealed.
struct SealedAnswers: Decodable {
    struct App: Decodable {
        let merchantIdentifier: String
        let teamIdentifier: String
        let transcript: String
        let infoHash: String
        let envelope: String
    }

    struct Web: Decodable {
        let encryptionInfo: String
        let origin: String
        let transcript: String
        let response: String
    }

    let recipientKey: String
    let recipientKeyHash: String
    let nonce: String
    let deviceResponse: String
    let app: App
    let web: Web

    static func read() throws -> SealedAnswers {
        try VectorFiles.json(at: VectorFiles.own.appending(path: "presentations/sealed-answers.json"))
    }

    func key() throws -> RecipientKey {
        try RecipientKey(
            COSEKeyPair(try PrivateKey(curve: .p256, scalar: [UInt8](hex: recipientKey)[...])))
    }

    func spentNonce() throws -> SpentNonce {
        SpentNonce.acceptingReplays(of: try PresentationNonce([UInt8](hex: nonce)))
    }

    func merchant() throws -> MerchantIdentity {
        try MerchantIdentity(
            merchantIdentifier: app.merchantIdentifier, teamIdentifier: app.teamIdentifier)
    }
}
