internal import Foundation
internal import Synchronization

/// Where the operator sees the result of a display request. The displays belong to this library, so that no code of
/// the app gets the contents of a document.
public struct MobileDocumentDisplay: Sendable {
    private let channel: any DisplayChannel

    init(_ channel: any DisplayChannel) {
        self.channel = channel
    }

    /// The terminal that the program was started from. Shows names and ages in words; a portrait only as being there:
    /// for trying out, and where nobody compares faces.
    public static let terminal = MobileDocumentDisplay(TerminalDisplay(path: "/dev/tty"))

    /// A viewer that listens on a Unix socket, run by another user than this program: the system then keeps what it
    /// shows from the app. `Documentation/Decisions/display-without-data.md` has the messages.
    public static func viewer(atSocket path: String) -> MobileDocumentDisplay {
        MobileDocumentDisplay(ViewerDisplay(path: path))
    }

    /// Shows a result until the operator has decided, `timeout` is over or the task is cancelled.
    ///
    /// - Parameters:
    ///   - isAsking: whether the operator decides here.
    ///   - shown: called once the result is on the display.
    func show(
        _ result: ShownResult, asking isAsking: Bool, within timeout: Duration,
        shown: @escaping @Sendable () -> Void
    ) async -> Result<ResultShowing.Outcome, MobileDocumentReaderError> {
        let showing = DisplayTime(timeout)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [channel] in
                    continuation.resume(
                        returning: Result { () throws(MobileDocumentReaderError) in
                            try channel.show(result, asking: isAsking, during: showing, shown: shown)
                        })
                }
            }
        } onCancel: {
            showing.end()
        }
    }
}

/// A display for the operator. Runs on a separate thread.
protocol DisplayChannel: Sendable {
    /// Shows the result while there is time, or until the operator has decided; nothing of it stays. `shown` is called
    /// once all of it is there.
    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.Outcome
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
