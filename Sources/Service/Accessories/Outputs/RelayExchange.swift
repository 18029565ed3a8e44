/// The requests to one contact of a board and their replies, one after another.
///
/// A driver calls `begin`, sends the bytes, reads until `isComplete` is true or the time for a reply is over,
/// and calls `end` with the bytes that came. Before each request it throws away bytes that are waiting: they
/// belong to an earlier request. The value gives each request a new transaction number, and finds out which
/// question a KMTronic board understands.
package struct RelayExchange: Sendable {
    private let board: RelayBoard
    private let channel: Int
    private var transaction: UInt16 = 0
    private var current: (command: RelayCommand, request: RelayRequest)?
    /// The question that a KMTronic board is asked next.
    private var question = RelayCommand.read
    /// The number of times that a KMTronic board has not answered `read`; `nil` after it has.
    private var silentReads: Int? = 0

    /// The number of times that `read` is sent to a KMTronic board before `readSingle`.
    package static let mostSilentReads = 3

    /// Creates the exchange with a board that is open.
    package init(board: RelayBoard, channel: Int) {
        self.board = board
        self.channel = channel
    }

    /// Begins a request: `.on`, `.off` or `.read`.
    ///
    /// - Returns: the request to send, or `nil` if the board has no such request.
    package mutating func begin(_ command: RelayCommand) -> RelayRequest? {
        let command = command == .read ? question : command
        transaction &+= 1
        let request = board.request(command, channel: channel, transaction: transaction)
        current = request.map { (command, $0) }
        return request
    }

    /// Returns whether the reply to the request is complete.
    package func isComplete(_ reply: [UInt8]) -> Bool { current?.request.isComplete(reply) ?? true }

    /// Ends the request with the bytes that came.
    ///
    /// - Parameter reply: the bytes of the reply; empty if none came, or if the board does not reply.
    /// - Throws: `noReply` if the board should have replied and did not, or the fault of its reply.
    package mutating func end(_ reply: [UInt8]) throws(RelayFault) -> RelayAnswer {
        guard let (command, request) = current else { throw .replyUnexpected }
        current = nil
        if reply.isEmpty, case .stream(.some) = request.transport {
            if command == .read { countSilence() }
            throw .noReply
        }
        let answer = try board.reply(reply, to: command, channel: channel, transaction: transaction)
        if command == .read { silentReads = nil }
        return answer
    }

    /// Changes the question after `mostSilentReads`. A board that has four contacts might take `readSingle`
    /// for an "on", so that one lost answer must not lead to it, and a board that has answered once is never
    /// asked so.
    private mutating func countSilence() {
        guard let count = silentReads, board.request(.readSingle, channel: channel, transaction: 0) != nil
        else {
            return
        }
        silentReads = count + 1
        if count + 1 >= Self.mostSilentReads { question = .readSingle }
    }
}
