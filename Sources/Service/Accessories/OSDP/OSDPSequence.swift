/// The sequence numbers of commands, and the last reply.
///
/// A panel counts 0, 1, 2, 3, 1, 2, 3, … and repeats a number if it did not hear the reply. The reply to a repeated
/// number must be the same bytes: with a new reply, a card would be read twice.
struct OSDPSequence: Sendable {
    /// The place of a command in the sequence.
    enum Turn: Equatable, Sendable {
        /// Number 0: the panel starts again.
        case restart
        case next
        /// The number of the last command. `isSame` is `false` if the command has other bytes than the last command.
        case repeated(reply: [UInt8], isSame: Bool)
        /// A number that the panel should not use now.
        case unexpected
    }

    private struct Exchange {
        let command: OSDPFrame
        let reply: [UInt8]
    }

    private var last: Exchange?

    /// Returns the place of a command.
    func turn(of command: OSDPFrame) -> Turn {
        guard command.sequence != 0 else { return .restart }
        guard let last else { return .unexpected }
        if command.sequence == last.command.sequence {
            return .repeated(reply: last.reply, isSame: command.bytes == last.command.bytes)
        }
        return command.sequence == last.command.sequence % 3 + 1 ? .next : .unexpected
    }

    /// Records the reply to a command.
    mutating func record(_ reply: [UInt8], to command: OSDPFrame) {
        last = Exchange(command: command, reply: reply)
    }

    /// Forgets the last exchange. Only a restart is expected then, and no reply is repeated.
    mutating func forget() { last = nil }
}
