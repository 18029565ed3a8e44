import OpenSSLCrypto
import Testing
import VectorFiles

@testable import Accessories

/// What a line, another device or an attacker may send, and what the peripheral must not do then.
@Suite("OSDP refusals")
struct OSDPRefusalTests {
    private static let closed = OSDPStatus(isOnline: true, isSecure: false, state: .notAnswering)

    @Test("A wrong CRC, another address, the address of all, and a reply are met with silence")
    func silence() throws {
        var bench = try OSDPBench.keyed()
        var wrong = bench.panel.clear(0x60)
        wrong[6] ^= 1
        #expect(bench.receive(wrong) == [])
        for address in [0, 4, 6, 126, 127, 0x85] as [UInt8] {
            bench.panel.restart()
            bench.panel.address = address
            let command = bench.panel.clear(0x60)
            #expect(bench.receive(command) == [])
        }
        bench.panel.restart()
        bench.panel.address = 5
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test("With a key, only POLL, ID and CAP are answered before the handshake, and no card is sent")
    func inTheClear() throws {
        var bench = try OSDPBench.keyed()
        for (code, reply) in [(0x60, 0x40), (0x61, 0x45), (0x62, 0x46)] as [(UInt8, UInt8)] {
            #expect(try bench.exchange(code).reply.code == reply)
        }
        #expect(bench.peripheral.due(.sample(), at: bench.now) == [])
        for code in [0x64, 0x65, 0x66, 0x67, 0x6e, 0x75, 0x80] as [UInt8] {
            #expect(try bench.exchange(code).reply == .refusal(6))
        }
        // The light of a command in the clear is not believed.
        let light = try bench.exchange(0x69, "0000020a0002001e000000000000".bytes)
        #expect(light.reply == .refusal(6) && light.actions == [])
        // A command of the handshake without its security block.
        #expect(try bench.exchange(0x76, OSDPPanel.random).reply == .refusal(5))
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test("A poll between both steps of the handshake changes nothing")
    func pollInTheHandshake() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x60)
        let answer = try bench.exchange(bench.panel.challenge())
        #expect(try bench.exchange(bench.panel.clear(0x60)).reply == .acknowledgement)
        let confirmation = try bench.panel.confirmation(of: answer.message)
        #expect(try bench.exchange(confirmation).reply.code == 0x78)
    }

    @Test("The default key is refused, and twice make the configuration wrong")
    func defaultKey() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        let first = try bench.exchange(bench.panel.challenge(selector: 0))
        #expect(first.reply == .refusal(5) && first.actions == [])
        let second = try bench.exchange(bench.panel.challenge(selector: 0))
        #expect(second.reply == .refusal(5))
        #expect(
            second.actions == [.report(OSDPStatus(isOnline: true, isSecure: false, state: .misconfigured))])
        // The right key makes it right again.
        try bench.openChannel()
        #expect(bench.peripheral.status.state == .ready)
    }

    @Test("While an installer uses the default key, the channel opens and no card is sent")
    func installing() throws {
        var bench = try OSDPBench(key: OSDPKey.installing())
        bench.panel.key = [UInt8](0x30...0x3f)
        _ = try bench.exchange(0x61)
        #expect(try bench.exchange(bench.panel.challenge(selector: 1)).reply == .refusal(5))
        let answer = try bench.exchange(bench.panel.challenge(selector: 0))
        let confirmation = try bench.panel.confirmation(of: answer.message, selector: 0)
        #expect(try bench.exchange(confirmation).reply.code == 0x78)
        #expect(
            bench.peripheral.status == OSDPStatus(isOnline: true, isSecure: true, state: .misconfigured))
        #expect(bench.peripheral.due(.sample(), at: bench.now) == [.refused(.sample())])
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test(
        "A panel with another key goes away; seen twice, the configuration is wrong until a channel opens"
    )
    func wrongKey() throws {
        var bench = try OSDPBench.keyed()
        for attempt in 1...2 {
            bench.panel.restart()
            _ = try bench.exchange(0x61)
            _ = try bench.exchange(bench.panel.challenge())
            bench.now += .seconds(8)
            #expect(
                bench.peripheral.expire(at: bench.now)
                    == [
                        .report(
                            OSDPStatus(
                                isOnline: false, isSecure: false,
                                state: attempt == 1 ? .notAnswering : .misconfigured))
                    ])
        }
        bench.now += .seconds(300)
        try bench.openChannel()
        #expect(bench.peripheral.status.state == .ready)
    }

    @Test("A wrong cryptogram opens no channel", arguments: [0, 15])
    func wrongCryptogram(index: Int) throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        let answer = try bench.exchange(bench.panel.challenge())
        var message = try bench.panel.confirmation(of: answer.message).dropLast(2) as [UInt8]
        message[9 + index] ^= 1
        bench.panel.session = nil
        #expect(try bench.exchange(OSDPFrame.closed(message)).reply == .refusal(6))
        let isSecure = bench.peripheral.status.isSecure
        #expect(!isSecure)
    }

    @Test("A cryptogram without a challenge, or after a new start, opens no channel")
    func cryptogramAlone() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        let answer = try bench.exchange(bench.panel.challenge())
        var replayed = try bench.panel.confirmation(of: answer.message)
        bench.panel.restart()
        _ = try bench.exchange(0x61)
        // The same message with the sequence number 1.
        replayed[4] = replayed[4] & ~3 | 1
        let refused = try bench.exchange(OSDPFrame.closed(replayed.dropLast(2)))
        #expect(refused.reply == .refusal(6))
        let isSecure = bench.peripheral.status.isSecure
        #expect(!isSecure)
    }

    @Test("A challenge or cryptogram of another size is refused", arguments: [0, 7, 9, 16])
    func handshakeSizes(count: Int) throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        let data = [UInt8](repeating: 1, count: count)
        #expect(try bench.exchange(bench.panel.clear(0x76, data, block: [3, 0x11, 1])).reply == .refusal(2))
        _ = try bench.exchange(bench.panel.challenge())
        #expect(try bench.exchange(bench.panel.clear(0x77, data, block: [3, 0x13, 1])).reply == .refusal(6))
    }

    @Test("A security block of a reply, or one that does not fit its command, is refused")
    func wrongBlocks() throws {
        for kind in [0x12, 0x14] as [UInt8] {
            var bench = try OSDPBench.keyed()
            _ = try bench.exchange(0x61)
            #expect(try bench.exchange(bench.panel.clear(0x60, block: [3, kind, 1])).reply == .refusal(5))
        }
        for kind in [0x16, 0x18] as [UInt8] {
            var bench = try OSDPBench.secure()
            let command = try bench.panel.secure(0x60, kind: kind)
            bench.panel.session = nil
            #expect(try bench.exchange(command).reply == .refusal(5))
        }
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        let command = bench.panel.clear(0x60, OSDPPanel.random, block: [3, 0x11, 1])
        #expect(try bench.exchange(command).reply == .refusal(2))
    }

    @Test("A wrong MAC ends the channel, whichever of its bytes is wrong", arguments: 0..<4)
    func wrongMAC(index: Int) throws {
        var bench = try OSDPBench.secure()
        var message = try bench.panel.command(0x60).dropLast(2) as [UInt8]
        message[8 + index] ^= 1
        bench.panel.session = nil
        let refused = try bench.exchange(OSDPFrame.closed(message))
        #expect(refused.reply == .refusal(6) && refused.actions == [.report(Self.closed)])
        // The refusal was in the clear, and so is what follows.
        #expect(try bench.exchange(bench.panel.clear(0x60)).reply == .acknowledgement)
    }

    @Test("Each changed byte of an encrypted command ends the channel")
    func changedBytes() throws {
        // From the code to the MAC; the bytes before are the frame's.
        for index in 7..<28 {
            var bench = try OSDPBench.secure()
            var message = try bench.panel.command(0x69, "0000020a0002001e000000000000".bytes)
            message[index] ^= 0x40
            bench.panel.session = nil
            let refused = try bench.exchange(OSDPFrame.closed(message.dropLast(2)))
            #expect(refused.reply == .refusal(6), "byte \(index)")
            #expect(refused.actions == [.report(Self.closed)])
        }
    }

    @Test("Encrypted data without its end mark, or of parts of a block, ends the channel")
    func padding() throws {
        let other = try OSDPBench.secure()
        let session = try #require(other.panel.session)
        // The decryption of this block has no end mark: it begins with the data and is full to its last byte.
        var cipher = try AES128(key: SecretBytes(copying: session.encryption[...]))
        let full = try cipher.encryptCBC(
            [UInt8](repeating: 7, count: 16)[...], initialVector: session.replyMAC.map { ~$0 }[...])
        for data in [full, full.dropLast()] {
            var bench = try OSDPBench.secure()
            let command = try bench.panel.secure(0x69, data, kind: 0x15)
            // The kind in the message says that the data is encrypted, with a MAC that covers it.
            let message = try Self.withKind(0x17, command, session)
            bench.panel.session = nil
            #expect(try bench.exchange(message).reply == .refusal(6))
            let isSecure = bench.peripheral.status.isSecure
            #expect(!isSecure)
        }
    }

    /// The message with another kind of its security block, and a MAC and CRC that fit.
    private static func withKind(
        _ kind: UInt8, _ message: [UInt8], _ session: OSDPPanel.Session
    ) throws -> [UInt8] {
        var bytes = [UInt8](message.dropLast(6))
        bytes[6] = kind
        let mac = try OSDPPanel.mac(bytes, from: session.replyMAC, session)
        return OSDPFrame.closed(bytes + mac.prefix(4))
    }

    @Test("A command in the clear ends the channel")
    func clearInTheChannel() throws {
        var bench = try OSDPBench.secure()
        bench.panel.session = nil
        let refused = try bench.exchange(0x60)
        #expect(refused.reply == .refusal(6) && refused.actions == [.report(Self.closed)])
    }

    @Test("A command of the channel before the handshake, and of an earlier channel, is refused")
    func oldChannel() throws {
        var bench = try OSDPBench.secure()
        let session = bench.panel.session
        bench.panel.restart()
        _ = try bench.exchange(0x61)
        bench.panel.session = session
        let command = try bench.panel.command(0x60)
        bench.panel.session = nil
        #expect(try bench.exchange(command).reply == .refusal(6))
    }

    @Test("A panel that stays in the clear for 8 s although there is a key makes the configuration wrong")
    func staysInClear() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x60)
        for _ in 0..<7 {
            bench.now += .seconds(1)
            #expect(try bench.exchange(0x60).actions == [])
        }
        bench.now += .seconds(1)
        #expect(
            try bench.exchange(0x60).actions
                == [.report(OSDPStatus(isOnline: true, isSecure: false, state: .misconfigured))])
        try bench.openChannel()
        #expect(bench.peripheral.status.state == .ready)
    }

    @Test(
        "If there is no random value, no channel opens, and nothing is said",
        arguments: [nil, 0, 7, 9] as [Int?])
    func withoutRandom(count: Int?) throws {
        var output = OSDPOutput()
        output.address = 5
        output.card = OSDPCard(bits: 26, facility: 77, number: 21)
        let key = try OSDPKey(fileContents: [UInt8](OSDPPanel.key.hex.utf8)[...])
        var peripheral = try OSDPPeripheral(
            output, valid: .seconds(5), isTrial: false, key: key,
            makeRandom: { count.map { [UInt8](repeating: 0, count: $0) } })
        var panel = OSDPPanel()
        #expect(peripheral.receive(panel.challenge()[...], at: .now) == [])
    }

    @Test("Each handshake has another random value")
    func freshRandom() throws {
        var output = OSDPOutput()
        output.address = 5
        output.card = OSDPCard(bits: 26, facility: 77, number: 21)
        let key = try OSDPKey(fileContents: [UInt8](OSDPPanel.key.hex.utf8)[...])
        var peripheral = try OSDPPeripheral(output, valid: .seconds(5), isTrial: false, key: key)
        var answers: Set<[UInt8]> = []
        for _ in 0..<10 {
            var panel = OSDPPanel()
            answers.formUnion(peripheral.receive(panel.challenge()[...], at: .now).compactMap(\.message))
        }
        #expect(answers.count == 10)
    }

    @Test(
        "Seeded random bytes and changed commands give no card and no end of an output but `unknown`",
        arguments: 1...8)
    func randomBytes(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var bench = try OSDPBench.claimed(.sample())
        let panel = bench.panel
        for _ in 0..<300 {
            var copy = panel
            let command = try copy.command(UInt8.random(in: 0x60...0x80, using: &random))
            var changed = random.mutate(command)
            // A change may leave a command as it was.
            if changed == command { changed.removeLast() }
            // Half of the changes are behind a right CRC.
            if changed.count > 2, Bool.random(using: &random) {
                changed = OSDPFrame.closed(changed.dropLast(2))
                if changed == command { continue }
            }
            for action in bench.receive(changed) {
                switch action {
                case .transmit(let message):
                    let frame = try OSDPFrame(message)
                    #expect(frame.code != 0x50)
                case .unknown(let output): #expect(output == .sample())
                case .report: break
                case .claim, .delivered, .refused, .light: Issue.record("\(action)")
                }
            }
        }
    }
}
