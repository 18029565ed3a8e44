import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import Testing
import WalletPresentation

/// A merchant with an app and a page, and what both ask, as files for `wallet` and `verify`.
final class ChannelFilesStage {
    static let merchant = "merchant.example.shop"
    static let team = "TEAM123456"
    static let origin = "https://shop.example"

    let folder: TemporaryFolder
    let nonce: PresentationNonce
    let encryptionInfo: EncryptionInfo
    private let key: RecipientKey

    init() throws {
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

    func path(_ name: String) -> String { folder.path(name) }

    /// What `wallet` and `verify` both take of a channel.
    func asking(_ channel: PresentationChannel) -> [String] {
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
    func answer(_ channel: PresentationChannel, _ further: String...) throws -> CommandRun {
        try CommandRun(["wallet", "--root", path("root.der")] + asking(channel) + further)
    }

    /// `verify` on the answer, with its options changed.
    func verify(
        _ channel: PresentationChannel, _ further: String...,
        changing change: (inout [String]) throws -> Void = { _ in }
    ) throws -> CommandRun {
        var arguments = judging(channel)
        try change(&arguments)
        return try CommandRun(["verify"] + arguments + further)
    }

    /// Another command that takes what `verify` takes.
    func run(_ command: String, _ channel: PresentationChannel, _ further: String...) throws -> CommandRun {
        try CommandRun([command] + judging(channel) + further)
    }

    private func judging(_ channel: PresentationChannel) -> [String] {
        asking(channel) + (channel == .web ? ["--key", path("key.pem")] : []) + ["--trust", path("root.der")]
    }
}
