import MdocSession
import Testing
import VectorFiles

@Suite("Framing by lengths over L2CAP")
struct L2CAPFramingTests {
    /// What the assembly gives for the chunks, each read to its end.
    private func assemble(_ chunks: [ArraySlice<UInt8>], _ maximumLength: Int = 1 << 20) throws -> [[UInt8]] {
        var assembly = L2CAPMessageAssembly(maximumLength: maximumLength)
        var messages: [[UInt8]] = []
        for chunk in chunks {
            var rest = chunk
            while !rest.isEmpty {
                if let message = try assembly.append(&rest) { messages.append(message) }
            }
        }
        #expect(!assembly.hasBegun)
        return messages
    }

    private func chunks(_ hex: [String]) -> [ArraySlice<UInt8>] { hex.map { [UInt8](hex: $0)[...] } }

    @Test("A message goes behind its length in four bytes, big-endian, and is not copied")
    func frame() throws {
        let message = BLESamples.bytes(0x10203)
        let frame = try #require(L2CAPFrame(message[1...]))
        #expect(frame.head.hex == "00010202")
        #expect(frame.message.startIndex == 1 && frame.message == message[1...])
        #expect(L2CAPFrame([]) == nil)
    }

    @Test("Chunks end anywhere: within a length, within a message, in the message after")
    func boundaries() throws {
        #expect(try assemble(chunks(["00000002 aabb"])).map(\.hex) == ["aabb"])
        #expect(try assemble(chunks(["00", "0000", "02aa", "bb"])).map(\.hex) == ["aabb"])
        #expect(try assemble(chunks(["00000001 aa 0000", "0001 bb"])).map(\.hex) == ["aa", "bb"])
        #expect(
            try assemble(chunks(["00000001 aa 00000001 bb 00000001 cc"])).map(\.hex) == ["aa", "bb", "cc"])
    }

    @Test(
        "Messages of any size come through in chunks of any size",
        arguments: [1, 3, 4, 5, 512, 8191, 25_000, 102_400])
    func anyChunks(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let messages = [
            BLESamples.bytes(count), [7], BLESamples.bytes(Int.random(in: 1...999, using: &random)),
        ]
        let bytes = messages.flatMap { message in
            L2CAPFrame(message[...]).map { $0.head + $0.message } ?? []
        }
        for longest in [1, 7, 512, 65_535] {
            let chunks = BLESamples.chunks(bytes, longest: longest, using: &random)
            #expect(try assemble(chunks, max(count, 999)) == messages)
        }
    }

    @Test("Q194 A length above the cap is refused before the message comes, and one of 0")
    func cap() throws {
        #expect(try assemble(chunks(["00000003 aabbcc"]), 3).map(\.hex) == ["aabbcc"])
        #expect(throws: BLEFault.messageTooLong(announced: 4, limit: 3)) {
            try assemble(chunks(["00000004"]), 3)
        }
        #expect(throws: BLEFault.messageTooLong(announced: 0xff_ffff, limit: 1 << 20)) {
            try assemble(chunks(["00ffffff"]))
        }
        #expect(throws: BLEFault.messageEmpty) { try assemble(chunks(["00000000"])) }
    }

    @Test(
        "Q66 A bare message, as of a peer of the first edition, is refused as unframed",
        arguments: [
            "a2 6a 65526561646572 4b6579",  // {"eReaderKey": …
            "a1 64 64617461 59",  // {"data": h'…
            "a1 66 737461747573 14",  // {"status": 20}
            "bf 64 64617461", "01 00 00 00",
        ])
    func bare(hex: String) {
        #expect(throws: BLEFault.notFramed) { try assemble(chunks([hex])) }
    }
}
