import JSON
import Testing

@Suite("Located JSON (RFC 8259, RFC 6901)")
struct JSONTextTests {
    private static func fault(_ text: String, _ read: (JSONText) throws(JSONFault) -> Void) -> JSONFault? {
        do throws(JSONFault) {
            try read(JSONText(Array(text.utf8)[...]))
            return nil
        } catch {
            return error
        }
    }

    @Test("A fault has line, column and pointer of its value")
    func places() throws {
        let text = "{\n  \"ä/b~\": [1, {\"c\": \"x\"}]\n}"
        let fault = Self.fault(text) { text throws(JSONFault) in
            let list = try text.members().required("ä/b~").array()
            _ = try list[1].members().required("c").boolean()
        }
        #expect(fault?.line == 2 && fault?.column == 21)
        #expect(fault?.pointer == "/ä~1b~0/1/c")
        #expect(fault?.explanation == "ä/b~[1].c: must be true or false")
        #expect(fault?.requirement == "must be true or false")
    }

    @Test("A path begins with / and has at most 4096 bytes")
    func paths() throws {
        let longest = "/" + String(repeating: "x", count: JSONText.longestPath - 1)
        for path in ["/", "/etc/countersign", longest] {
            #expect(try JSONText(Array("\"\(path)\"".utf8)[...]).absolutePath() == path)
        }
        for path in ["", "etc", " /", longest + "x"] {
            let fault = Self.fault("\"\(path)\"") { text throws(JSONFault) in _ = try text.absolutePath() }
            #expect(fault?.line == 1, "\(path)")
        }
    }

    @Test("A fault of a value that is no text has a pointer and no line")
    func withoutText() {
        let value: JSONValue = ["a": .array([.integer(1), ["c": "x"]])]
        #expect(throws: JSONFault(.wrongValue("must be true or false"), line: 0, pointer: "/a/1/c")) {
            _ = try JSONText(JSONItem(value)).members().required("a").array()[1].members().required("c")
                .boolean()
        }
        #expect(throws: JSONFault(.unknownMember("a"), line: 0, pointer: "/a")) {
            _ = try JSONText(JSONItem(value)).members(["b"])
        }
    }

    @Test(
        "A member that is not known is at its name, a missing one at its object; the pointer ends with both")
    func members() {
        let text = "{\"a\": {\"b\": 1, \"c\": 2}}"
        let unknown = Self.fault(text) { text throws(JSONFault) in
            _ = try text.members(["a"]).required("a").members(["b"])
        }
        #expect(unknown?.column == 16 && unknown?.pointer == "/a/c")
        #expect(unknown?.explanation == "a: the member \"c\" is not known")
        let missing = Self.fault(text) { text throws(JSONFault) in
            _ = try text.members().required("a").members().required("d")
        }
        #expect(missing?.column == 7 && missing?.pointer == "/a/d")
        #expect(missing?.explanation == "a: the member \"d\" is missing")
    }

    @Test("A value is written as it was read; a number that is no integer is null")
    func value() throws {
        let text = #"{"b": [1, null, true, "x"], "a": {"ä": ""}}"#
        let members = try JSONText(Array("[\(text), 1.5]".utf8)[...]).array()
        #expect(members[0].value.line == text.replacing(": ", with: ":").replacing(", ", with: ","))
        #expect(members[1].value.line == "null")
    }

    @Test("What is not JSON has a place in the text, and no pointer")
    func malformed() {
        let fault = Self.fault("{\n \"a\": x}") { _ in }
        #expect(fault?.line == 2 && fault?.column == 7 && fault?.pointer == "")
        #expect(fault?.condition == .malformed)
    }
}
