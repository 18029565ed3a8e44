internal import ArgumentParser
package import MdocModel

/// The input of `verify` and `bench`: the files of a presentation nearby, or of one through an app or the web.
///
/// Their groups of options are side by side in the command: in a debug build ArgumentParser checks a group inside
/// of another five times as often.
package struct VerifyInput {
    private let files: VerifyFiles
    package let channel: ChannelFiles

    package init(_ files: VerifyFiles, _ app: AppArguments, _ web: WebArguments, _ answer: AnswerArguments) {
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
                throw ValidationError("\(name) does not go with --envelope or --web-response.")
            }
        } else if files.response != nil {
            guard files.transcript != nil else { throw ValidationError("--response needs --transcript.") }
            for (name, value) in sessionOnly where value != nil {
                throw ValidationError("\(name) belongs to --session-data; --response takes --transcript.")
            }
        } else {
            guard files.engagement != nil else { throw ValidationError("--session-data needs --engagement.") }
            guard files.readerKey != nil else { throw ValidationError("--session-data needs --reader-key.") }
            guard files.transcript == nil else {
                throw ValidationError("--transcript belongs to --response; --session-data makes its own.")
            }
            guard files.handoverRequest == nil || files.handoverSelect != nil else {
                throw ValidationError("--handover-request needs --handover-select.")
            }
        }
    }

    /// What the files hold of a presentation through an app or the web; nil if they are of one nearby.
    package func presentation(at now: Timestamp) throws(CommandFailure) -> StoredPresentation? {
        guard channel.isGiven else { return nil }
        return try channel.presentation(request: files.sentRequest(), limit: files.maxMessage, at: now)
    }
}
