public import Foundation
internal import MdocModel
internal import MdocTrust
internal import PCSCTransport
internal import PortraitDecoding
internal import ReaderService
internal import ReaderTokens
internal import Synchronization

/// An object that reads IDs from phones at the NFC reader of this computer.
///
/// Create a reader once, prepare it, and send requests through the ``MobileDocumentReaderSession`` that
/// `prepare` returns.
///
/// A reader has two states:
/// - *Not prepared*: only ``configuration`` and ``events`` can be used. The reader opens no device.
/// - *Prepared*: a session exists, for as long as the app holds a reference to it. Preparing again with an
///   equal token returns the existing session. Another token creates a new session.
///
/// Preparing checks everything that can be checked without a phone: the computer's clock, the reader token,
/// the trusted issuer roots, and the identity that signs requests. Devices are opened when a document is
/// requested.
///
/// Readers of one process whose setups select the same NFC reader and Bluetooth adapter share these devices.
/// A second request throws ``MobileDocumentReaderError/systemBusy(_:)`` while the first is in progress.
///
/// The class is safe to use from any thread or actor. It reads from the trust store but never fetches trust
/// lists: `countersign trust` or the daemon keeps the trust store current. For display requests, no element
/// of a document reaches the app.
public final class MobileDocumentReader: Sendable {
    /// Whether this computer has a PC/SC service, which reading requires. Whether an NFC reader is connected
    /// is checked when a document is requested.
    public static var isSupported: Bool { PCSCService.isInstalled }

    private struct State {
        weak var session: MobileDocumentReaderSession?
    }

    private let installation: ReaderInstallation
    private let sharedReader: SharedReader
    private let hub = EventHub()
    private let state = Mutex(State())

    /// Creates a reader with the given setup. The default is this computer's setup for `countersign`.
    public convenience init(_ setup: Setup = Setup()) {
        let installation = ReaderInstallation(setup, clock: .system)
        self.init(
            installation, sharedReader: .of(reader: setup.reader, adapter: setup.bluetoothAdapter))
    }

    init(_ installation: ReaderInstallation, sharedReader: SharedReader) {
        self.installation = installation
        self.sharedReader = sharedReader
    }

    /// The identifier of this reader, which a token server needs to make reader tokens. Read the identifier
    /// each time instead of caching it.
    public var configuration: Configuration {
        get async throws(MobileDocumentReaderError) {
            Configuration(readerInstanceIdentifier: try installation.instance().text.text)
        }
    }

    /// A stream of the events of all sessions of this reader. Each access returns a separate stream. A stream
    /// begins with the first event after the access, keeps the newest 64 unread events, and ends when the
    /// reader is released.
    public var events: AsyncStream<Event> { hub.stream() }

    /// Checks the token, the trusted issuers and the signing identity, and returns a session.
    ///
    /// - Parameter token: The token of the brand for which documents are requested. Without a token, only
    ///   display requests are possible, and the display shows no brand.
    /// - Returns: The current session if it was prepared with an equal token; otherwise a new one.
    /// - Throws: `invalidToken` or `sessionExpired` for a token that is not accepted; `serviceUnavailable` if
    ///   no issuer is trusted, the signing identity cannot be used, or the computer's clock is not set.
    public func prepare(
        using token: Token? = nil
    ) async throws(MobileDocumentReaderError) -> MobileDocumentReaderSession {
        let now = try installation.now()
        let prepared = try await installation.prepared(by: token, at: now)
        // The token is verified above even for an existing session, because the token may have expired since
        // the session was created.
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
    /// The values that identify a reader.
    public struct Configuration: Hashable, Sendable {
        /// The identifier of the reader instance, which its tokens contain as subject.
        public let readerInstanceIdentifier: String
    }

    /// A reader token: a JWT with which a brand permits one reader instance to make requests for the brand.
    public struct Token: Hashable, Sendable {
        /// The JWT in its compact form.
        public let tokenString: String

        /// Creates a token from the text that a token server returned.
        public init(_ tokenString: String) {
            self.tokenString = tokenString
        }
    }
}

extension MobileDocumentReader.Token: CustomStringConvertible, CustomReflectable {
    /// A fixed text, because anyone who reads the token can make requests for the brand.
    public var description: String { "Token(redacted)" }
    /// A mirror without children, because anyone who reads the token can make requests for the brand.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MobileDocumentReader {
    /// The configuration of a reader. The defaults equal those of `countersign`.
    public struct Setup: Sendable {
        /// The trusted issuers.
        public enum Trust: Sendable {
            /// The issuers in the trust store in `storeFolder`, which `countersign trust` fills.
            case store
            /// The given issuer roots (IACA) only. Each value is one certificate in DER, or any number in
            /// PEM.
            case roots([Data])
        }

        /// The purpose of a request, which selects the revocation policy.
        public enum Purpose: Hashable, Sendable {
            /// An age check: whether the holder is old enough, optionally with a portrait to compare.
            case age
            /// A request with any other element.
            case elements
        }

        /// The folder with the trust store, the identities and the reader's instance identifier. The default
        /// is `COUNTERSIGN_STORE`, else `$XDG_DATA_HOME/countersign`, else `~/.local/share/countersign`.
        public var storeFolder: String
        /// The trusted issuers.
        public var trust = Trust.store
        /// The revocation policy for each purpose. For a purpose that is missing here, a document is refused
        /// if its revocation state is unknown.
        public var revocation: [Purpose: Revocation] = [.age: .age, .elements: .rental]
        /// A revocation policy that replaces `revocation` for all requests, like `policy` of a `countersignd`
        /// lane. It must be at least as strict as the policy for the request's purpose; otherwise the request
        /// is refused.
        public var policy: Revocation?
        /// Whether documents of test issuers are accepted, for trials. Their verdict has `isTest` set and is
        /// never verified.
        public var acceptsTestDocuments = false
        /// The NFC reader, given by a part of its name or its USB id (`072f:2200`). `nil` selects any reader.
        public var reader: String?
        /// The Bluetooth adapter, such as `hci0`. `nil` selects the first usable adapter.
        public var bluetoothAdapter: String?
        /// The identity that signs requests if the reader token does not determine one. With `nil`, the rules
        /// in the identity folder select the identity.
        public var identity: String?
        /// The audience (`aud`) that reader tokens must contain. Tokens are accepted from the brands that
        /// `countersign brand` manages.
        public var tokenAudience = "countersign-reader-v1"
        /// The maximum time to wait for a phone.
        public var timeout = Duration.seconds(120)
        /// The display that shows the operator the result of a display request. With `nil`, display requests
        /// are refused.
        public var display: MobileDocumentDisplay? = .clerkPage
        /// The path of the program that decodes portraits (`countersign-portrait`). With `nil`, the program
        /// beside this one is used, else the one in `PATH`. Without the program, only JPEG portraits can be
        /// used. A portrait that cannot be decoded is not shown, and the request is not approved.
        public var portraitDecoder: String?
        /// The app's own way to ask the operator for a decision. With `nil`, the display asks.
        public var presenter: (any MobileDocumentPresenter)?

        /// Creates the setup that `countersign` uses on this computer.
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
            // The XDG Base Directory Specification 0.8 requires that a relative path is ignored.
            if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/countersign" }
            return "\(variable("HOME") ?? "")/.local/share/countersign"
        }
    }
}

extension MobileDocumentReader.Setup {
    /// A policy for documents whose revocation state is unknown.
    public struct Revocation: Equatable, Sendable {
        let policy: RevocationPolicy

        /// The policy that accepts a document with unknown revocation state and reports that state in the
        /// verdict. For age checks.
        public static let age = Revocation(policy: .age)
        /// The policy that refuses a document with unknown revocation state. For handing over something of
        /// value.
        public static let rental = Revocation(policy: .rental(staleDays: 0))

        /// Returns a policy that refuses a document with unknown revocation state. A revocation list that has
        /// been out of date for at most `staleDays` days is still used.
        public static func rental(staleDays: Int) -> Revocation {
            Revocation(policy: .rental(staleDays: staleDays))
        }
    }
}
