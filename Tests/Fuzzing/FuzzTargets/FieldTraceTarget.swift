internal import FieldTrace

/// A field trace: what is taken is written again byte by byte, so nothing is hidden in it, and its phone can be played.
@discardableResult
func fuzzFieldTrace(_ input: ArraySlice<UInt8>) -> Bool {
    let trace: FieldTrace
    do throws(FieldTraceError) {
        trace = try FieldTrace.parse(input)
    } catch {
        return false
    }
    let whole = input.lastIndex(of: UInt8(ascii: "\n")).map { input[...$0] } ?? []
    demand(trace.encode().elementsEqual(whole), "a trace is taken that nobody writes")
    guard let lines = try? trace.presentation(nil) else { return false }
    let phone = TracedPhone(lines)
    demand(phone.taps.allSatisfy { !$0.exchanges.isEmpty }, "a tap has no command")
    _ = phone.answerSize
    for tap in phone.taps {
        var script = TapScript(tap)
        for exchange in tap.exchanges {
            demand(script.next(exchange.command.word) == exchange, "a tap is replayed otherwise")
        }
    }
    return phone.end != nil
}
