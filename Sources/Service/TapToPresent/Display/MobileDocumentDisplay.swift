internal import Foundation
internal import Synchronization

/// Where the operator sees the result of a display request. The displays belong to this library, so that no code of
/// the app gets the contents of a document.
public struct MobileDocumentDisplay: Sendable {
    /// Who shows it.
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

    /// The clerk's page, in the browser of this desktop: portrait, names and answers, and two buttons. A private
    /// `countersignd` reads the document for it, and this program gets the decision alone. It ends with the session, and
    /// opens the page again in the next one.
    ///
    /// It needs the programs `countersignd` and `xdg-open`, the trust store, and a desktop. What is missing is thrown
    /// as `notSupported` before anything is asked. It has no age in years, and the events of its reads no verdict.
    public static let clerkPage = MobileDocumentDisplay(
        ClerkPage(environment: ProcessInfo.processInfo.environment))

    /// The terminal that the program was started from. Shows names and ages in words; a portrait only as being there:
    /// for trying out, and where nobody compares faces.
    public static let terminal = MobileDocumentDisplay(TerminalDisplay(path: "/dev/tty"))

    /// A viewer that listens on a Unix socket, run by another user than this program: the system then keeps what it
    /// shows from the app. `Documentation/Decisions/display-without-data.md` has the messages.
    public static func viewer(atSocket path: String) -> MobileDocumentDisplay {
        MobileDocumentDisplay(ViewerDisplay(path: path))
    }
}

extension DisplayChannel {
    /// Shows a result until the operator has decided, `timeout` is over or the task is cancelled.
    ///
    /// - Parameters:
    ///   - isAsking: whether the operator decides here.
    ///   - shown: called once the result is on the display.
    func show(
        _ result: ShownResult, asking isAsking: Bool, within timeout: Duration,
        shown: @escaping @Sendable () -> Void
    ) async -> Result<ResultShowing.ValidationOutcome, MobileDocumentReaderError> {
        await DisplayTime(timeout).spent { time throws(MobileDocumentReaderError) in
            try self.show(result, asking: isAsking, during: time, shown: shown)
        }
    }
}

/// A display for the operator. Runs on a separate thread.
protocol DisplayChannel: Sendable {
    /// Shows the result while there is time, or until the operator has decided; nothing of it stays. `shown` is called
    /// once all of it is there.
    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome
}

/// How long a result may be shown.
final class DisplayTime: Sendable {
    private let deadline: ContinuousClock.Instant
    private let isEnded = Mutex(false)

    init(_ timeout: Duration) {
        deadline = .now + timeout
    }

    var isOver: Bool { isEnded.withLock { $0 } || deadline <= .now }

    func end() { isEnded.withLock { $0 = true } }

    /// Runs what blocks on a separate thread. Cancelling the task ends the time.
    func spent<Value: Sendable>(
        _ body: @escaping @Sendable (DisplayTime) throws(MobileDocumentReaderError) -> Value
    ) async -> Result<Value, MobileDocumentReaderError> {
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

/// The app's way for the operator to decide on what the display shows: two buttons, a key, a foot switch.
///
/// The app learns what was asked and hands back a decision. What the document says is on the reader's display alone.
public protocol MobileDocumentPresenter: Sendable {
    /// Called when the display shows the result. Cancelled when the decision was made elsewhere or its time is over.
    func validationOutcome(of presentation: MobileDocumentPresentation) async
        -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
}

/// What is on the display, without what the document says.
public struct MobileDocumentPresentation: Hashable, Sendable {
    /// What was asked for.
    public let elements: [MobileDriversLicenseDisplayRequest.Element]
    /// What the operator is asked.
    public let validationMode: MobileDriversLicenseDisplayRequest.Options.ValidationMode
}
