import OpenSSLCrypto
import Testing
import VectorFiles

@testable import Accessories

/// A door controller in memory, which computes its messages block by block. The figures of `OSDPSessionTests` come from
/// elsewhere and hold for both sides.
struct OSDPPanel {
    static let key = "6f1c2a93d47be05588a1c3e9f0127d46".bytes
    static let random = "b0b1b2b3b4b5b6b7".bytes

    struct Session {
        let encryption: [UInt8]
        let firstMAC: [UInt8]
        let lastMAC: [UInt8]
        var commandMAC: [UInt8] = []
        var replyMAC: [UInt8]
    }

    struct Reply: Equatable {
        let code: UInt8
        let data: [UInt8]

        static let acknowledgement = Reply(code: 0x40, data: [])
        static func refusal(_ reason: UInt8) -> Reply { Reply(code: 0x41, data: [reason]) }
    }

    var address: UInt8 = 5
    var key = Self.key
    /// The sequence number of the next command.
    var number: UInt8 = 0
    var session: Session?

    /// The next command, in the channel if there is one.
    mutating func command(_ code: UInt8, _ data: [UInt8] = []) throws -> [UInt8] {
        session == nil ? clear(code, data) : try secure(code, data)
    }

    /// The next command in the clear.
    mutating func clear(_ code: UInt8, _ data: [UInt8] = [], block: [UInt8] = []) -> [UInt8] {
        OSDPFrame.closed(head(code, data, block: block, macSize: 0))
    }

    /// The next command in the channel. `kind` is the kind of its security block, if it is not the usual one.
    mutating func secure(_ code: UInt8, _ data: [UInt8] = [], kind: UInt8? = nil) throws -> [UInt8] {
        var session = try #require(session)
        let kind = kind ?? (data.isEmpty ? 0x15 : 0x17)
        var data = data
        if kind == 0x17 {
            data = try Self.chain(
                Self.padded(data), from: Self.inverted(session.replyMAC), session.encryption,
                session.encryption)
        }
        let message = head(code, data, block: [2, kind], macSize: 4)
        session.commandMAC = try Self.mac(message, from: session.replyMAC, session)
        self.session = session
        return OSDPFrame.closed(message + session.commandMAC.prefix(4))
    }

    /// CHLNG. `selector` is 1 for the own key and 0 for the default key.
    mutating func challenge(selector: UInt8 = 1) -> [UInt8] {
        session = nil
        return clear(0x76, Self.random, block: [3, 0x11, selector])
    }

    /// SCRYPT, after the cryptogram of the peripheral was checked.
    mutating func confirmation(of reply: [UInt8], selector: UInt8 = 1) throws -> [UInt8] {
        let frame = try OSDPFrame(reply)
        try #require(frame.block == OSDPSecurityBlock(.clientCryptogram, data: [selector]))
        try #require(frame.code == 0x76 && frame.data.count == 32)
        let data = [UInt8](frame.data)
        let own = [UInt8](data[8..<16])
        let keys = try [0x82, 1, 2].map {
            try Self.block([1, $0] + Self.random.prefix(6) + [UInt8](repeating: 0, count: 8), key)
        }
        try #require(try Self.block(Self.random + own, keys[0]) == [UInt8](data[16...]))
        let cryptogram = try Self.block(own + Self.random, keys[0])
        let message = clear(0x77, cryptogram, block: [3, 0x13, selector])
        session = Session(
            encryption: keys[0], firstMAC: keys[1], lastMAC: keys[2],
            replyMAC: try Self.block(Self.block(cryptogram, keys[1]), keys[2]))
        return message
    }

    /// The content of a reply. Its sequence number is that of the last command, and its MAC is checked.
    mutating func read(_ reply: [UInt8]) throws -> Reply {
        let frame = try OSDPFrame(reply)
        try #require(frame.isReply && frame.address == address)
        guard var session, let kind = frame.block?.kind, kind.hasMAC else {
            return Reply(code: frame.code, data: [UInt8](frame.data))
        }
        let mac = try Self.mac([UInt8](frame.authenticated), from: session.commandMAC, session)
        try #require(frame.mac == mac.prefix(4))
        session.replyMAC = mac
        self.session = session
        var data = [UInt8](frame.data)
        if kind == .encryptedReply {
            var cipher = try AES128(key: SecretBytes(copying: session.encryption[...]))
            data = try cipher.decryptCBC(
                data[...], initialVector: Self.inverted(session.commandMAC)[...])
            let end = try #require(data.lastIndex(of: 0x80))
            let isPadded = data[(end + 1)...].allSatisfy { $0 == 0 }
            try #require(isPadded)
            data = [UInt8](data[..<end])
        }
        return Reply(code: frame.code, data: data)
    }

    /// Starts again: without channel, and with the sequence number 0.
    mutating func restart() {
        number = 0
        session = nil
    }

    private mutating func head(_ code: UInt8, _ data: [UInt8], block: [UInt8], macSize: Int) -> [UInt8] {
        let size = 5 + block.count + 1 + data.count + macSize + 2
        let control = number | 4 | (block.isEmpty ? 0 : 8)
        number = number % 3 + 1
        return [0x53, address, UInt8(size & 0xff), UInt8(size >> 8), control] + block + [code] + data
    }

    /// The whole MAC of a message.
    static func mac(
        _ message: [UInt8], from previous: [UInt8], _ session: Session
    ) throws -> [UInt8] {
        let blocks = message.count.isMultiple(of: 16) ? message : padded(message)
        return try [UInt8](chain(blocks, from: previous, session.firstMAC, session.lastMAC).suffix(16))
    }

    /// CBC by single blocks, with another key for the last block.
    private static func chain(
        _ blocks: [UInt8], from vector: [UInt8], _ key: [UInt8], _ lastKey: [UInt8]
    ) throws -> [UInt8] {
        var (vector, all) = (vector, [UInt8]())
        for start in stride(from: 0, to: blocks.count, by: 16) {
            let input = zip(blocks[start..<(start + 16)], vector).map { $0 ^ $1 }
            vector = try block(input, start + 16 == blocks.count ? lastKey : key)
            all += vector
        }
        return all
    }

    private static func block(_ input: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128(key: SecretBytes(copying: key[...]))
        return try cipher.encryptBlock(input[...])
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [0x80] + [UInt8](repeating: 0, count: 15 - bytes.count % 16)
    }

    private static func inverted(_ bytes: [UInt8]) -> [UInt8] { bytes.map { ~$0 } }
}

/// A peripheral and a panel at one line, on a clock of their own.
struct OSDPBench: ~Copyable {
    typealias Action = OSDPPeripheral.Action

    /// What a command led to: the message on the line, its content, and the other actions.
    struct Exchange {
        let message: [UInt8]
        let reply: OSDPPanel.Reply
        let actions: [Action]
    }

    var peripheral: OSDPPeripheral
    var panel = OSDPPanel()
    var now = ContinuousClock.now

    init(key: consuming OSDPKey?, isTrial: Bool = false) throws {
        var output = OSDPOutput()
        output.address = 5
        output.card = OSDPCard(bits: 26, facility: 77, number: 21)
        peripheral = try OSDPPeripheral(
            output, valid: .seconds(5), isTrial: isTrial, key: key,
            makeRandom: { "a0a1a2a3a4a5a6a7".bytes })
    }

    /// A bench whose both sides have the same key.
    static func keyed(isTrial: Bool = false) throws -> OSDPBench {
        try OSDPBench(
            key: OSDPKey(fileContents: [UInt8](OSDPPanel.key.hex.utf8)[...]), isTrial: isTrial)
    }

    /// A bench with an open channel.
    static func secure(isTrial: Bool = false) throws -> OSDPBench {
        var bench = try keyed(isTrial: isTrial)
        try bench.openChannel()
        return bench
    }

    /// A bench with an open channel and an output whose card the next poll takes.
    static func claimed(_ output: DueOutput) throws -> OSDPBench {
        var bench = try secure()
        let due = bench.peripheral.due(output, at: bench.now)
        try #require(due == [.claim(output)])
        let granted = bench.peripheral.claimed(true, for: output.number, at: bench.now)
        try #require(granted == [])
        return bench
    }

    mutating func receive(_ bytes: [UInt8]) -> [Action] {
        peripheral.receive(bytes[...], at: now)
    }

    /// Sends the next command and reads its reply.
    mutating func exchange(_ code: UInt8, _ data: [UInt8] = []) throws -> Exchange {
        let command = try panel.command(code, data)
        return try exchange(command)
    }

    /// Sends a whole command and reads its reply.
    mutating func exchange(_ command: [UInt8]) throws -> Exchange {
        var actions = receive(command)
        let messages = actions.compactMap(\.message)
        try #require(messages.count == 1)
        actions.removeAll { $0.message != nil }
        return Exchange(message: messages[0], reply: try panel.read(messages[0]), actions: actions)
    }

    /// Does the handshake.
    mutating func openChannel() throws {
        panel.restart()
        _ = try exchange(0x61, [0])
        let answer = try exchange(panel.challenge())
        let last = try exchange(panel.confirmation(of: answer.message))
        try #require(last.reply.code == 0x78)
        let isSecure = peripheral.status.isSecure
        try #require(isSecure)
    }
}

extension OSDPPeripheral.Action {
    /// The message that is sent, or nil for another action.
    var message: [UInt8]? { if case .transmit(let message) = self { message } else { nil } }
}

extension DueOutput {
    static func sample(
        _ number: Int64 = 17, outcome: AccessoryOutcome = .allow, isTest: Bool = false
    ) -> DueOutput {
        DueOutput(
            number: number, accessory: "panel", lane: "gate", presentation: "p-1", outcome: outcome,
            isTest: isTest, age: 21, code: "123456")
    }
}
