internal import COpenSSL

/// Secret bytes, such as a symmetric key, which are overwritten when their owner is destroyed.
///
/// The type is noncopyable, so the bytes exist once, and their lifetime is the owner's. It has no
/// description, so no log can show them, and no conformance to `Equatable` or `Codable`: compare with
/// `equals(_:)`, which takes constant time.
///
/// Functions borrow the bytes:
///
/// - `withUnsafeBytes` lends the memory itself, for calls of OpenSSL;
/// - `withUnprotectedBytes` lends a copy as an array, which is overwritten afterwards. Use it only for
///   functions that need an array.
///
/// The memory is not locked: the kernel may write it to swap space. A caller that keeps a copy is responsible
/// for that copy.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {  // its memory is written once
    private let storage: UnsafeMutableRawBufferPointer

    /// Allocates `count` zero bytes and lets `body` fill them. If `body` throws, the bytes are overwritten
    /// and released.
    package init<E: Error>(
        count: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        // `initializeMemory` returns a typed view, which is not needed.
        _ = unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        do throws(E) {
            try unsafe body(buffer)
        } catch {
            unsafe Self.discard(buffer)
            throw error
        }
        unsafe storage = buffer
    }

    /// Copies `bytes`. The original is not overwritten; the caller is responsible for overwriting it.
    package init(copying bytes: ArraySlice<UInt8>) {
        unsafe self.init(count: bytes.count) { target in unsafe target.copyBytes(from: bytes) }
    }

    deinit { unsafe Self.discard(storage) }

    private static func discard(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        unsafe buffer.deallocate()
    }

    /// The number of bytes.
    package var count: Int { unsafe storage.count }

    /// Calls `body` with the bytes, which `body` must not keep.
    package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }

    /// Compares the bytes in a time that does not depend on their contents. Returns `false` for another
    /// length.
    package borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        unsafe count == other.count
            && CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, count) == 0
    }

    /// Calls `body` with a copy of the bytes, which is overwritten afterwards. A copy that `body` keeps is
    /// not overwritten.
    package borrowing func withUnprotectedBytes<R: ~Copyable, E: Error>(
        _ body: (ArraySlice<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var bytes = unsafe withUnsafeBytes { unsafe [UInt8]($0) }
        defer { unsafe OPENSSL_cleanse(&bytes, bytes.count) }
        return try body(bytes[...])
    }
}
