import Glibc
import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Secret bytes")
struct SecretBytesTests {
    private static let size = 500
    /// A free block holds the allocator's own links, which may have any value; in bytes.
    private static let links = 32

    @Test("A secret's memory holds it no longer when the secret has gone")
    func memoryIsOverwritten() throws {
        let left = try Self.bytesLeft { Self.addressOfDroppedSecret(of: 0xa5) }
        #expect(left.count { $0 == 0xa5 } <= Self.links)
    }

    @Test("A secret that could not be filled is overwritten as well")
    func failureOverwrites() throws {
        struct Refusal: Error {}
        let left = try Self.bytesLeft {
            var address: UInt = 0
            #expect(throws: Refusal.self) {
                _ = try unsafe SecretBytes(count: Self.size) { target in
                    unsafe target.initializeMemory(as: UInt8.self, repeating: 0x5a)
                    address = UInt(bitPattern: target.baseAddress)
                    throw Refusal()
                }
            }
            return address
        }
        #expect(left.count { $0 == 0x5a } <= Self.links)
    }

    @Test("A secret's memory holds it as long as the secret is there")
    func heldSecretIsThere() throws {
        let secret = SecretBytes(copying: [UInt8](repeating: 0xc3, count: Self.size)[...])
        let there = try Self.bytesLeft { Self.address(of: secret) }
        #expect(there.allSatisfy { $0 == 0xc3 })
        withExtendedLifetime(secret) {}
    }

    @Test("Equal secrets are equal, and one bit or byte off is not")
    func equality() {
        let secret = SecretBytes(copying: [1, 2, 3])
        let (same, other, longer) = (
            secret.equals(SecretBytes(copying: [1, 2, 3])), secret.equals(SecretBytes(copying: [1, 2, 2])),
            secret.equals(SecretBytes(copying: [1, 2, 3, 0]))
        )
        #expect(same)
        #expect(!other)
        #expect(!longer)
        let empty = SecretBytes(copying: []).equals(SecretBytes(copying: []))
        #expect(empty)
    }

    private static func addressOfDroppedSecret(of byte: UInt8) -> UInt {
        address(of: SecretBytes(copying: [UInt8](repeating: byte, count: size)[...]))
    }

    private static func address(of secret: borrowing SecretBytes) -> UInt {
        unsafe secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    /// What stands at the address that `body` returns. The process's memory is read as a file, and into a buffer that
    /// was there before: memory given back may not be read in the language, and another allocation could overwrite it.
    private static func bytesLeft(by body: () -> UInt) throws -> [UInt8] {
        let memory = unsafe open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        var bytes = [UInt8](repeating: 0, count: size)
        let got = unsafe pread(memory, &bytes, size, off_t(body()))
        try #require(got == size)
        return bytes
    }
}
