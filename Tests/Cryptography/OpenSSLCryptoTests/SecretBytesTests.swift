import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Secret bytes")
struct SecretBytesTests {
    /// Small enough that allocators give the block freed last to the next who asks for its size.
    private static let size = 500

    @Test("Memory that held a secret is handed out again without it")
    func memoryIsOverwritten() throws {
        let address = Self.addressOfDroppedSecret()
        let left = try #require(Self.bytesHandedOutAgain(at: address), "the allocator gave other memory")
        #expect(!left.contains(0xa5))
    }

    @Test("A secret that could not be filled is overwritten as well")
    func failureOverwrites() throws {
        struct Refusal: Error {}
        var address: UInt = 0
        #expect(throws: Refusal.self) {
            _ = try unsafe SecretBytes(count: Self.size) { target in
                unsafe target.initializeMemory(as: UInt8.self, repeating: 0xa5)
                address = UInt(bitPattern: target.baseAddress)
                throw Refusal()
            }
        }
        let left = try #require(Self.bytesHandedOutAgain(at: address), "the allocator gave other memory")
        #expect(!left.contains(0xa5))
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

    private static func addressOfDroppedSecret() -> UInt {
        let secret = SecretBytes(copying: [UInt8](repeating: 0xa5, count: size)[...])
        return unsafe secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    /// What an allocation of the same size finds at `address`, before anyone writes there.
    private static func bytesHandedOutAgain(at address: UInt) -> [UInt8]? {
        var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
        defer { unsafe blocks.forEach { unsafe $0.deallocate() } }
        for _ in 0..<64 {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            unsafe blocks.append(block)
            if UInt(bitPattern: block.baseAddress) == address { return unsafe [UInt8](block) }
        }
        return nil
    }
}
