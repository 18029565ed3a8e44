internal import COpenSSL

/// Bytes that are overwritten when their only owner goes. They have no description, no copy and no coding.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {  // its memory is written once
    private let storage: UnsafeMutableRawBufferPointer

    /// `count` bytes that `body` fills; they start out as zero.
    package init<E: Error>(
        count: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        _ = unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        do throws(E) {
            try unsafe body(buffer)
        } catch {
            unsafe Self.discard(buffer)
            throw error
        }
        unsafe storage = buffer
    }

    /// A copy of `bytes`; whoever holds the original answers for it.
    package init(copying bytes: ArraySlice<UInt8>) {
        unsafe self.init(count: bytes.count) { target in unsafe target.copyBytes(from: bytes) }
    }

    deinit { unsafe Self.discard(storage) }

    private static func discard(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        unsafe buffer.deallocate()
    }

    /// How many bytes there are.
    package var count: Int { unsafe storage.count }

    /// Lends the bytes to `body`, which must not keep them.
    package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }

    /// Compares in a time that does not depend on the contents; false for another length.
    package borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        unsafe count == other.count
            && CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, count) == 0
    }

    /// Lends the bytes as an array that is overwritten afterwards, unless `body` kept a copy.
    package borrowing func withUnprotectedBytes<R: ~Copyable, E: Error>(
        _ body: (ArraySlice<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var bytes = unsafe withUnsafeBytes { unsafe [UInt8]($0) }
        defer { unsafe OPENSSL_cleanse(&bytes, bytes.count) }
        return try body(bytes[...])
    }
}
