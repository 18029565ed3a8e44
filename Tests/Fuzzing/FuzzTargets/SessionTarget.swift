internal import CBOR
internal import COSE
internal import MdocModel
internal import MdocSession

/// SessionData and SessionEstablishment, each given to the side that expects it, in the world's one session.
func fuzzSessionData(_ input: ArraySlice<UInt8>) {
    checkData(input)
    checkEstablishment(input)
    let world = FuzzWorld.standard
    do throws(SessionError) {
        try receiveAsReader(input, world)
        var holder = world.holderSession()
        _ = try? holder.receive(input)
    } catch {
        fatalError("the world's session cannot be made")
    }
}

private func checkData(_ input: ArraySlice<UInt8>) {
    guard let message = try? SessionData(input) else { return }
    demand(message.data != nil || message.status != nil, "a message of nothing")
    let written = SessionData.encode(data: message.data.map { Array($0) }, status: message.status)
    let again = try? SessionData(written[...])
    demand(
        again?.data.map { Array($0) } == message.data.map { Array($0) } && again?.status == message.status,
        "a message written anew is another")
}

private func checkEstablishment(_ input: ArraySlice<UInt8>) {
    guard let message = try? SessionEstablishment(input) else { return }
    let written = SessionEstablishment.encode(eReaderKey: message.eReaderKeyBytes, data: Array(message.data))
    let again = try? SessionEstablishment(written[...])
    demand(
        again?.data.elementsEqual(message.data) == true
            && again?.eReaderKeyBytes.bytes.elementsEqual(message.eReaderKeyBytes.bytes) == true,
        "a message written anew is another")
    _ = try? message.eReaderKey().publicKey()
}

/// What the reader decrypts is what the phone encrypted; whatever fails ends the session.
private func receiveAsReader(_ input: ArraySlice<UInt8>, _ world: FuzzWorld) throws(SessionError) {
    let now = ContinuousClock.Instant.now
    var session = try world.readerSession()
    _ = try session.send([0xa0], now: now)
    switch session.receive(input, now: now) {
    case .deliver(let response, isEnded: false):
        demand(response == FuzzWorld.plaintext, "a forged message is delivered")
        return
    case .deliver(let response, isEnded: true):
        demand(response == FuzzWorld.plaintext, "a forged message is delivered")
    case .end: break
    case .transmit: fatalError("a session answers by itself")
    }
    guard case .end = session.receive(input, now: now) else { fatalError("an ended session goes on") }
}
