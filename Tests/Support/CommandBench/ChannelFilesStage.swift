package import COSE
package import Foundation
package import MdocModel
package import OpenSSLCrypto
package import Testing
package import WalletPresentation

/// A merchant with an app and a page, and what both ask, as files for `wallet` and `verify`.
package final class ChannelFilesStage {
    package static let merchant = "merchant.example.shop"
    package static let team = "TEAM123456"
    package static let origin = "https://shop.example"

    package let folder: TemporaryFolder
    package let nonce: PresentationNonce
    package let encryptionInfo: EncryptionInfo
    private let key: RecipientKey

    package init() throws {
        folder = try TemporaryFolder()
        key = try RecipientKey(COSEKeyPair(try PrivateKey.generate(.p256)))
        // In base64url it begins with a hyphen, as an option does.
        nonce = try PresentationNonce([0xf8] + randomBytes(PresentationNonce.issuedSize - 1))
        encryptionInfo = try EncryptionInfo(nonce: nonce, for: key)
        _ = try folder.write(
            key.pair.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init), as: "key.pem")
        let items = try IdentityDescriptor(
            .driversLicense, [(.givenName, .willNotStore), (.ageAtLeast(21), .willNotStore)]
        ).itemsRequest
        let request = try WebRequest(
            DeviceRequestDraft([items]), encryptionInfo: encryptionInfo, origin: WebOrigin(Self.origin),
            signedBy: nil)
        let json = try JSONEncoder().encode([
            "data": [
                "deviceRequest": request.deviceRequest, "encryptionInfo": request.encryptionInfo.text,
            ]
        ])
        _ = try folder.write(json, as: "request.json")
    }

    package func path(_ name: String) -> String { folder.path(name) }

    /// What `wallet` and `verify` both take of a channel.
    package func asking(_ channel: PresentationChannel) -> [String] {
        switch channel {
        case .app:
            [
                "--envelope", path("answer"), "--merchant-id", Self.merchant, "--team-id", Self.team,
                "--nonce", Base64URL.encode(nonce.bytes), "--key", path("key.pem"), "--element", "givenName",
                "--element", "age(atLeast:21)",
            ]
        case .web:
            [
                "--web-response", path("answer"), "--origin", Self.origin, "--web-request",
                path("request.json"),
            ]
        }
    }

    /// Has the software wallet answer.
    package func answer(_ channel: PresentationChannel, _ further: String...) throws -> CommandRun {
        try CommandRun(
            ["wallet", "--root", path("root.der")] + asking(channel) + further, of: "countersign-lab")
    }

    /// `verify` on the answer, with its options changed.
    package func verify(
        _ channel: PresentationChannel, _ further: String...,
        changing change: (inout [String]) throws -> Void = { _ in }
    ) throws -> CommandRun {
        var arguments = judging(channel)
        try change(&arguments)
        return try CommandRun(["verify"] + arguments + further)
    }

    /// `bench` on the answer, which takes what `verify` takes.
    package func bench(_ channel: PresentationChannel, _ further: String...) throws -> CommandRun {
        try CommandRun(["bench"] + judging(channel) + further, of: "countersign-lab")
    }

    private func judging(_ channel: PresentationChannel) -> [String] {
        asking(channel) + (channel == .web ? ["--key", path("key.pem")] : []) + ["--trust", path("root.der")]
    }
}
