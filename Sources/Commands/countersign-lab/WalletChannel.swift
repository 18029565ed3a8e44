internal import COSE
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocWallet
internal import OpenSSLCrypto
internal import WalletPresentation

/// The software wallet asked by an app on its phone, or by a page.
struct WalletChannel {
    let wallet: Wallet

    /// Answers the app that these arguments describe, into its file. The key is the merchant's.
    func answer(_ app: AppArguments, key: String) throws(CommandFailure) {
        guard let path = app.envelope, let asking = try app.request(), let items = try app.itemsRequest()
        else { throw .usage("--envelope needs at least one --element") }
        let pair = try PrivateKeyFile.read(key, on: .p256, option: "--key")
        let envelope: [UInt8]?
        do {
            envelope = try wallet.envelope(
                answering: items, of: asking.merchant, nonce: asking.nonce, for: RecipientKey(pair))
        } catch {
            throw .unavailable("the wallet cannot answer: \(error)")
        }
        guard let envelope else { throw Self.declined }
        try OutputFile.write(envelope, to: path)
    }

    /// Answers one request of a page of this origin, into a file.
    func answer(_ request: String, on origin: WebOrigin, to path: String) throws(CommandFailure) {
        guard let response = try response(to: WebRequestFile(request), on: origin) else {
            throw Self.declined
        }
        try OutputFile.write((response + "\n").utf8, to: path)
    }

    /// Answers a page's requests as they come, each in a line, with a line; an empty one where the holder declines.
    func answerLines(on origin: WebOrigin) throws(CommandFailure) {
        while let line = readLine() {
            let request = try WebRequestFile(json: Array(line.utf8))
            Terminal.result(try response(to: request, on: origin) ?? "")
        }
    }

    private func response(to request: WebRequestFile, on origin: WebOrigin) throws(CommandFailure) -> String?
    {
        do {
            return try wallet.webResponse(
                answering: request.deviceRequest,
                encryptionInfo: EncryptionInfo(request.encryptionInfo), on: origin)
        } catch let error as WalletPresentationError {
            throw .malformed("--web-request: \(error.explanation)")
        } catch {
            throw .unavailable("the wallet cannot answer: \(error)")
        }
    }

    private static let declined = CommandFailure(status: .incomplete, message: "the holder declined")
}
