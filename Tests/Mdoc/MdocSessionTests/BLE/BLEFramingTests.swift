import MdocSession
import Testing
import VectorFiles

@Suite("Framing by characteristic values")
struct BLEFramingTests {
    private func values(_ message: [UInt8], _ valueLimit: Int) -> [[UInt8]] {
        BLEFragments(message[...], valueLimit: valueLimit).map { BLETransmission.values($0).pieces } ?? []
    }

    private func assembly(_ maximumLength: Int = 1000, fullValue: Int = 4) -> BLEMessageAssembly {
        BLEMessageAssembly(maximumLength: maximumLength, fullValue: fullValue)
    }

    /// What the assembly gives for each value, `-` for nothing yet.
    private func assemble(_ values: [String], _ assembly: BLEMessageAssembly) throws -> [String] {
        var assembly = assembly
        return try values.map { try assembly.append([UInt8](hex: $0)[...])?.hex ?? "-" }
    }

    @Test("A message is cut into values of full size, 01 before each but the last, 00 before that")
    func cut() {
        #expect(values([1, 2, 3, 4, 5, 6, 7], 4).map(\.hex) == ["01010203", "01040506", "0007"])
        #expect(values([1, 2, 3, 4, 5, 6], 4).map(\.hex) == ["01010203", "00040506"])
        #expect(values([1], 4).map(\.hex) == ["0001"])
        #expect(BLEFragments([], valueLimit: 4) == nil)
    }

    @Test("Q67 No value is longer than 512 bytes, whatever the limit; the least limit is one byte of message")
    func limits() {
        let message = BLESamples.bytes(2000)
        #expect(values(message, 514).map(\.count) == [512, 512, 512, 468])
        #expect(values(message, 512) == values(message, 514))
        #expect(values(message, 511).map(\.count) == [511, 511, 511, 471])
        for limit in [Int.min, -1, 0, 1, 2] {
            #expect(values([1, 2, 3], limit).map(\.hex) == ["0101", "0102", "0003"])
        }
    }

    @Test("Values share the message's storage")
    func noCopies() throws {
        let message = BLESamples.bytes(100)
        let fragments = try #require(BLEFragments(message[10...], valueLimit: 20))
        #expect(fragments.map(\.part.startIndex) == [10, 29, 48, 67, 86])
    }

    @Test("Q67 Q68 What is cut at any MTU is put together again, and no value is odd", arguments: 23...517)
    func anyMTU(mtu: Int) throws {
        var random = SplitMix64(seed: UInt64(mtu))
        let limit = min(512, mtu - 3)
        for count in [1, limit - 1, limit, 2 * (limit - 1), Int.random(in: 1...10_000, using: &random)] {
            let message = BLESamples.bytes(count)
            var assembly = assembly(count, fullValue: limit)
            let pieces = values(message, mtu - 3)
            #expect(pieces.allSatisfy { $0.count <= limit })
            for piece in pieces.dropLast() { #expect(try assembly.append(piece[...]) == nil) }
            #expect(try assembly.append(try #require(pieces.last)[...]) == message)
            #expect(assembly.oddValues == 0)
        }
    }

    @Test(
        "Q68 Q69 A message of any size comes through in fragments of any size, the last one empty or full",
        arguments: [1, 2, 20, 500, 1000, 8191, 25_000, 102_400])
    func anyFragments(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let message = BLESamples.bytes(count)
        for longest in [1, 19, 511, 4096] where count / longest < 30_000 {
            var assembly = assembly(count, fullValue: longest + 1)
            let chunks = BLESamples.chunks(message, longest: longest, using: &random)
            for chunk in chunks { #expect(try assembly.append([1] + chunk) == nil) }
            var full = assembly
            #expect(try assembly.append([0]) == message)
            #expect(assembly.oddValues == chunks.count { $0.count != longest })
            #expect(throws: BLEFault.messageTooLong(announced: count + 1, limit: count)) {
                try full.append([0, 0])
            }
        }
    }

    @Test("Q69 Prefix 00 ends the message whatever its size; the next message is another")
    func last() throws {
        #expect(try assemble(["01aabbcc", "00"], assembly()) == ["-", "aabbcc"])
        #expect(try assemble(["01aabbcc", "00ddeeff"], assembly()) == ["-", "aabbccddeeff"])
        #expect(try assemble(["00aa", "01bb", "00cc"], assembly()) == ["aa", "-", "bbcc"])
    }

    @Test("Values without a prefix, with another prefix or with nothing behind 01 are refused")
    func malformed() throws {
        for begun in [[], ["01aa"]] {
            #expect(throws: BLEFault.valueEmpty) { try assemble(begun + [""], assembly()) }
            #expect(throws: BLEFault.valueEmpty) { try assemble(begun + ["01"], assembly()) }
            #expect(throws: BLEFault.prefixUnknown(2)) { try assemble(begun + ["02aa"], assembly()) }
            #expect(throws: BLEFault.prefixUnknown(0xff)) { try assemble(begun + ["ff"], assembly()) }
            #expect(try assemble(begun + ["01bb"], assembly()).last == "-")
        }
    }

    @Test("A message without a byte is refused")
    func empty() throws {
        #expect(throws: BLEFault.messageEmpty) { try assemble(["00"], assembly()) }
        #expect(throws: BLEFault.messageEmpty) { try assemble(["00aa", "00"], assembly()) }
        #expect(try assemble(["00aa", "00bb"], assembly()) == ["aa", "bb"])
    }

    @Test("Q194 A message is refused at the first byte above the limit")
    func cap() throws {
        #expect(try assemble(["01aabbcc", "00dd"], assembly(4)).last == "aabbccdd")
        #expect(throws: BLEFault.messageTooLong(announced: 4, limit: 3)) {
            try assemble(["01aabbcc", "00dd"], assembly(3))
        }
        #expect(throws: BLEFault.messageTooLong(announced: 3, limit: 2)) {
            try assemble(["01aabbcc"], assembly(2))
        }
    }

    @Test("Q194 Memory grows with what came, never ahead of it to the cap")
    func memory() throws {
        var assembly = assembly(1 << 20, fullValue: 512)
        let message = BLESamples.bytes(90_000)
        for piece in values(message, 512).dropLast() { _ = try assembly.append(piece[...]) }
        let whole = try #require(try assembly.append([0]))
        #expect(whole.capacity < 4 * message.count)
    }
}
