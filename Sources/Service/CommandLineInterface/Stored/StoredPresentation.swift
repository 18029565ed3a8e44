package import ArgumentParser
internal import CBOR
internal import ErrorMapping
package import MdocModel
package import MdocTrust
package import MdocVerification
internal import OpenSSLCrypto
internal import ReaderService
package import Reports
internal import RequestPlanner
package import WalletPresentation

/// A presentation through an app or a web page, read from files to be decrypted and verified.
package struct StoredPresentation {
    /// The encrypted answer, with the values from which its session transcript is computed.
    package enum Message {
        /// The envelope that an app received (Verify with Wallet).
        case envelope([UInt8], MerchantIdentity, PresentationNonce)
        /// The text of a web page's response, and the exact text of `encryptionInfo`.
        case webResponse([UInt8], encryptionInfo: String, WebOrigin)
    }

    /// The request that was sent. The answer is compared with this request.
    package struct Asked {
        package let requests: [ItemsRequest]
        let expectation: AnswerExpectation
    }

    package let message: Message
    /// The private keys, one of which decrypts the answer.
    package let keys: [RecipientKey]
    /// The request, or `nil` if it is not known. The answer is then not compared with a request.
    package let asked: Asked?

    /// Decrypts and verifies the presentation at the instant `now`.
    package func judged(
        trusting trust: TrustStore, by policy: VerificationPolicy, at now: Timestamp
    ) -> ChannelReport {
        let clock = ContinuousClock()
        let start = clock.now
        let opened: OpenedPresentation
        do throws(WalletPresentationError) {
            opened = try self.opened()
        } catch {
            return ChannelReport(unopened: error, isReplayChecked: false)
        }
        let decrypted = clock.now
        let context = PresentationContext(
            comparison: asked.map { .requested($0.requests) } ?? .notCompared, trust: trust, now: now,
            day: WallClock.localDay(at: now), policy: policy)
        var report = ChannelReport(
            opened.verify(in: context), requestCompared: asked != nil,
            expecting: asked?.expectation ?? .nothing)
        report.response.phases = [
            TransactionReport.Phase(name: "decrypt", duration: decrypted - start),
            TransactionReport.Phase(name: "verify", duration: clock.now - decrypted),
        ]
        return report
    }

    /// Decrypts the presentation. Whether the nonce was used before is not checked, because only the daemon
    /// records which nonces were used.
    package func opened() throws(WalletPresentationError) -> OpenedPresentation {
        switch message {
        case .envelope(let bytes, let merchant, let nonce):
            return try WalletEnvelope(bytes[...]).open(
                with: keys, as: merchant, answering: .acceptingReplays(of: nonce))
        case .webResponse(let text, let info, let origin):
            return try Self.opened(
                EncryptedResponse(text), asked: EncryptionInfo(info), at: origin, with: keys)
        }
    }

    /// Decrypts a web page's response with the key that `encryptionInfo` names.
    private static func opened(
        _ response: EncryptedResponse, asked info: EncryptionInfo, at origin: WebOrigin,
        with keys: [RecipientKey]
    ) throws(WalletPresentationError) -> OpenedPresentation {
        // The response belongs to the key in `encryptionInfo`, and only one of `keys` can be that key.
        for key in keys {
            do throws(WalletPresentationError) {
                return try response.open(
                    with: key, encryptionInfo: info, origin: origin,
                    answering: .acceptingReplays(of: info.nonce))
            } catch .recipientKeyUnknown {
                continue
            } catch {
                throw error
            }
        }
        throw .recipientKeyUnknown
    }
}

/// `--key` and `--intent`: the private keys that decrypt the answer to an app or a page, and the request in
/// words.
package struct AnswerArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The private key that the answer is encrypted for: PEM or a hexadecimal scalar in a file, or - for the standard input. Repeatable.",
            valueName: "file"))
    package var key: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What the page or app asked for, written like the intent of `countersign request`.",
            valueName: "intent"))
    package var intent: String?

    package init() {}
}

/// The options and files of a presentation through an app or a web page, as `verify` reads them.
package struct ChannelFiles {
    package let app: AppArguments
    package let web: WebArguments
    package let answer: AnswerArguments

    /// Whether the user gave the answer to an app (`--envelope`) or to a web page (`--web-response`).
    package var isGiven: Bool { app.envelope != nil || web.webResponse != nil }

    package func validate() throws {
        guard app.envelope == nil || web.webResponse == nil else {
            throw ValidationError("Give either --envelope or --web-response.")
        }
        guard isGiven else {
            guard answer.key.isEmpty, answer.intent == nil, web.webRequest == nil else {
                throw ValidationError(
                    "--key, --intent and --web-request need --envelope or --web-response.")
            }
            return
        }
        guard !answer.key.isEmpty else { throw ValidationError("--envelope and --web-response need --key.") }
        guard web.webResponse == nil || web.webRequest != nil || web.encryptionInfo != nil else {
            throw ValidationError("--web-response needs --encryption-info or --web-request.")
        }
        guard [answer.intent != nil, !app.elements.isEmpty, web.webRequest != nil].count(where: { $0 }) <= 1
        else {
            throw ValidationError(
                "Give only one of --element, --web-request and --intent: each says what was requested.")
        }
    }

    /// Reads the files of the presentation.
    ///
    /// - Parameters:
    ///   - request: The DeviceRequest of `--request`, used if no other option says what was requested.
    ///   - limit: The largest answer, in bytes. The text of an answer in base64url may be longer by a third.
    /// - Returns: The presentation, or `nil` if the command line has no option of an app or web page.
    package func presentation(
        request: StoredRequest?, limit: Int, at now: Timestamp
    ) throws(CommandFailure) -> StoredPresentation? {
        guard let message = try message(limit: limit) else { return nil }
        let keys = try answer.key.map { argument throws(CommandFailure) in
            let pair = try PrivateKeyFile.read(argument, on: .p256, option: "--key")
            return try mapping(RecipientKey(pair)) { (error: WalletPresentationError) in
                CommandFailure.usage("--key: \(error.explanation)")
            }
        }
        return StoredPresentation(message: message, keys: keys, asked: try asked(request, at: now))
    }

    private func message(limit: Int) throws(CommandFailure) -> StoredPresentation.Message? {
        if let envelope = app.envelope, let asking = try app.request() {
            let bytes = try InputFile.read(envelope, limit: limit)
            return .envelope(bytes, asking.merchant, asking.nonce)
        }
        guard let response = web.webResponse, let info = try web.sentEncryptionInfo(), let origin = web.origin
        else { return nil }
        // Base64 has four characters for three bytes, and two more bytes are a line end.
        let text = try InputFile.read(response, limit: (limit + 2) / 3 * 4 + 2).withoutLineEnd
        return .webResponse(text, encryptionInfo: info, origin.origin)
    }

    /// Returns the request that was sent, as read from an option of the command line, or `nil` if no option
    /// contains a request.
    private func asked(
        _ request: StoredRequest?, at now: Timestamp
    ) throws(CommandFailure) -> StoredPresentation.Asked? {
        let day = WallClock.localDay(at: now)
        func stored(_ request: StoredRequest) -> StoredPresentation.Asked {
            .init(requests: request.items, expectation: request.expectation(at: now))
        }
        if let intent = answer.intent {
            let plan = try Self.plan(intent)
            // With these two capabilities the plan puts all documents into one request (draft of the second
            // edition), as a page or an app may send it.
            let requests = plan.drafts(for: [.extendedRequest, .readerAuthAll]).flatMap(\.documents)
            return .init(requests: requests, expectation: plan.expectation(on: day))
        }
        if let items = try app.itemsRequest() {
            return .init(requests: [items], expectation: AnswerExpectation(of: [items], on: day))
        }
        if let file = web.webRequest {
            let bytes = try WebRequestFile(file).deviceRequest
            return try mapping(stored(try StoredRequest(bytes[...], limits: .standard))) {
                (error: MdocModelError) in CommandFailure.malformed("--web-request: \(error.explanation)")
            }
        }
        return request.map(stored)
    }

    private static func plan(_ intent: String) throws(CommandFailure) -> RequestPlan {
        // The comparison with the answer does not depend on what is retained, so any choice will do.
        try mapping(RequestPlan(RequestIntent(parsing: intent), keeping: .none)) {
            (error: RequestPlannerError) in CommandFailure.usage("--intent: \(error.explanation)")
        }
    }
}
