public import Foundation
internal import MdocModel
internal import MdocTrust
internal import PCSCTransport
internal import PortraitDecoding
internal import ReaderService
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

extension MobileDocumentReader {
    /// How a reader is configured. The defaults are those of `countersign`.
    public struct Setup: Sendable {
        /// Whom the reader believes.
        public enum Trust: Sendable {
            /// The trust store in `storeFolder`, as `countersign trust` fills it.
            case store
            /// These issuer roots (IACA), each in DER or any number in PEM, and nobody else.
            case roots([Data])
        }

        /// What is asked.
        public enum Purpose: Hashable, Sendable {
            /// Whether the holder is old enough, alone or with a portrait to compare.
            case age
            /// Any other element.
            case elements
        }

        /// The folder of trust store, identities and instance identifier. The default is `COUNTERSIGN_STORE`, else
        /// `$XDG_DATA_HOME/countersign`, else `~/.local/share/countersign`.
        public var storeFolder: String
        /// Whom the reader believes.
        public var trust = Trust.store
        /// What is done where revocation is not known, by the purpose of the request. A purpose that is not named here is refused.
        public var revocation: [Purpose: Revocation] = [.age: .age, .elements: .rental]
        /// In place of what `revocation` says, for all that is asked, where it accepts no more; a request for which it
        /// would accept more is refused. As the `policy` of a lane of `countersignd`.
        public var policy: Revocation?
        /// For trials: whether documents of test issuers are taken. Their verdict is a test's and never verified.
        public var acceptsTestDocuments = false
        /// The contactless reader, by a part of its name or its USB id (`072f:2200`); nil takes any.
        public var reader: String?
        /// The Bluetooth adapter (`hci0`); nil takes the first that can be used.
        public var bluetoothAdapter: String?
        /// The identity in whose name requests are signed where no token names one; nil leaves it to the identities'
        /// own choice.
        public var identity: String?
        /// What a reader token has to say in `aud`. The brands whose tokens are taken are those of `countersign brand`.
        public var tokenAudience = "countersign-reader-v1"
        /// How long a phone is waited for.
        public var timeout = Duration.seconds(120)
        /// Where the operator sees the result of a display request.
        public var display: MobileDocumentDisplay? = .clerkPage
        /// The program that decodes portraits (`countersign-portrait`); nil takes the one beside this program, else the one in `PATH`.
        /// A portrait that it does not decode, or that no program decodes, is not compared: nobody can approve then.
        public var portraitDecoder: String?
        /// The app's way for the operator to decide on it; nil if the display asks.
        public var presenter: (any MobileDocumentPresenter)?

        /// As this computer is set up for `countersign`.
        public init() {
            storeFolder = Self.defaultStoreFolder(ProcessInfo.processInfo.environment)
        }

        var decoder: PortraitDecoder? {
            portraitDecoder.map { PortraitDecoder(executable: $0) } ?? .installed
        }

        static func defaultStoreFolder(_ environment: [String: String]) -> String {
            func variable(_ name: String) -> String? {
                environment[name].flatMap { $0.isEmpty ? nil : $0 }
            }
            if let path = variable("COUNTERSIGN_STORE") { return path }
            // A relative path is to be ignored (XDG Base Directory Specification 0.8).
            if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/countersign" }
            return "\(variable("HOME") ?? "")/.local/share/countersign"
        }
    }
}

extension MobileDocumentReader.Setup {
    /// What is done where it is not known whether a document is revoked.
    public struct Revocation: Equatable, Sendable {
        let policy: RevocationPolicy

        /// It is believed, and the verdict says so: for age checks.
        public static let age = Revocation(policy: .age)
        /// It is refused: for handing over a thing of value.
        public static let rental = Revocation(policy: .rental(staleDays: 0))

        /// It is refused, unless the list that is there has been stale for no more than so many days.
        public static func rental(staleDays: Int) -> Revocation {
            Revocation(policy: .rental(staleDays: staleDays))
        }
    }
}
