/// A contactless reader, in whose field one phone at a time can be used.
package protocol ContactlessReader: Sendable {
    /// Begins a presentation: the reading of one phone. The phone of the previous presentation is offered
    /// again only after an absence of one second (Q208).
    func beginPresentation() async

    /// Waits for the next phone and powers it up. A phone that already lies on the reader is returned once.
    ///
    /// - Parameter pause: the time from this call after which a phone that was returned before and is still
    ///   in the field may be returned again. `nil` if the phone must be lifted first.
    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard
}

/// A phone in the field, which acts as a contactless card (ISO/IEC 14443-4).
package protocol ContactlessCard: Sendable {
    var limits: ContactlessLimits { get }

    /// The number of the phone's stay in the field. A phone that left and came back has a new number.
    var stay: Int { get }

    /// Sends one command APDU and returns the card's answer with its status word.
    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8]

    /// Ends the connection. The card is powered off, unless the reader would then announce the card as new
    /// (Q208).
    func release() async
}

/// The maximum lengths of APDUs on a reader.
package struct ContactlessLimits: Equatable, Sendable {
    /// The maximum number of data bytes in a command.
    package let commandData: Int
    /// The maximum number of data bytes in an answer, without the status word.
    package let responseData: Int
    /// Whether the reader can exchange APDUs with extended length fields.
    package let allowsExtended: Bool

    package init(commandData: Int, responseData: Int, allowsExtended: Bool) {
        self.commandData = commandData
        self.responseData = responseData
        self.allowsExtended = allowsExtended
    }
}

/// A reason why a phone cannot be detected or read.
package enum ContactlessError: Error, Equatable, Sendable {
    /// The phone left the field, or only a part of its answer arrived.
    case cardLost
    /// A card or phone in the field does not answer to power-up (Q203). `stay` is the number of its stay in
    /// the field.
    case cardMute(stay: Int)
    case readerUnavailable(ReaderFault)
    case cancelled
}
