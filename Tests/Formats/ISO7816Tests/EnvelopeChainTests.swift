import Foundation
import ISO7816
import Testing
import VectorFiles

@Suite("Data object 53 and ENVELOPE chains")
struct EnvelopeChainTests {
    struct File: Decodable {
        struct Headers: Decodable {
            struct Vector: Decodable {
                let len: Int
                let tlv_header: String
            }
            let vectors: [Vector]
        }
        let do53_headers: Headers
    }

    @Test("The published headers are written and read")
    func publishedHeaders() throws {
        let file = try VectorFiles.json(
            File.self, at: VectorFiles.own.appending(path: "nfc/data-transfer.json"))
        #expect(file.do53_headers.vectors.count == 10)
        for vector in file.do53_headers.vectors {
            let header = try #require(DiscretionaryData.header(forLength: vector.len))
            #expect(header.hex == vector.tlv_header)
            let read = try DiscretionaryData.parseHeader((header + [0xaa])[...])
            #expect(read?.length == vector.len)
            #expect(read?.size == header.count)
            for cut in 0..<header.count {
                #expect(try DiscretionaryData.parseHeader(header[..<cut]) == nil)
            }
        }
    }

    @Test("A value too long for the length field has no header")
    func tooLong() {
        #expect(DiscretionaryData.header(forLength: 0x100_0000) == nil)
        #expect(DiscretionaryData.header(forLength: -1) == nil)
    }

    @Test("Another tag or length form is refused, a longer form than needed is not")
    func otherTagsAndForms() throws {
        #expect(throws: ISO7816Error.unexpectedTag(0x54)) {
            try DiscretionaryData.parseHeader([0x54, 0x01])
        }
        for form: UInt8 in [0x80, 0x84, 0xff] {
            #expect(throws: ISO7816Error.unsupportedLengthForm(form)) {
                try DiscretionaryData.parseHeader([0x53, form, 0, 0, 0, 1])
            }
        }
        #expect(try DiscretionaryData.parseHeader([0x53, 0x82, 0x00, 0x05])?.length == 5)
    }

    @Test(
        "Q58 A chain carries the data object whole in chunks of the size given",
        arguments: [0, 1, 100, 253, 255, 256, 4096, 16_384], [1, 2, 255, 4087])
    func chainCarriesTheObject(count: Int, chunk: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let header = try #require(DiscretionaryData.header(forLength: count))
        var chain = try #require(
            EnvelopeChain(message[...], maximumData: chunk, expectedLength: .short(0)))
        var carried: [UInt8] = []
        var commands = 0
        while let bytes = chain.next() {
            let command = try CommandAPDU.parse(bytes[...])
            #expect(command.ins == 0xc3)
            #expect(command.isChained == !chain.isFinished)
            #expect((command.expectedLength == nil) == command.isChained)
            #expect(command.data.count == chunk || chain.isFinished)
            carried += command.data
            commands += 1
        }
        #expect(carried == header + message)
        #expect(commands == (header.count + count + chunk - 1) / chunk)
        #expect(chain.next() == nil)
    }

    @Test("A chunk size out of range is taken as the nearest possible one", arguments: [Int.min, 0, 1 << 40])
    func chunkSizeOutOfRange(chunk: Int) throws {
        let message = [UInt8](repeating: 1, count: 70_000)
        var chain = try #require(EnvelopeChain(message[...], maximumData: chunk, expectedLength: .short(0)))
        let first = chain.next() ?? []
        #expect(try CommandAPDU.parse(first[...]).data.count == (chunk > 0 ? 65_535 : 1))
    }

    @Test("Changed headers are read or refused, never trapped on")
    func mutatedHeaders() {
        var random = SplitMix64(seed: 0x53)
        for _ in 0..<20_000 {
            let bytes = random.mutate([0x53, 0x83, 0x01, 0x90, 0x00])
            guard let header = try? DiscretionaryData.parseHeader(bytes[...]) else { continue }
            #expect((2...5).contains(header.size))
            #expect((0...DiscretionaryData.maximumLength).contains(header.length))
        }
    }
}
