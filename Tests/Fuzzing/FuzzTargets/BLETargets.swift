internal import MdocSession

/// Messages from characteristic values, whatever the values are.
func fuzzBLEMessage(_ input: ArraySlice<UInt8>) {
    var script = MessageScript(input)
    let limit = 1 << 12
    var assembly = BLEMessageAssembly(maximumLength: limit, fullValue: 20)
    var parts: [UInt8] = []
    do throws(BLEFault) {
        while !script.isSpent {
            let value = script.next()
            let message = try assembly.append(value)
            demand(value.first == 1 || value.first == 0, "a prefix that is none was taken")
            parts += value.dropFirst()
            demand(parts.count <= limit, "a message beyond the limit")
            demand((message != nil) == (value.first == 0), "a message ends with another prefix")
            demand(assembly.hasBegun == (message == nil), "a message that ended goes on")
            guard let message else { continue }
            demand(!message.isEmpty && message == parts, "a message is not its parts")
            checkFragments(of: message)
            parts = []
        }
    } catch {
        if case .messageTooLong(let announced, _) = error {
            demand(announced > limit, "a message within the limit was refused")
        }
    }
}

/// A message cut into values comes back from them.
private func checkFragments(of message: [UInt8]) {
    let limit = 2 + message.count % 600
    var assembly = BLEMessageAssembly(maximumLength: message.count, fullValue: min(limit, 512))
    guard let fragments = BLEFragments(message[...], valueLimit: limit) else {
        fatalError("a message cannot be cut")
    }
    var whole: [UInt8]?
    for (prefix, part) in fragments {
        demand(whole == nil && part.count < min(limit, 512), "a value beyond the limit")
        whole = try? assembly.append([prefix.rawValue] + part)
    }
    demand(whole == message && assembly.oddValues == 0, "a message cut is not put together again")
}

/// Messages behind lengths: cut anywhere, the same bytes give the same messages or the same error.
func fuzzL2CAPMessage(_ input: ArraySlice<UInt8>) {
    let bytes = input.dropFirst()
    let whole = l2CAPMessages(in: [bytes])
    let cut = 1 + Int(input.first ?? 0)
    let pieces = stride(from: bytes.startIndex, to: bytes.endIndex, by: cut).map {
        bytes[$0..<min($0 + cut, bytes.endIndex)]
    }
    let other = l2CAPMessages(in: pieces)
    demand(whole.messages == other.messages && whole.fault == other.fault, "chunks change the messages")
    let frames = whole.messages.compactMap { L2CAPFrame($0[...]) }.flatMap { $0.head + $0.message }
    demand(bytes.starts(with: frames), "messages written anew are others")
    demand(whole.fault != nil || bytes.count - frames.count < 4 + l2CAPLimit, "a message is lost")
}

private let l2CAPLimit = 1 << 12

private func l2CAPMessages(in chunks: [ArraySlice<UInt8>]) -> (messages: [[UInt8]], fault: BLEFault?) {
    var assembly = L2CAPMessageAssembly(maximumLength: l2CAPLimit)
    var messages: [[UInt8]] = []
    do throws(BLEFault) {
        for chunk in chunks {
            var rest = chunk
            while !rest.isEmpty {
                let count = rest.count
                if let message = try assembly.append(&rest) { messages.append(message) }
                demand(rest.count < count, "no progress")
            }
        }
        return (messages, nil)
    } catch {
        return (messages, error)
    }
}

/// The value of the L2CAP characteristic.
func fuzzL2CAPPSM(_ input: ArraySlice<UInt8>) {
    do throws(L2CAPPSMError) {
        let psm = try L2CAPPSM.parse(input)
        demand((0x80...0xff).contains(psm.value), "a PSM that is not dynamic")
        demand(input.count { $0 != 0 } == 1, "a PSM of more than one byte")
        demand((try? L2CAPPSM.parse(psm.encode()[...])) == psm, "a PSM written anew is another")
    } catch {
        if case .notDynamic(let number) = error {
            demand(L2CAPPSM(number) == nil, "a dynamic PSM was refused")
        } else {
            demand(input.count != 2 && input.count != 4, "a length was refused that is one")
        }
    }
}

/// The machine against a peer that sends anything. The script's values stand behind a byte that says what they are.
func fuzzBLETransfer(_ input: ArraySlice<UInt8>) {
    let choice = input.first ?? 0
    var script = MessageScript(input.dropFirst())
    var settings = BLETransferSettings()
    settings.maximumMessageSize = 1 << 12
    var now = ContinuousClock.Instant.now
    var transfer = BLETransfer(
        as: choice & 1 != 0 ? .holder : .reader,
        over: choice & 2 != 0 ? .l2CAP : .characteristics(valueLimit: Int(choice >> 2)), settings: settings,
        now: now)
    while !script.isSpent {
        let event = script.next()
        let action = transfer.perform(event, at: &now)
        switch action {
        case .deliver(let message, let began):
            demand((1...settings.maximumMessageSize).contains(message.count), "a message beyond the limits")
            demand(began <= now, "a message from the future")
        case .wait(let until?): demand(until >= now, "a wait that is over")
        case .wait(nil), .transmit, .signalState(.end): break
        case .signalState(.start): fatalError("a transfer starts by itself")
        case .end(let reason): return checkEnded(&transfer, reason, now)
        }
    }
}

/// An ended machine stays ended, with its reason, behind at most one termination message.
private func checkEnded(_ transfer: inout BLETransfer, _ reason: BLEEndReason, _ now: ContinuousClock.Instant)
{
    let again = [
        transfer.send([1], now: now), transfer.sent(now: now), transfer.expire(now: now),
        transfer.receive(.value([0, 1]), now: now),
    ]
    demand(again.allSatisfy { $0 == .end(reason) }, "an ended machine goes on")
    _ = transfer.end(now: now)
    demand(transfer.expire(now: now + .seconds(60)) == .end(reason), "a termination message without end")
    demand(transfer.end(now: now) == .end(reason), "a second termination message")
}

extension BLETransfer {
    /// What the first byte says to do with the others.
    fileprivate mutating func perform(
        _ event: ArraySlice<UInt8>, at now: inout ContinuousClock.Instant
    ) -> BLEAction {
        let content = event.dropFirst()
        switch event.first {
        case 1: return send(content, now: now)
        case 2: return sent(now: now)
        case 3: return receive(.state(content), now: now)
        case 4: return receive(.closed, now: now)
        case 5: return end(now: now)
        case 6:
            now += .seconds(Int(content.first ?? 0))
            return expire(now: now)
        default: return receive(.value(content), now: now)
        }
    }
}
