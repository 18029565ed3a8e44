internal import Foundation
internal import MdocModel
internal import OpenSSLCrypto
internal import OtherPrograms
package import WalletPresentation

/// What several daemons of one shop have in common.
package struct OnlineShop: Sendable {
    /// The file of the merchant's key.
    let keyFile: [UInt8]
    /// What is sealed for the merchant is sealed for this: 04‖x‖y.
    let recipient: [UInt8]
    package let merchant: MerchantIdentity
    package let customer: OnlineCustomer

    /// With a key in its file.
    package init() throws {
        let key = try PrivateKey.generate(.p256)
        try self.init(
            keyFile: key.unprotectedPEM().withUnprotectedBytes(Array.init), recipient: key.encodedPoint)
    }

    /// With a key in a TPM, to which the environment leads.
    package init(inTPM environment: [String: String]) async throws {
        let store = FileManager.default.temporaryDirectory.appending(path: "countersign-shop-\(UUID())")
        defer { try? FileManager.default.removeItem(at: store) }
        let words = { (rest: [String]) in ["identity"] + rest + ["--store", store.path] }
        let made = try BuiltProgram(
            "countersign", words(["init", "shop", "--tpm"]), environment: environment)
        guard try await made.ended() == 0 else { throw PlainHTTP.Failure(description: made.errors) }
        let asked = try BuiltProgram(
            "countersign", words(["csr", "shop", "--subject", "CN=Shop,C=UT"]), environment: environment)
        guard try await asked.ended() == 0,
            let request = try PEM.decode(Array(asked.output.utf8)[...], label: "CERTIFICATE REQUEST").first,
            // Of all in a request, a P-256 key alone is a bit string of so many bytes.
            let start = request.firstRange(of: [0x03, 0x42, 0x00])?.upperBound
        else { throw PlainHTTP.Failure(description: asked.errors) }
        try self.init(
            keyFile: [UInt8](Data(contentsOf: store.appending(path: "identities/shop/key.pem"))),
            recipient: Array(request[start...].prefix(65)))
    }

    private init(keyFile: [UInt8], recipient: [UInt8]) throws {
        (self.keyFile, self.recipient) = (keyFile, recipient)
        merchant = try MerchantIdentity(
            merchantIdentifier: "merchant.example.shop", teamIdentifier: "TEAM123456")
        let now = Int64(Date().timeIntervalSince1970)
        customer = try OnlineCustomer(at: Timestamp(secondsSince1970: now))
    }
}
