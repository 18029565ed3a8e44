/// A reader's field, into which phones come one at a time.
package protocol ContactlessReader: Sendable {
    /// A presentation begins: the phone of the one before counts only after it was away for about a second (Q208).
    func beginPresentation() async

    /// Waits for the next phone and powers it. A phone that is already present counts once.
    ///
    /// - Parameter pause: after this time, counted from the call, a phone that counted before and stayed counts again.
    ///   Nil if it must be removed first.
    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard
}

/// A phone in the field, as a contactless card (ISO/IEC 14443-4).
package protocol ContactlessCard: Sendable {
    var limits: ContactlessLimits { get }

    /// The number of this stay in the field: a phone that left and came back has another.
    var stay: Int { get }

    /// Sends one command APDU; the card's answer with its status word.
    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8]

    /// Powers the card down.
    func release() async
}

/// How long APDUs may be on a reader.
package struct ContactlessLimits: Equatable, Sendable {
    package let commandData: Int
    package let responseData: Int
    package let allowsExtended: Bool

    package init(commandData: Int, responseData: Int, allowsExtended: Bool) {
        self.commandData = commandData
        self.responseData = responseData
        self.allowsExtended = allowsExtended
    }
}

/// Why a phone cannot be detected or read.
package enum ContactlessError: Error, Equatable, Sendable {
    /// The phone left the field, or its answer was cut.
    case cardLost
    /// Something in the field does not answer to power-up (Q203). `stay` is the number of its stay there.
    case cardMute(stay: Int)
    case readerUnavailable(ReaderFault)
    case cancelled
}
