import CBOR
import Testing
import VectorFiles

@Suite("Duplicate keys (RFC 8949 5.6)")
struct DuplicateKeyTests {
    /// Maps with one value twice as key, and where the second key starts.
    static let disguises: [(String, hex: String, at: Int)] = [
        ("plain integer", "a201000100", 3),
        ("plain text", "a2616100616100", 4),
        ("byte string", "a24101004101 00", 4),
        ("integer in one byte more", "a20100180100", 3),
        ("integer in two bytes more", "a2010019000100", 3),
        ("integer in four bytes more", "a201001a0000000100", 3),
        ("integer in eight bytes more", "a201001b000000000000000100", 3),
        ("the longer integer first", "a21801000100", 4),
        ("negative integer in one byte more", "a22000380000", 3),
        ("text with a longer length", "a261610078016100", 4),
        ("text with a length in eight bytes", "a26161007b00000000000000016100", 4),
        ("text of indefinite length", "a26161007f6161ff00", 4),
        ("text in two chunks", "a2626162007f61616162ff00", 5),
        ("text in empty and longer chunks", "a2626162007f60780161606162ff00", 5),
        ("byte string of indefinite length", "a24101005f4101ff00", 4),
        ("array of indefinite length", "a2810100 9f01ff 00", 4),
        ("array with a longer length", "a2810100 980101 00", 4),
        ("map of indefinite length", "a2a1010200 bf0102ff 00", 5),
        ("tag in one byte more", "a2c00000d800 0000", 4),
        ("within an array with a longer integer", "a281010081180100", 4),
        ("in a map of indefinite length", "bf01000100ff", 3),
        ("in a map of indefinite length, disguised", "bf0100180100ff", 3),
        ("in a nested map", "a10aa201000100", 5),
        ("in a map in an array in a tag", "d81881a201000100", 6),
        ("true", "a2f500f500", 3),
        ("null", "a2f600f600", 3),
        ("a float in half and single precision", "a2f93c0000fa3f80000000", 5),
        ("a float in half and double precision", "a2f93c0000fb3ff000000000000000", 5),
        ("a float in single and double precision", "a2fa47c3500000fb40f86a000000000000", 7),
        ("a map with its members in another order", "a2a20102030400a20304010200", 7),
        ("a map with disguised members in another order", "a2a20102030400a2030418010200", 7),
    ]

    @Test("The same key is refused where it comes again, in every disguise", arguments: disguises)
    func refused(_ name: String, hex: String, at offset: Int) {
        #expect(throws: CBORError.duplicateKey(at: offset), "\(name)") {
            try CBORItem.parse([UInt8](hex: hex)[...])
        }
    }

    static let others: [(String, hex: String)] = [
        ("integers of both signs", "a200002000"),
        ("an integer and its digits", "a20100613100"),
        ("text and bytes", "a2616100416100"),
        ("text with another end", "a2626162006261 6300"),
        ("an integer and the float of its value", "a20100f93c0000"),
        ("floats of two values", "a2f93c0000fa3f80000100"),
        ("zero and minus zero", "a2f90000 00f98000 00"),
        ("false and null", "a2f400f600"),
        ("null and undefined", "a2f600f700"),
        ("simple values 16 and 255", "a2f000f8ff00"),
        ("an array and its item", "a281010001 00"),
        ("arrays of another order", "a282010200 82020100"),
        ("tags of two numbers", "a2c00000c10000"),
        ("the same key in two maps", "82a10100a10100"),
        ("a key and an equal value", "a201020201"),
        ("a key outside and inside", "a101a10100"),
        ("empty text and empty bytes", "a260004000"),
    ]

    @Test("Keys that only look alike are two keys", arguments: others)
    func accepted(_ name: String, hex: String) throws {
        let bytes = [UInt8](hex: hex)
        #expect(try CBORItem.parse(bytes[...]).encoded.elementsEqual(bytes))
    }

    @Test("The last of many keys is compared with all before it", arguments: [2, 8, 9, 10, 100, 5000])
    func many(_ count: Int) throws {
        let unique = CBOREncoder.encode { encoder in
            encoder.map(count: count)
            for key in 0..<count {
                encoder.unsigned(UInt64(key))
                encoder.null()
            }
        }
        _ = try CBORItem.parse(unique[...])
        for (repeated, disguise) in [(0, "1b0000000000000000"), (count - 2, nil)] {
            let twice = CBOREncoder.encode { encoder in
                encoder.map(count: count)
                for key in 0..<count - 1 {
                    encoder.unsigned(UInt64(key))
                    encoder.null()
                }
                if let disguise {
                    encoder.encoded([UInt8](hex: disguise))
                } else {
                    encoder.unsigned(UInt64(repeated))
                }
                encoder.null()
            }
            let error = #expect(throws: CBORError.self) { try CBORItem.parse(twice[...]) }
            guard case .duplicateKey = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
