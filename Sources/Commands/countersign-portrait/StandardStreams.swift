internal import Glibc

/// Whole inputs and outputs, by calls that the confinement allows.
enum StandardStreams {
    /// Everything up to the end of standard input.
    static func read(limit: Int) throws(RenderingError) -> [UInt8] {
        var input: [UInt8] = []
        while true {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, unsafe Glibc.read(0, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return input }
            guard input.count + piece.count <= limit else { throw .tooLong }
            input += piece
        }
    }

    static func write(_ output: ArraySlice<UInt8>) throws(RenderingError) {
        var rest = output
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .streamBroken }
            rest = rest.dropFirst(written)
        }
    }
}
