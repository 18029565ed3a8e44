import CBOR
import COSE
import MdocModel
import NDEF
import OpenSSLCrypto
import Testing
import VectorFiles

@testable import MdocSession

@Suite("NFC v2: the published exchanges, byte by byte in both roles")
struct NFCVersion2PublishedTests {
    typealias Vector = NFCVersion2Vectors.Vector

    // MARK: Reader

    @Test("The reader's commands, but for the Le of the messages", arguments: ["nfcOnly.dialectE"])
    func dialectE(name: String) throws {
        let steps = try #require(try NFCVersion2Vectors.named(name).apdus)
        var tap = NFCVersion2Tap()
        let engaged = try #require(tap.run(answers: [steps[1].apdu, steps[3].apdu]).engaged)
        #expect(tap.commands.map(\.hex) == [steps[0].apdu, steps[2].apdu])
        #expect(engaged.choice == .nfc)
        #expect(engaged.engagement.capabilities.takesReaderAuthAll)
        var transfer = engaged.transfer
        // The trace has another Le here; ours stays that of the handover.
        guard case .transmit(let command) = transfer.send("a16464617461430102 03".bytes[...], now: tap.now)
        else {
            Issue.record("no command")
            return
        }
        #expect(command.dropLast(2).hex == steps[4].apdu.dropLast(4))
        let delivery = transfer.receive(steps[5].apdu.bytes[...], now: tap.now)
        #expect(delivery == .deliver(.message("a164646174614401020304".bytes)))
    }

    @Test(
        "A whole transaction with fixed keys: commands, transcript, keys and messages",
        arguments: ["nfcOnly.session", "nfcOnly.session.shortAPDU", "nfcOnly.secondTap"])
    func reader(name: String) throws {
        let vector = try NFCVersion2Vectors.named(name)
        let whole = try NFCVersion2Vectors.named("nfcOnly.session")
        let keys = vector.eReaderKey_d == nil ? whole : vector
        let steps = try #require(vector.apdus)
        var tap = NFCVersion2Tap(name.hasSuffix("shortAPDU") ? .short : NFCSamples.extended)
        let engaged = try #require(tap.run(answers: [steps[1].apdu, steps[3].apdu]).engaged)
        var session = try ReaderSession(
            engagement: engaged.engagement, handover: engaged.handover,
            eReaderKey: keys.key(keys.eReaderKey_d))
        let salt = Digest(.sha256, ofParts: session.transcript.bytesParts).bytes
        #expect(salt.hex == (vector.hkdfSalt ?? whole.hkdfSalt))
        if let bytes = vector.sessionTranscriptBytes {
            #expect(session.transcript.bytesParts.flatMap { $0 }.hex == bytes)
        }
        let request = try #require(whole.deviceRequest).bytes
        var messages = [try session.transmit(request, now: tap.now).message]
        if let expected = vector.sessionEstablishment { #expect(messages[0].hex == expected) }
        var (transfer, commands) = (engaged.transfer, tap.commands)
        var answers = steps.dropFirst(4).filter { !$0.isCommand }[...]
        var response: [UInt8]?
        while let message = messages.popLast() {
            var action = transfer.send(message[...], now: tap.now)
            while case .transmit(let command) = action {
                commands.append(command)
                guard let answer = answers.popFirst() else { break }
                action = transfer.receive(answer.apdu.bytes[...], now: tap.now)
            }
            guard case .deliver(.message(let answer)) = action, response == nil else { continue }
            response = session.receive(answer[...], now: tap.now).delivered
            guard name == "nfcOnly.session", case .end(_, let last?) = session.terminate() else {
                continue
            }
            #expect(last.hex == whole.sessionEnd)
            messages.append(last)
        }
        #expect(commands.map(\.hex) == steps.filter(\.isCommand).map(\.apdu))
        #expect(response == whole.deviceResponse?.bytes)
        #expect(session.sequenceNotes == [])
    }

    @Test("Q52 An answer in parts, with SW2 by the rule and with that of multipaz", arguments: [false, true])
    func responseChaining(isMultipaz: Bool) throws {
        let vector = try NFCVersion2Vectors.named("handover.responseChaining")
        let steps = try #require(isMultipaz ? vector.apdusMultipaz : vector.apdusByRule)
        let limits = NFCReaderLimits(maximumCommandData: 255, maximumResponseData: 64, extendedLength: false)
        var tap = NFCVersion2Tap(limits)
        let engaged = try #require(
            tap.run(answers: ["a1001a000100009000", steps[1].apdu, steps[3].apdu]).engaged)
        #expect(tap.commands.dropFirst().map(\.hex) == [steps[0].apdu, steps[2].apdu])
        guard case .nfcVersion2(let select, _) = engaged.handover else {
            Issue.record("another handover")
            return
        }
        #expect(select.hex == (try NFCVersion2Vectors.named("nfcOnly.dialectE").handoverSelect))
    }

    @Test(
        "Which UUID of Bluetooth is used, and the transcript over the bytes as they came",
        arguments: [
            "hybrid.central", "hybrid.central.noUUID", "hybrid.peripheral.noUUID", "hybrid.bothModes.noUUID",
            "hybrid.peripheral.ownUUID",
        ])
    func hybrid(name: String) throws {
        let vector = try NFCVersion2Vectors.named(name)
        let request = try #require(vector.handoverRequest).bytes
        let select = try #require(vector.handoverSelect).bytes
        let offered = try NFCVersion2Handover.methods(inRequest: request[...])
        #expect(NFCVersion2Handover.request(offering: offered) == request)
        let (engagement, methods) = try NFCVersion2Handover.engagement(inSelect: select[...])
        guard case .bluetoothLE(let choice) = try NFCVersion2Choice.settled(methods, offered: offered) else {
            Issue.record("another method")
            return
        }
        let uses = try #require(vector.readerUses)
        let central = uses.first { $0.mode == "mdoc central client" }
        let peripheral = uses.first { $0.mode == "mdoc peripheral server" }
        #expect(choice.centralClient?.bytes.hex == central?.uuid)
        #expect(choice.peripheralServer?.bytes.hex == peripheral?.uuid)
        #expect(choice.psm == peripheral?.psm)
        let transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: try SessionPair.anyKey(),
            handover: .nfcVersion2(select: select, request: request))
        #expect(Array(transcript.encoded).suffix(request.count) == request[...])
    }

    @Test("Our offer names NFC v2 and, with a radio, both modes of Bluetooth in one entry")
    func offer() throws {
        let uuid = try #require(NFCSamples.uuid)
        let methods = NFCVersion2Offer(serviceUUID: uuid).methods
        #expect(
            NFCVersion2Handover.request(offering: methods).hex
                == "a100a10282830501a0830201a400f501f50a50\(uuid.bytes.hex)0b50\(uuid.bytes.hex)")
        #expect(
            NFCVersion2Handover.request(offering: NFCVersion2Offer(serviceUUID: nil).methods).hex
                == "a100a10281830501a0")
    }

    @Test("The offer of another reader, with classic NFC too")
    func threeMethods() throws {
        let request = try #require(try NFCVersion2Vectors.named("request.threeMethods").handoverRequest).bytes
        #expect(request.count == 70)
        let methods = try NFCVersion2Handover.methods(inRequest: request[...])
        #expect(methods.map(\.type) == [5, 2, 1])
        #expect(NFCVersion2Handover.request(offering: methods) == request)
    }

    // MARK: Phone

    @Test(
        "The phone's answers with fixed keys", arguments: ["nfcOnly.session", "nfcOnly.session.shortAPDU"])
    func phone(name: String) throws {
        let vector = try NFCVersion2Vectors.named("nfcOnly.session")
        let steps = try #require(try NFCVersion2Vectors.named(name).apdus)
        let engagement = try #require(vector.deviceEngagement).bytes
        var version2 = NFCVersion2Behaviour()
        version2.refusesSelectLength = true
        var holder = NFCVersion2Holder(NFCHolderBehaviour(), version2) { methods in
            methods == [.nfcVersion2] ? engagement : []
        }
        var session: HolderSession?
        var answers: [[UInt8]] = []
        for step in steps where step.isCommand {
            switch holder.answer(step.apdu.bytes[...]) {
            case .respond(let answer): answers.append(answer)
            case .engaged(let answer, let handover):
                answers.append(answer)
                session = HolderSession(
                    deviceEngagement: handover.deviceEngagement,
                    handover: .nfcVersion2(select: handover.select, request: handover.request),
                    eDeviceKey: try vector.key(vector.eDeviceKey_d))
            case .message(let message):
                let reply = try Self.reply(to: message, &session, vector)
                answers.append(holder.reply(reply[...]))
            }
        }
        #expect(answers.map(\.hex) == steps.filter { !$0.isCommand }.map(\.apdu))
    }

    private static func reply(
        to message: [UInt8], _ session: inout HolderSession?, _ vector: Vector
    ) throws -> [UInt8] {
        switch try session?.receive(message[...]) {
        case .request(let request)?:
            #expect(request.hex == vector.deviceRequest)
            let response = try #require(vector.deviceResponse).bytes
            return try session?.seal(response[...]) ?? []
        case .status(let status)?:
            #expect(status == .termination)
            return []
        case nil: return []
        }
    }

    @Test("A phone of dialect D refuses our offer, and the reader names it")
    func olderDraft() throws {
        var version2 = NFCVersion2Behaviour()
        version2.fault = .speaksOlderDraft
        var holder = NFCVersion2Holder(NFCHolderBehaviour(), version2) { _ in [] }
        var tap = NFCVersion2Tap()
        let outcome = tap.run { command in
            if case .respond(let answer) = holder.answer(command) { answer } else { nil }
        }
        #expect(outcome.reason == NFCEndReason(.handoverVersion2, .olderVersion2))
        #expect(tap.commands.count == 2)
    }

    @Test(
        "The answers of phones of older drafts are read", arguments: ["nfcOnly.dialectC", "nfcOnly.dialectD"])
    func olderAnswers(name: String) throws {
        let steps = try #require(try NFCVersion2Vectors.named(name).apdus)
        var tap = NFCVersion2Tap()
        let engaged = try #require(tap.run(answers: [steps[1].apdu, steps[3].apdu]).engaged)
        #expect(engaged.choice == .nfc)
    }
}

extension SessionPair {
    /// The public half of some key of a reader.
    static func anyKey() throws -> EncodedCBOR<COSEKey> {
        COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes
    }
}
