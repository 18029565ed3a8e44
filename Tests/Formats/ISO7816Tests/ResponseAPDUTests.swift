import ISO7816
import Testing
import VectorFiles

@Suite("Response APDUs")
struct ResponseAPDUTests {
    @Test("The last two bytes are the status word, the rest a slice of what came")
    func statusIsSplitOff() throws {
        let bytes: [UInt8] = [0xff, 1, 2, 3, 0x61, 0x25]
        let response = try ResponseAPDU.parse(bytes[1...])
        #expect(response.data == bytes[1..<4])
        #expect(response.data.startIndex == 1)
        #expect(response.status == StatusWord(rawValue: 0x6125))
        #expect(response.encode() == [1, 2, 3, 0x61, 0x25])
    }

    @Test("Q132 Fewer than two bytes are no response", arguments: [[], [0x90]] as [[UInt8]])
    func fewerThanTwoBytes(bytes: [UInt8]) {
        #expect(throws: ISO7816Error.responseWithoutStatus(count: bytes.count)) {
            try ResponseAPDU.parse(bytes[...])
        }
    }

    @Test("Q51 61xx announces bytes, 6100 that there are 256 or more")
    func moreAvailable() {
        #expect(StatusWord(rawValue: 0x6125).bytesAvailable == 0x25)
        #expect(StatusWord(rawValue: 0x6100).bytesAvailable == 256)
        #expect(StatusWord.success.bytesAvailable == nil)
        #expect(StatusWord(rawValue: 0x6c10).bytesAvailable == nil)
        #expect(StatusWord(rawValue: 0x6c10).acceptedLength == 16)
        #expect(StatusWord(rawValue: 0x6c00).acceptedLength == 256)
        #expect(StatusWord(rawValue: 0x6125).acceptedLength == nil)
        #expect(StatusWord.moreAvailable(1) == StatusWord(rawValue: 0x6101))
        #expect(StatusWord.moreAvailable(255) == StatusWord(rawValue: 0x61ff))
        #expect(StatusWord.moreAvailable(256) == StatusWord(rawValue: 0x6100))
        #expect(StatusWord.moreAvailable(0) == StatusWord(rawValue: 0x6101))
    }

    @Test("A status word prints as four digits")
    func description() {
        #expect("\(StatusWord.notFound)" == "6a82")
        #expect("\(StatusWord(rawValue: 0x000f))" == "000f")
    }
}
