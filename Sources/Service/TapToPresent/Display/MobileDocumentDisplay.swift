internal import Foundation
internal import Synchronization

/// The display that shows the operator the result of a display request.
///
/// Only this library makes displays, so that no code of the app receives the contents of a document:
/// - ``clerkPage``, the default, reads the document in a separate process;
/// - ``viewer(atSocket:)`` passes the result to a program that runs as another user;
/// - ``terminal`` is for trials: it runs in the app's process and terminal.
///
/// A display shows a result until the operator decides, the time limit passes or the task is cancelled, and
/// then removes it. The types of this library protect against mistakes of an app. They do not stop an app
/// that reads its own memory: against such an app, use the clerk's page, a viewer or `countersignd`.
public struct MobileDocumentDisplay: Sendable {
    /// The implementation that shows the result.
    enum Place: Sendable {
        case channel(any DisplayChannel)
        case page(ClerkPage)
    }

    let place: Place

    init(_ channel: any DisplayChannel) {
        place = .channel(channel)
    }

    init(_ page: ClerkPage) {
        place = .page(page)
    }

    /// The clerk's page in the browser of this desktop, with portrait, names, answers and two buttons. A
    /// private `countersignd` reads the document for the page, and this program receives only the decision.
    /// The private daemon ends with the session. The next session starts a new daemon and opens the page
    /// again.
    ///
    /// The page requires the programs `countersignd` and `xdg-open`, the trust store, and a desktop. If one
    /// is missing, the request throws `notSupported` before anything is sent to a phone. The page cannot show
    /// an age in years, and a read for the page sends no `judged` event.
    public static let clerkPage = MobileDocumentDisplay(
        ClerkPage(environment: ProcessInfo.processInfo.environment))

    /// The terminal from which the program was started. The terminal shows names and ages as text. Instead of
    /// a portrait, the terminal shows whether the phone sent one. Use the terminal for trials, and in places
    /// where nobody compares faces.
    public static let terminal = MobileDocumentDisplay(TerminalDisplay(path: "/dev/tty"))

    /// A viewer program that listens on a Unix socket and runs as another user than this program, so that the
    /// operating system hides from the app what the viewer shows. The messages are described in
    /// `Documentation/Decisions/display-without-data.md`.
    public static func viewer(atSocket path: String) -> MobileDocumentDisplay {
        MobileDocumentDisplay(ViewerDisplay(path: path))
    }
}

extension DisplayChannel {
    /// Shows a result until the operator has decided, `timeout` has passed, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - isAsking: Whether the display asks the operator for the decision.
    ///   - shown: A function that is called when the whole result is visible.
    func show(
        _ result: ShownResult, asking isAsking: Bool, within timeout: Duration,
        shown: @escaping @Sendable () -> Void
    ) async -> Result<ResultShowing.ValidationOutcome, MobileDocumentReaderError> {
        await DisplayTime(timeout).runBlocking { time throws(MobileDocumentReaderError) in
            try self.show(result, asking: isAsking, during: time, shown: shown)
        }
    }
}

/// A way to show a result to the operator. The method `show` blocks, so each call runs on a separate thread.
protocol DisplayChannel: Sendable {
    /// Shows the result until the operator has decided or `time` is over, and then removes it. Calls `shown`
    /// when the whole result is visible.
    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome
}

/// The time limit for showing a result. The time ends at its deadline, or earlier if `end()` is called.
final class DisplayTime: Sendable {
    private let deadline: ContinuousClock.Instant
    private let isEnded = Mutex(false)

    init(_ timeout: Duration) {
        deadline = .now + timeout
    }

    var isOver: Bool { isEnded.withLock { $0 } || deadline <= .now }

    /// Ends the time before its deadline.
    func end() { isEnded.withLock { $0 = true } }

    /// Runs the blocking function `body` on a separate thread, because blocking a thread of the task pool
    /// would delay other tasks. Cancelling the task ends the time.
    func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (DisplayTime) throws(MobileDocumentReaderError) -> Value
    ) async -> Result<Value, MobileDocumentReaderError> {
        // A cancellation only ends the time. `body` checks `isOver`, and then returns by itself.
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Result { () throws(MobileDocumentReaderError) in try body(self) })
                }
            }
        } onCancel: {
            self.end()
        }
    }
}

/// The app's own way to ask the operator for a decision about the displayed result, such as two buttons, a
/// key or a foot switch.
///
/// The app learns which elements were requested and returns a decision. The document's contents appear only
/// on the reader's display.
public protocol MobileDocumentPresenter: Sendable {
    /// Returns the operator's decision. Called when the display shows the result; the task is cancelled if
    /// the decision was made elsewhere or the time limit has passed.
    func validationOutcome(of presentation: MobileDocumentPresentation) async
        -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
}

/// A description of what the display shows, without the document's contents.
public struct MobileDocumentPresentation: Hashable, Sendable {
    /// The requested elements.
    public let elements: [MobileDriversLicenseDisplayRequest.Element]
    /// The question to the operator.
    public let validationMode: MobileDriversLicenseDisplayRequest.Options.ValidationMode
}
