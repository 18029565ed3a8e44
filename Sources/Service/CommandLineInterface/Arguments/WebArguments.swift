package import ArgumentParser
internal import FoundationEssentials
internal import MdocModel
package import WalletPresentation

/// The options that describe a presentation to a web page (Digital Credentials API). `countersign verify`
/// reads such a presentation and the software wallet creates one.
package struct WebArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The answer that the page received: the text of the member \"response\" in the credential's data.",
            valueName: "file")
    )
    package var webResponse: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The page's request: JSON with \"deviceRequest\" and \"encryptionInfo\" in the member \"data\".",
            valueName: "file"))
    package var webRequest: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The encryptionInfo exactly as the page sent it: the text, or the name of a file with the text.",
            valueName: "text"))
    package var encryptionInfo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The origin of the page, such as https://shop.example, or of an Android app: android:apk-key-hash:….",
            valueName: "origin"))
    package var origin: OriginArgument?

    package init() {}

    package func validate() throws {
        guard webRequest == nil || encryptionInfo == nil else {
            throw ValidationError("Give either --web-request or --encryption-info.")
        }
        // The software wallet has these options too. The software wallet gets `--web-request` without
        // `--web-response`, because it makes the response itself.
        guard webResponse != nil || webRequest != nil || (encryptionInfo == nil && origin == nil) else {
            throw ValidationError("--encryption-info and --origin need --web-response.")
        }
        guard (webResponse == nil && webRequest == nil) || origin != nil else {
            throw ValidationError("--web-request and --web-response need --origin.")
        }
    }

    /// Returns the exact text of `encryptionInfo`, or `nil` if no option gives this text. The session
    /// transcript contains this text byte for byte.
    package func sentEncryptionInfo() throws(CommandFailure) -> String? {
        if let webRequest { return try WebRequestFile(webRequest).encryptionInfo }
        guard let encryptionInfo else { return nil }
        guard FileManager.default.fileExists(atPath: encryptionInfo) else { return encryptionInfo }
        // The limit is two bytes more than the longest text, because an editor may have added a line end.
        let text = try InputFile.read(encryptionInfo, limit: EncryptionInfo.maximumSize + 2)
        return String(decoding: text.withoutLineEnd, as: UTF8.self)
    }
}

/// A page's request in a file: one entry of `digital.requests`, as passed to `navigator.credentials.get`.
package struct WebRequestFile {
    package let encryptionInfo: String
    package let deviceRequest: [UInt8]

    private struct Members: Decodable {
        struct Content: Decodable {
            let deviceRequest: String
            let encryptionInfo: String
        }

        let data: Content
    }

    package init(_ path: String) throws(CommandFailure) {
        try self.init(json: InputFile.read(path))
    }

    package init(json: [UInt8]) throws(CommandFailure) {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(json)),
            let request = Base64URL.decode(members.data.deviceRequest.utf8)
        else {
            throw .malformed(
                "--web-request: the file must be JSON whose member \"data\" has \"deviceRequest\" and \"encryptionInfo\", both in base64url without padding"
            )
        }
        (encryptionInfo, deviceRequest) = (members.data.encryptionInfo, request)
    }
}

/// The argument of `--origin`: a web origin as browsers serialise it, or the origin that Android assigns to
/// an app.
package struct OriginArgument: ExpressibleByArgument {
    package let origin: WebOrigin

    package init?(argument: String) {
        guard let origin = try? WebOrigin(argument) else { return nil }
        self.origin = origin
    }
}

extension [UInt8] {
    /// The bytes without the line ends (LF or CR) after the last line.
    package var withoutLineEnd: [UInt8] {
        var text = self
        while let last = text.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            text.removeLast()
        }
        return text
    }
}
