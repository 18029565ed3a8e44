internal import ReaderService
internal import MdocModel
internal import PCSCTransport
internal import ReaderTokens
internal import Synchronization

/// Reads IDs from phones at the contactless reader of this computer.
///
/// Make one, prepare it, and ask the session that comes of that. A reader may be prepared again at any time: it
/// returns the session that is there while that is valid.
public final class MobileDocumentReader: Sendable {
    /// Whether this computer can read documents at all: whether it has a PC/SC service. That a reader is plugged in
    /// shows when a document is asked for.
    public static var isSupported: Bool { PCSCService.isInstalled }

    private struct State {
        weak var session: MobileDocumentReaderSession?
    }

    private let installation: ReaderInstallation
    private let sharedReader: SharedReader
    private let hub = EventHub()
    private let state = Mutex(State())

    /// A reader as it is set up on this computer, or as `setup` says.
    public convenience init(_ setup: Setup = Setup()) {
        let installation = ReaderInstallation(setup, clock: .system)
        self.init(
            installation, sharedReader: .of(reader: setup.reader, adapter: setup.bluetoothAdapter))
    }

    init(_ installation: ReaderInstallation, sharedReader: SharedReader) {
        self.installation = installation
        self.sharedReader = sharedReader
    }

    /// Identifies this reader to the maker of its tokens. Ask for it each time; do not cache it.
    public var configuration: Configuration {
        get async throws(MobileDocumentReaderError) {
            Configuration(readerInstanceIdentifier: try installation.instance().text.text)
        }
    }

    /// The events at this reader from now on, in all its sessions. Each call returns a separate stream, which ends
    /// with the reader. The newest 64 unread events are kept.
    public var events: AsyncStream<Event> { hub.stream() }

    /// Makes the reader ready: checks the token, and that there is somebody to trust.
    ///
    /// - Parameter token: in whose name documents are asked for. Without one, only display requests can be made, in
    ///   nobody's name.
    /// - Returns: the session there is, while it is valid and was prepared with the same token; else a new one.
    public func prepare(
        using token: Token? = nil
    ) async throws(MobileDocumentReaderError) -> MobileDocumentReaderSession {
        let now = try installation.now()
        let prepared = try await installation.prepared(by: token, at: now)
        if let session = state.withLock({ $0.session }), session.token == token { return session }
        // A reader that could never verify anything must fail now, not when a customer is waiting.
        _ = try installation.trust()
        _ = try installation.identities(for: prepared, at: now)
        let session = MobileDocumentReaderSession(
            installation, sharedReader: sharedReader, hub: hub, token: token)
        state.withLock { $0.session = session }
        return session
    }
}

extension MobileDocumentReader {
    /// What identifies a reader.
    public struct Configuration: Hashable, Sendable {
        /// The reader instance: the subject of its tokens.
        public let readerInstanceIdentifier: String
    }

    /// A reader token: a JWT by which a brand lets a reader instance ask in its name.
    public struct Token: Hashable, Sendable {
        /// The JWT in its compact form.
        public let tokenString: String

        /// A token as a token server made it.
        public init(_ tokenString: String) {
            self.tokenString = tokenString
        }
    }
}

extension MobileDocumentReader.Token: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: who has the token can ask in the brand's name.
    public var description: String { "Token(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
