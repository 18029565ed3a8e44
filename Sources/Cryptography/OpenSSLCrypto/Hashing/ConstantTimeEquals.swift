internal import COpenSSL

/// Compares two byte strings in a time that does not depend on their contents. Returns `false` for different
/// lengths.
package func constantTimeEquals(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    unsafe a.withUnsafeBytes { left in
        unsafe b.withUnsafeBytes { right in unsafe constantTimeEquals(left, right) }
    }
}

func constantTimeEquals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    // Only an empty buffer has no address. Both buffers have the same length, so both are empty and equal.
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return unsafe CRYPTO_memcmp(left, right, a.count) == 0
}
