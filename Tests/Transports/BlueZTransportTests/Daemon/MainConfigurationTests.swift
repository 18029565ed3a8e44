import Testing

@testable import BlueZTransport

@Suite("main.conf")
struct MainConfigurationTests {
    private func value(_ text: String, _ key: String = "Cache", _ group: String = "GATT") throws -> String? {
        try MainConfiguration(parsing: Array(text.utf8)).value(of: key, in: group)
    }

    @Test(
        "A value is read from its group",
        arguments: [
            ("[GATT]\nCache=no", "no"), ("[GATT]\n  Cache = no\n", "no"), ("[GATT]\r\nCache = no\r\n", "no"),
            ("# a note\n\n[General]\nName = x = y\n[GATT] \nCache\t=\tno", "no"),
            ("[GATT]\nCache=always\n[LE]\n[GATT]\nCache=no", "no"), ("[GATT]\nCache=", ""),
        ])
    func values(_ text: String, _ expected: String) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        "Another group, another case, a comment or nothing at all is no value",
        arguments: ["", "[General]\nCache=no", "[gatt]\nCache=no", "[GATT]\ncache=no", "[GATT]\n#Cache=no"])
    func absent(_ text: String) throws {
        #expect(try value(text) == nil)
    }

    @Test("What stands behind a value belongs to it: bluetoothd knows no comment there")
    func trailing() throws {
        #expect(try value("[GATT]\nCache = no # never") == "no # never")
        #expect(try value("[GATT]\nCache = no ") == "no ")
    }

    @Test(
        "One line that is none makes the whole file void, and is named",
        arguments: [
            ("Cache=no", 1), ("[GATT]\nCache\n", 2), ("[GATT\nCache=no", 1), ("[GATT]\n\n=no", 3),
            ("[]\n", 1), ("[A[B]\n", 1), ("; a note\n[GATT]", 1),
        ])
    func malformed(_ text: String, _ line: Int) {
        #expect(throws: MainConfigurationError.malformed(line: line)) { try value(text) }
    }

    @Test("A file of 64 KiB is not read, one byte less is")
    func bounds() throws {
        let text = Array("[GATT]\nCache=no\n#".utf8)
        let full = text + Array(repeating: 0x23, count: MainConfiguration.limit - text.count)
        #expect(try MainConfiguration(parsing: full).value(of: "Cache", in: "GATT") == "no")
        #expect(throws: MainConfigurationError.tooLong) { try MainConfiguration(parsing: full + [0x23]) }
    }
}
