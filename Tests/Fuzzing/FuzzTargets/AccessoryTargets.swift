internal import Accessories

/// The machine that finds codes in the bytes of a serial scanner. The first byte of the input chooses the prefix
/// and the maker; the rest are the scanner's bytes.
///
/// One machine receives the bytes at once, a second machine receives them one by one. Both must find the same
/// codes.
func fuzzScanFraming(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let makers = ScannerMaker.allCases
    let maker = Int(choice & 0x7f) < makers.count ? makers[Int(choice & 0x7f)] : nil
    let prefix = choice & 0x80 == 0 ? nil : "S1"
    let bytes = input.dropFirst()
    var atOnce = ScanFraming(prefix: prefix, maker: maker)
    var inPieces = atOnce
    var codes = atOnce.receive(bytes, at: .zero)
    codes += atOnce.expire(at: ScanFraming.silence)
    var others: [ScannedBytes] = []
    for index in bytes.indices { others += inPieces.receive(bytes[index...index], at: .zero) }
    others += inPieces.expire(at: ScanFraming.silence)
    demand(codes == others, "the codes depend on the pieces in which their bytes came")
    demand(atOnce.deadline == nil && inPieces.deadline == nil, "a code outlives a silence")
    for code in codes { check(code) }
    check(ScannedCode(bytes))
}

/// The report descriptor of a HID device, and reports of this device. The first two bytes of the input are the
/// length of the descriptor. Before each report a byte has its length.
func fuzzHIDDescriptor(_ input: ArraySlice<UInt8>) {
    let bytes = Array(input)
    guard bytes.count >= 2 else { return }
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    guard let descriptor = try? HIDReportDescriptor(bytes.dropFirst(2).prefix(length)) else { return }
    demand(descriptor.inputFields.count <= HIDReportDescriptor.maximumFields, "more fields than the limit")
    for field in descriptor.inputFields {
        demand(field.bitOffset >= 0 && field.bitSize > 0 && field.count > 0, "a field without a place")
        demand(field.endOffset <= 8 * HIDReportDescriptor.maximumReportLength, "a field outside the report")
    }
    guard var report = HIDPOSReport(descriptor) else { return }
    var rest = bytes.dropFirst(2 + length)
    var now = Duration.zero
    while let size = rest.popFirst() {
        if let code = report.receive(rest.prefix(Int(size)), at: now) { check(code) }
        rest = rest.dropFirst(Int(size))
        now += .milliseconds(10)
    }
}

/// The bytes of an OSDP line, for a peripheral with a key and for one without.
///
/// No output is due. Whatever the panel sends, the peripheral must ask for no claim and end no output.
func fuzzOSDPLine(_ input: ArraySlice<UInt8>) {
    var output = OSDPOutput()
    output.address = 5
    output.card = OSDPCard(bits: 26, facility: 77, number: 21)
    do throws(OSDPFault) {
        let text = Array("6f1c2a93d47be05588a1c3e9f0127d46".utf8)
        let key = try OSDPKey(fileContents: text[...])
        var keyed = try OSDPPeripheral(
            output, valid: .seconds(5), isTrial: false, key: key, makeRandom: { Array(0xa0...0xa7) })
        feed(input, to: &keyed)
        var open = try OSDPPeripheral(output, valid: .seconds(5), isTrial: false, key: nil)
        feed(input, to: &open)
    } catch {
        fatalError("the fuzz target has no peripheral: \(error)")
    }
}

/// Passes bytes to a peripheral, one at a time, and then all of them once more.
private func feed(_ input: ArraySlice<UInt8>, to peripheral: inout OSDPPeripheral) {
    var now = ContinuousClock.now
    for index in input.indices {
        check(peripheral.receive(input[index...index], at: now))
        now += .milliseconds(1)
    }
    check(peripheral.receive(input, at: now))
    check(peripheral.expire(at: now + .seconds(9)))
    demand(!peripheral.status.isOnline && !peripheral.status.isSecure, "a silent panel keeps its channel")
}

private func check(_ actions: [OSDPPeripheral.Action]) {
    for action in actions {
        switch action {
        case .transmit(let message):
            demand((8...1440).contains(message.count), "a message outside the limits")
            demand(message[0] == 0x53 && message[1] == 0x85, "a message that is no reply of this peripheral")
            demand(Int(message[2]) | Int(message[3]) << 8 == message.count, "a message with another length")
        case .report, .light: break
        case .claim, .delivered, .unknown, .refused: fatalError("an action for an output that is not due")
        }
    }
}

private func check(_ scanned: ScannedBytes) {
    check(ScannedCode(scanned))
    if case .code(let bytes, symbology: _) = scanned {
        demand((1...ScannedBytes.maximumLength).contains(bytes.count), "a code outside the limits")
        check(ScannedCode(bytes[...], isTyped: true))
    }
}

private func check(_ code: ScannedCode) {
    if case .engagement(let engagement) = code {
        let text = engagement.uri()
        demand(text.hasPrefix("mdoc:") && !text.hasPrefix("mdoc:/"), "an engagement without its scheme")
        demand(ScannedCode(Array(text.utf8)[...]) == code, "an engagement that is read again is another")
        demand(!"\(engagement)".contains(text), "a scanned text can be printed")
    }
}
