import CBOR
import ISO7816
import MdocModel
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("NFC v2: what is no NFC v2, limits and faults")
struct NFCVersion2FaultTests {
    private static let select = "00a4040007a0000002480401"
    private static let limit = "a1001a000100009000"

    // MARK: SELECT

    @Test("Each status of the table costs one command, and leaves classic handover open")
    func fallback() throws {
        for row in try #require(try NFCVersion2Vectors.named("fallback").cases) {
            let status = try #require(row.selectAnswer)
            var tap = NFCVersion2Tap()
            switch status {
            case "6700", "6c07":
                let length = status == "6700" ? "00" : "07"
                guard case .absent = tap.run(answers: [status, status]) else {
                    Issue.record("\(status)")
                    continue
                }
                #expect(tap.commands.map(\.hex) == [Self.select, Self.select + length])
            case "6107":
                let handover = try NFCVersion2Vectors.named("nfcOnly.session").apdus?[3].apdu ?? ""
                #expect(tap.run(answers: [status, Self.limit, handover]).engaged != nil)
                #expect(tap.commands.prefix(2).map(\.hex) == [Self.select, "00c0000007"])
            default:
                guard case .absent(let reason) = tap.run(answers: [status]) else {
                    Issue.record("\(status)")
                    continue
                }
                #expect(reason.phase == .selectVersion2)
                #expect(tap.commands.map(\.hex) == [Self.select])
            }
        }
    }

    @Test("After a repeated SELECT the answer is that of NFC v2", arguments: ["6700", "6c07"])
    func repeatedSelect(status: String) throws {
        var tap = NFCVersion2Tap()
        let handover = try NFCVersion2Vectors.named("nfcOnly.session").apdus?[3].apdu ?? ""
        #expect(tap.run(answers: [status, Self.limit, handover]).engaged != nil)
    }

    @Test(
        "An answer to SELECT without a limit is not an answer of NFC v2",
        arguments: ["9000", "a09000", "a100009000", "a1001a00010000009000", "00", "a10061319000"])
    func noLimit(answer: String) throws {
        var tap = NFCVersion2Tap()
        let outcome = tap.run(answers: [answer])
        // One byte is an answer without a status word.
        let fault: NFCFault = answer == "00" ? .cardLost : .noCommandLimit
        #expect(outcome.reason == NFCEndReason(.selectVersion2, fault))
    }

    @Test(
        "A limit that is usable, with unknown keys or too large",
        arguments: [
            ("a3001a0001000001617820f69000", 65_536), ("a1001b00000001000000009000", 65_536),
            ("a10018ff9000", 255),
        ])
    func limits(answer: String, limit: Int) throws {
        #expect(NFCVersion2Handover.commandLimit(answer.bytes.dropLast(2)) == limit)
    }

    @Test("With a limit of 255 no command has more than 249 bytes of data, and no Le is above 255")
    func smallLimit() throws {
        let handover = try NFCVersion2Vectors.named("nfcOnly.session").apdus?[3].apdu ?? ""
        var tap = NFCVersion2Tap()
        let engaged = try #require(tap.run(answers: ["a10018ff9000", handover]).engaged)
        var transfer = engaged.transfer
        var commands = [tap.commands[1]]
        var action = transfer.send([UInt8](repeating: 1, count: 1000)[...], now: tap.now)
        while case .transmit(let bytes) = action, commands.count < 20 {
            commands.append(bytes)
            action = transfer.receive([0x90, 0x00], now: tap.now)
        }
        let parsed = try commands.map { try CommandAPDU.parse($0[...]) }
        #expect(parsed.allSatisfy { $0.data.count <= 249 })
        #expect(parsed.allSatisfy { $0.expectedLength.map { $0.maximum <= 255 } ?? true })
        #expect(parsed.count { $0.expectedLength != nil } == 2)
        #expect(parsed.dropFirst().count == 5)
    }

    @Test("A phone that does not answer ends the engagement: 2 s for SELECT, 10 s for the handover")
    func silence() throws {
        var tap = NFCVersion2Tap()
        let begin = tap.now
        #expect(tap.run { _ in nil }.reason == NFCEndReason(.selectVersion2, .deadlinePassed))
        #expect(tap.now - begin < .milliseconds(2100))
        tap = NFCVersion2Tap()
        let second = tap.now
        var answers = [Self.limit]
        let outcome = tap.run { _ in answers.popLast()?.bytes }
        #expect(outcome.reason == NFCEndReason(.handoverVersion2, .deadlinePassed))
        #expect(tap.now - second < .milliseconds(10_100))
    }

    @Test("A phone that leaves is named with the step that it left in", arguments: [0, 1])
    func lost(after count: Int) throws {
        var tap = NFCVersion2Tap()
        let outcome = tap.run(answers: [String](repeating: Self.limit, count: count) + [""])
        #expect(outcome.reason == NFCEndReason(count == 0 ? .selectVersion2 : .handoverVersion2, .cardLost))
    }

    // MARK: Handover

    @Test("Each answer to the handover request that is not one ends by name, with nothing sent after it")
    func handoverAnswers() throws {
        let expected: [String: NFCFault] = [
            "handover.twoMethods": .version2Methods(count: 2),
            "handover.noMethods": .version2Methods(count: 0),
            "handover.notOffered": .version2MethodNotOffered,
            "handover.unknownMajor": .version2Malformed(.unsupportedVersion(.deviceEngagement)),
            "handover.empty": .walletEnded, "handover.longerDO": .dataObjectIncomplete(missing: 1),
            "handover.surplus": .surplusBytes,
        ]
        let accepted: Set = ["handover.v10NoCaps", "handover.capsFalse", "handover.dialectD"]
        var seen: Set<String> = []
        for row in try #require(try NFCVersion2Vectors.named("answers").cases) {
            let name = try #require(row.name)
            guard name.hasPrefix("handover.") else { continue }
            var tap = NFCVersion2Tap(serviceUUID: name == "handover.twoMethods" ? NFCSamples.uuid : nil)
            let outcome = tap.run(answers: [Self.limit, try #require(row.apdu)])
            #expect(tap.commands.count == 2, "\(name)")
            seen.insert(name)
            if accepted.contains(name) {
                #expect(
                    outcome.engaged?.engagement.capabilities.takesReaderAuthAll
                        == (name == "handover.dialectD"))
            } else {
                #expect(
                    outcome.reason == expected[name].map { NFCEndReason(.handoverVersion2, $0) }, "\(name)")
            }
        }
        #expect(seen == accepted.union(expected.keys))
    }

    @Test(
        "A handover longer than an NDEF message may be is refused where it is announced, and a shorter one is read"
    )
    func longHandover() throws {
        for (length, isRefused) in [(0x7ffe, true), (0x7ffd, false)] {
            var tap = NFCVersion2Tap()
            let header: [UInt8] = [0x53, 0x82, UInt8(length >> 8), UInt8(length & 0xff)]
            let outcome = tap.run(answers: [Self.limit, (header + [0xa1, 0x61, 0x00]).hex])
            let fault = NFCFault.messageTooLong(announced: length, limit: 0x7ffd)
            #expect((outcome.reason == NFCEndReason(.handoverVersion2, fault)) == isRefused)
        }
    }

    @Test("A status in place of the handover is named", arguments: ["6f00", "6a80", "6985", "6d00"])
    func handoverStatus(status: String) throws {
        var tap = NFCVersion2Tap()
        let fault: NFCFault =
            status == "6f00" ? .olderVersion2 : .status(try ResponseAPDU.parse(status.bytes[...]).status)
        #expect(
            tap.run(answers: [Self.limit, status]).reason == NFCEndReason(.handoverVersion2, fault))
    }

    @Test(
        "The phone's faults in the handover",
        arguments: [
            (NFCVersion2Behaviour.Fault.noMethod, NFCFault.version2Methods(count: 0)),
            (.twoMethods, .version2Methods(count: 2)), (.unofferedMethod, .version2MethodNotOffered),
            (.endsHandover, .walletEnded),
        ])
    func phoneFaults(fault: NFCVersion2Behaviour.Fault, named: NFCFault) throws {
        var version2 = NFCVersion2Behaviour()
        version2.fault = fault
        let key = try SessionPair.anyKey().bytes
        var holder = NFCVersion2Holder(NFCHolderBehaviour(), version2) { methods in
            let entries = methods.map { NFCVersion2Handover.entry($0) }
            return "a300 63312e31 01 8201".bytes + key + [0x02, 0x80 + UInt8(entries.count)]
                + entries.joined()
        }
        var tap = NFCVersion2Tap()
        let outcome = tap.run { command in
            switch holder.answer(command) {
            case .respond(let answer), .engaged(let answer, _): answer
            case .message: nil
            }
        }
        #expect(outcome.reason == NFCEndReason(.handoverVersion2, named))
    }

    @Test("A machine that is done gives the same answer again, and none begins twice")
    func outOfTurn() {
        var reader = NFCVersion2EngagementReader(limits: .short, offer: NFCVersion2Offer(serviceUUID: nil))
        let now = ContinuousClock.now
        guard case .end(let early) = reader.receive([0x90, 0], now: now) else {
            Issue.record("an answer before the start")
            return
        }
        #expect(early == NFCEndReason(.selectVersion2, .outOfTurn))
        guard case .end(early) = reader.start(now: now) else {
            Issue.record("it starts after its end")
            return
        }
    }
}

@Suite("NFC v2: the numbers of messages")
struct SequenceNumberTests {
    private static let handover = Handover.nfcVersion2(select: [1], request: [2])
    private let now = SessionPair.start

    @Test("Messages of an NFC v2 session have numbers from 0 in each direction, those of others none")
    func numbers() throws {
        for handover in [Self.handover, .nfc(select: [1], request: [2]), .qr] {
            let numbered = handover.numbersMessages
            var pair = try SessionPair(handover: handover)
            let first = try pair.reader.transmit([1]).message
            #expect(try SessionEstablishment(first[...], numbered: true).sequence == (numbered ? 0 : nil))
            _ = try pair.holder.receive(first[...])
            let answer = try pair.holder.seal([2])
            #expect(try SessionData(answer[...], numbered: true).sequence == (numbered ? 0 : nil))
            #expect(pair.reader.receive(answer[...], now: now).delivered == [2])
            let second = try pair.reader.transmit([3]).message
            #expect(try SessionData(second[...], numbered: true).sequence == (numbered ? 1 : nil))
            guard case .end(_, let last?) = pair.reader.terminate() else {
                throw SessionError.unexpectedMessage
            }
            #expect(try SessionData(last[...], numbered: true).sequence == (numbered ? 2 : nil))
            #expect(pair.reader.sequenceNotes == [])
        }
    }

    @Test(
        "A number that is missing, or another, is a note",
        arguments: [(nil, SequenceNote.missing(expected: 0)), (7, .other(7, expected: 0))]
            as [(UInt64?, SequenceNote)])
    func notes(number: UInt64?, note: SequenceNote) throws {
        var pair = try SessionPair(handover: Self.handover)
        _ = try pair.request([1])
        let sealed = try pair.holder.seal([2])
        let data = try #require(try SessionData(sealed[...]).data)
        let answer = SessionData.encode(data: Array(data), status: nil, sequence: number)
        #expect(pair.reader.receive(answer[...], now: now).delivered == [2])
        #expect(pair.reader.sequenceNotes == [note])
    }

    @Test("A number that came before is a note")
    func repeated() throws {
        var pair = try SessionPair(handover: Self.handover)
        _ = try pair.request([1])
        #expect(pair.reader.receive(try pair.holder.seal([2])[...], now: now).delivered == [2])
        _ = try pair.request([1])
        let data = try #require(try SessionData(try pair.holder.seal([3])[...]).data)
        let answer = SessionData.encode(data: Array(data), status: nil, sequence: 0)
        #expect(pair.reader.receive(answer[...], now: now).delivered == [3])
        #expect(pair.reader.sequenceNotes == [.other(0, expected: 1)])
    }

    @Test(
        "A text for a number is malformed; in a classic session it is an unknown member",
        arguments: [true, false])
    func text(numbered: Bool) throws {
        var pair = try SessionPair(handover: numbered ? Self.handover : .qr)
        _ = try pair.request([1])
        let data = try #require(try SessionData(try pair.holder.seal([2])[...]).data)
        let answer = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.text("data")
            encoder.byteString(data)
            encoder.text("seq")
            encoder.text("0")
        }
        let action = pair.reader.receive(answer[...], now: now)
        #expect(numbered ? try action.terminationStatus == 11 : action.delivered == [2])
    }
}
