internal import FuzzTargets
internal import Glibc

/// The target that `COUNTERSIGN_FUZZ_TARGET` names. libFuzzer owns `main` and the arguments.
private let target: FuzzTarget = {
    let name = unsafe getenv("COUNTERSIGN_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
        fatalError("COUNTERSIGN_FUZZ_TARGET has to be one of: \(names)")
    }
    return target
}()

/// What libFuzzer calls. The input does not start at index 0, so that an index is not taken for an offset.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe [0xff, 0xff, 0xff] + UnsafeBufferPointer(start: bytes, count: count)
    target.run(input[3...])
    return 0
}
