package import ArgumentParser
internal import CBOR
internal import COSE
internal import ErrorMapping
package import MdocModel
internal import MdocSession

/// The options that name the files of a transaction with a phone nearby.
package struct VerifyFiles: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The decrypted DeviceResponse.", valueName: "file"))
    package var response: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The SessionTranscript: the array, not wrapped in a byte string.", valueName: "file"))
    package var transcript: String?

    @Option(
        name: .long, help: ArgumentHelp("The encrypted SessionData that the phone sent.", valueName: "file"))
    package var sessionData: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The DeviceEngagement: the map, not wrapped in a byte string.", valueName: "file"))
    package var engagement: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The Handover Select message, if the engagement came over NFC.", valueName: "file"))
    package var handoverSelect: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The Handover Request message, if the handover was negotiated.", valueName: "file")
    )
    package var handoverRequest: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The SessionEstablishment that the reader sent.", valueName: "file"))
    package var sessionEstablishment: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The reader's ephemeral private key; with OpenID4VP, the key that the answer was encrypted for. PEM or a hexadecimal scalar in a file, or - for the standard input.",
            valueName: "file"))
    package var readerKey: String?

    @Option(name: .long, help: ArgumentHelp("The DeviceRequest that was sent.", valueName: "file"))
    package var request: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The largest message to read, in bytes.", valueName: "bytes"))
    package var maxMessage = InputFile.messageLimit

    package init() {}

    private var limits: CBORLimits { CBORLimits(bytes: maxMessage) }

    package func validate() throws {
        guard (1...(1 << 30)).contains(maxMessage) else {
            throw ValidationError("--max-message needs a number from 1 to \(1 << 30).")
        }
    }

    /// Reads the files of the transaction.
    package func transaction() throws(CommandFailure) -> StoredTransaction {
        var transaction: StoredTransaction
        if let response, let transcript {
            transaction = try decrypted(response: response, transcript: transcript)
        } else if let sessionData, let engagement, let readerKey {
            transaction = try encrypted(
                sessionData: sessionData, engagement: engagement, readerKey: readerKey)
        } else {
            // `VerifyInput.validate` refuses such a command line earlier.
            throw .usage("give --response or --session-data")
        }
        transaction.request = try sentRequest()
        return transaction
    }

    /// Reads the DeviceRequest of `--request`. Returns `nil` without that option.
    package func sentRequest() throws(CommandFailure) -> StoredRequest? {
        guard let request else { return nil }
        let limits = limits
        return try read(request, option: "--request") { bytes throws(MdocModelError) in
            try StoredRequest(bytes, limits: limits)
        }
    }

    /// Reads the files of `--response` and `--transcript`.
    private func decrypted(response: String, transcript: String) throws(CommandFailure) -> StoredTransaction {
        let bytes = try InputFile.read(response, limit: maxMessage)
        let limits = limits
        let transcript = try read(transcript, option: "--transcript") { bytes throws(MdocModelError) in
            try SessionTranscript(stored: bytes, limits: limits)
        }
        return StoredTransaction(
            transcript: transcript, readerKey: try readerKey(for: transcript), message: .response(bytes),
            limits: limits)
    }

    /// Reads the key of `--reader-key`, which is needed to check a MAC. Returns `nil` without that option,
    /// and for a kind of presentation in which phones sign and make no MAC.
    private func readerKey(for transcript: SessionTranscript) throws(CommandFailure) -> COSEKeyPair? {
        guard let readerKey, let kind = transcript.macKey else { return nil }
        if kind == .ephemeral, let sent = transcript.eReaderKeyBytes {
            return try PrivateKeyFile.read(readerKey, privateHalfOf: Self.key(sent, "--transcript"))
        }
        // The transcript has at most a hash of the key (Q236), so only the check of the MAC shows a wrong
        // key.
        return try PrivateKeyFile.read(readerKey, option: "--reader-key")
    }

    /// Reads the files of `--session-data` and of the options that belong to it.
    private func encrypted(
        sessionData: String, engagement: String, readerKey: String
    ) throws(CommandFailure) -> StoredTransaction {
        let bytes = try InputFile.read(sessionData, limit: maxMessage)
        let limits = limits
        let engagement = try read(engagement, option: "--engagement") { bytes throws(MdocModelError) in
            try DeviceEngagement(bytes, limits: limits)
        }
        let establishment = try sessionEstablishment.map { path throws(CommandFailure) in
            try read(path, option: "--session-establishment") { bytes throws(MdocModelError) in
                try SessionEstablishment(bytes, limits: limits)
            }
        }
        // The SessionEstablishment has the public key that the reader sent, so a file with another private
        // key is refused here. Without the SessionEstablishment only the curve can be checked, because the
        // phone's key and the reader's key are on the same curve.
        let key: COSEKeyPair
        if let establishment {
            let sent = try Self.key(establishment.eReaderKeyBytes, "--session-establishment")
            key = try PrivateKeyFile.read(readerKey, privateHalfOf: sent)
        } else {
            key = try PrivateKeyFile.read(
                readerKey, on: engagement.eDeviceKey.curve, option: "--reader-key")
        }
        // The transcript needs the key's bytes exactly as they were sent. Without the SessionEstablishment
        // these bytes are not known, and the key is encoded here.
        let session = RecordedSession(
            engagement: engagement, handover: try handover(), eReaderKey: key,
            sentAs: establishment?.eReaderKeyBytes ?? key.publicKeyBytes)
        return StoredTransaction(
            transcript: session.transcript, readerKey: key,
            message: .session(session, establishment: establishment?.data, data: bytes), limits: limits)
    }

    /// Returns the handover of the transcript. Without a Handover Select message the engagement came as a QR
    /// code.
    private func handover() throws(CommandFailure) -> Handover {
        guard let handoverSelect else { return .qr }
        let request = try handoverRequest.map { path throws(CommandFailure) in
            try InputFile.read(path, limit: maxMessage)
        }
        return .nfc(select: try InputFile.read(handoverSelect, limit: maxMessage), request: request)
    }

    /// Reads and parses a file. The message of a failure begins with the name of the option.
    private func read<Structure>(
        _ path: String, option: String, parse: (ArraySlice<UInt8>) throws(MdocModelError) -> Structure
    ) throws(CommandFailure) -> Structure {
        let bytes = try InputFile.read(path, limit: maxMessage)
        return try mapping(parse(bytes[...])) { (error: MdocModelError) in
            CommandFailure.malformed("\(option): \(error.explanation)")
        }
    }

    /// Decodes the reader's ephemeral key in a file. `option` names the file in the failure.
    private static func key(
        _ bytes: EncodedCBOR<COSEKey>, _ option: String
    ) throws(CommandFailure) -> COSEKey {
        guard let item = try? bytes.item(), let key = try? COSEKey(item) else {
            throw .malformed("\(option): the reader's ephemeral key in the file is not a COSE_Key")
        }
        return key
    }
}

/// The input of `verify` and `bench`: the files of a transaction with a phone nearby, or of a presentation
/// through an app or a web page.
///
/// The commands declare the option groups side by side and pass them to this type. A nested group would cost
/// time, because in a debug build ArgumentParser validates it five times as often.
package struct VerifyInput {
    private let files: VerifyFiles
    package let channel: ChannelFiles

    package init(_ files: VerifyFiles, app: AppArguments, web: WebArguments, answer: AnswerArguments) {
        self.files = files
        channel = ChannelFiles(app: app, web: web, answer: answer)
    }

    package func validate() throws {
        try channel.validate()
        guard
            [files.response != nil, files.sessionData != nil, channel.isGiven].count(where: { $0 }) == 1
        else {
            throw ValidationError(
                "Give --response and --transcript, or --session-data and --engagement, or --envelope, or --web-response."
            )
        }
        let sessionOnly = [
            ("--engagement", files.engagement), ("--handover-select", files.handoverSelect),
            ("--handover-request", files.handoverRequest),
            ("--session-establishment", files.sessionEstablishment),
        ]
        if channel.isGiven {
            for (name, value) in sessionOnly
                + [("--transcript", files.transcript), ("--reader-key", files.readerKey)]
            where value != nil {
                throw ValidationError("\(name) cannot be combined with --envelope or --web-response.")
            }
        } else if files.response != nil {
            guard files.transcript != nil else { throw ValidationError("--response needs --transcript.") }
            for (name, value) in sessionOnly where value != nil {
                throw ValidationError("\(name) belongs to --session-data; with --response give --transcript.")
            }
        } else {
            guard files.engagement != nil else { throw ValidationError("--session-data needs --engagement.") }
            guard files.readerKey != nil else { throw ValidationError("--session-data needs --reader-key.") }
            guard files.transcript == nil else {
                throw ValidationError(
                    "--transcript belongs to --response; with --session-data the transcript is computed.")
            }
            guard files.handoverRequest == nil || files.handoverSelect != nil else {
                throw ValidationError("--handover-request needs --handover-select.")
            }
        }
    }

    /// Reads a presentation through an app or a web page. Returns `nil` if the options describe a phone
    /// nearby.
    package func presentation(at now: Timestamp) throws(CommandFailure) -> StoredPresentation? {
        guard channel.isGiven else { return nil }
        return try channel.presentation(request: files.sentRequest(), limit: files.maxMessage, at: now)
    }
}
