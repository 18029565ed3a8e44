import Accessories
import Testing

@Suite("Codes in the keys of a keyboard scanner")
struct KeyboardTextTests {
    /// An engagement with every character of base64url, and every sign.
    static let everyCharacter =
        "mdoc:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    @Test("Each layout is found from the keys of the scheme", arguments: KeyboardLayout.allCases)
    func layouts(_ layout: KeyboardLayout) {
        for text in [Self.everyCharacter, SampleCode.uri] {
            var keys = TypedKeys()
            keys.scan(text, on: layout)
            #expect(keys.codes.map(\.uri) == [text])
        }
    }

    @Test("A configured layout is used", arguments: KeyboardLayout.allCases)
    func configured(_ layout: KeyboardLayout) {
        var keys = TypedKeys(layout: layout)
        keys.scan(Self.everyCharacter, on: layout)
        #expect(keys.codes.map(\.uri) == [Self.everyCharacter])
    }

    @Test(
        "The keys of another layout than the configured one are a foreign code",
        arguments: KeyboardLayout.allCases)
    func otherLayout(_ layout: KeyboardLayout) {
        for other in KeyboardLayout.allCases where other != layout {
            var keys = TypedKeys(layout: layout)
            keys.scan(Self.everyCharacter, on: other)
            #expect(keys.codes == [.fault(.foreignCode)])
        }
    }

    @Test(
        "A text that begins with the scheme in no layout is a foreign code",
        arguments: KeyboardLayout.allCases)
    func foreign(_ layout: KeyboardLayout) {
        for text in ["https://example.org", "4006381333931", "mdo:AQIDBA", "xmdoc:AQIDBA"] {
            var keys = TypedKeys()
            keys.scan(text, on: layout)
            #expect(keys.codes == [.fault(.foreignCode)], "\(text)")
        }
    }

    @Test("The length of the last code is known, and none after a code that was not complete")
    func length() {
        var keys = TypedKeys()
        #expect(keys.machine.lastLength == nil)
        keys.scan("4006381333931", on: .us)
        #expect(keys.machine.lastLength == 13)
        keys.scan(SampleCode.uri, on: .us)
        #expect(keys.machine.lastLength == SampleCode.uri.utf8.count)
        keys.type(SampleCode.uri, on: .us)
        _ = keys.machine.expire(at: keys.now + .seconds(1))
        #expect(keys.machine.lastLength == nil)
    }

    @Test("A code ends with Enter, Enter of the keypad, or Tab", arguments: [28, 96, 15] as [UInt16])
    func ends(_ key: UInt16) {
        var keys = TypedKeys()
        keys.type(SampleCode.uri, on: .us)
        #expect(keys.codes == [])
        keys.press(key)
        #expect(keys.codes.map(\.uri) == [SampleCode.uri])
    }

    @Test("A text without its end key is no code, and is reported as incomplete after the pause")
    func noEnd() {
        var keys = TypedKeys()
        keys.type(SampleCode.uri, on: .us)
        let last = keys.now - keys.interval
        #expect(keys.machine.deadline == last + .milliseconds(500))
        #expect(keys.machine.expire(at: last + .milliseconds(499)) == nil)
        #expect(keys.machine.expire(at: last + .milliseconds(500)) == .fault(.incompleteCode))
        #expect(keys.machine.isIdle && keys.machine.deadline == nil)
        #expect(keys.machine.expire(at: last + .seconds(2)) == nil)
    }

    @Test("A foreign text without its end key is nothing")
    func foreignWithoutEnd() {
        for text in ["4006381333931", "mdoc", "a"] {
            var keys = TypedKeys()
            keys.type(text, on: .us)
            keys.wait(.seconds(1))
            #expect(keys.codes == [] && keys.machine.isIdle)
        }
    }

    @Test("A pause within a code ends the burst, even if the time was not announced")
    func pauseWithin() {
        var keys = TypedKeys()
        keys.type("mdoc:AQ", on: .us)
        keys.now += .milliseconds(500)
        keys.type("IDBA", on: .us)
        #expect(keys.codes == [.fault(.incompleteCode)])
        keys.press(TypedKeys.enter)
        #expect(keys.codes == [.fault(.incompleteCode), .fault(.foreignCode)])
    }

    @Test("A slow scanner is read: 450 ms between two events are no pause")
    func slow() {
        var keys = TypedKeys()
        keys.interval = .milliseconds(450)
        keys.scan("mdoc:AQIDBA", on: .de)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("Two codes may follow each other without a pause")
    func twoCodes() {
        var keys = TypedKeys()
        keys.scan("mdoc:AQIDBA", on: .fr)
        keys.scan("mdoc:AQIDBQ", on: .fr)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA", "mdoc:AQIDBQ"])
    }

    @Test("The same code within 2 s is the same, and after 2 s a new one")
    func repetition() {
        var keys = TypedKeys()
        keys.interval = .milliseconds(1)
        for _ in 0..<3 { keys.scan("mdoc:AQIDBA", on: .us) }
        #expect(keys.codes.count == 1)
        keys.wait(.seconds(2))
        keys.scan("mdoc:AQIDBA", on: .us)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA", "mdoc:AQIDBA"])
    }

    @Test("A reader's engagement and an AIM identifier are recognised")
    func otherBeginnings() {
        var keys = TypedKeys()
        keys.scan("mdoc://AQIDBA", on: .de)
        keys.scan("]Q1mdoc:AQIDBA", on: .us)
        #expect(keys.codes.map(\.fault) == [.notADeviceEngagement, nil])
        #expect(keys.codes.last?.uri == "mdoc:AQIDBA")
    }

    @Test("No key is in the machine's description")
    func redacted() {
        var keys = TypedKeys()
        keys.type(SampleCode.uri, on: .us)
        var dumped = ""
        dump(keys.machine, to: &dumped)
        for text in ["\(keys.machine)", String(reflecting: keys.machine), dumped] {
            #expect(text.contains("KeyboardText(redacted)") && !text.contains("key("))
        }
    }
}

@Suite("Dropped events and limits of a keyboard scanner")
struct KeyboardTextLossTests {
    @Test("One dropped event voids the burst up to the next pause")
    func dropped() {
        var keys = TypedKeys()
        keys.type("mdoc:AQID", on: .us)
        keys.dropEvents()
        keys.scan("BA", on: .us)
        // A whole code within the burst is void, too.
        keys.scan("mdoc:AQIDBA", on: .us)
        #expect(keys.codes == [])
        keys.wait(.milliseconds(500))
        #expect(keys.codes == [.fault(.incompleteCode)])
        keys.scan("mdoc:AQIDBA", on: .us)
        #expect(keys.codes.last?.uri == "mdoc:AQIDBA")
    }

    @Test("A dropped event at any place before the end key gives no engagement")
    func droppedAnywhere() {
        var whole = TypedKeys()
        whole.scan("mdoc:AQIDBA", on: .us)
        #expect(whole.codes.count == 1)
        // The last event is the release of Enter, which is not needed for the code.
        for place in 0..<whole.count - 1 {
            var keys = TypedKeys()
            keys.placeOfDrop = place
            keys.scan("mdoc:AQIDBA", on: .us)
            keys.wait(.seconds(1))
            #expect(keys.codes.compactMap(\.uri) == [], "\(place)")
        }
    }

    @Test("The twin: without a dropped event the burst is read")
    func notDropped() {
        var keys = TypedKeys()
        keys.type("mdoc:AQID", on: .us)
        keys.scan("BA", on: .us)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("A dropped event before the first key voids what follows, and a foreign burst ends in silence")
    func droppedFirst() {
        var keys = TypedKeys()
        keys.dropEvents()
        #expect(!keys.machine.isIdle)
        keys.scan("mdoc:AQIDBA", on: .us)
        keys.wait(.milliseconds(500))
        #expect(keys.codes == [] && keys.machine.isIdle)
    }

    @Test("A Shift whose release was dropped is not held after the pause")
    func lostRelease() {
        var keys = TypedKeys()
        keys.event(TypedKeys.leftShift, 1)
        keys.dropEvents()
        keys.wait(.milliseconds(500))
        keys.scan("mdoc:AQIDBA", on: .us)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("A code of 8192 keys is read, and one of 8193 is dropped up to the pause")
    func length() {
        let longest = "mdoc:" + String(repeating: "a", count: 8184)
        for (text, codes) in [(longest + "aaa", 1), (longest + "aaaa", 0)] {
            var keys = TypedKeys()
            keys.interval = .microseconds(100)
            keys.type(text, on: .us)
            keys.press(TypedKeys.enter)
            keys.scan("mdoc:AQIDBA", on: .us)
            // `aaa` at the end has spare bits, so that the longest text is no engagement. It is judged, though.
            #expect(keys.codes.filter { $0.fault == .incompleteCode }.count == codes)
            #expect(keys.codes.count == codes * 2)
            keys.wait(.milliseconds(500))
            #expect(keys.codes.count == (codes == 1 ? 2 : 1))
        }
    }

    @Test("Repetitions by the kernel, releases and other events type nothing")
    func otherEvents() {
        var keys = TypedKeys()
        keys.type("mdoc:AQIDB", on: .us)
        let a: UInt16 = 30
        keys.event(TypedKeys.leftShift, 1)
        keys.event(a, 1)
        for _ in 0..<10 { keys.event(a, 2) }
        keys.event(TypedKeys.leftShift, 2)
        keys.event(a, 0)
        keys.event(TypedKeys.leftShift, 0)
        // A scan code (EV_MSC), a movement (EV_REL) and the release of a key that was never pressed.
        keys.event(4, 458_756, type: 4)
        keys.event(0, 5, type: 2)
        keys.event(31, 0)
        keys.press(TypedKeys.enter)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("Enter alone is nothing")
    func onlyEnter() {
        var keys = TypedKeys()
        for _ in 0..<3 { keys.press(TypedKeys.enter) }
        #expect(keys.codes == [] && keys.machine.isIdle)
    }
}

@Suite("Shift, Caps Lock and numbers of a keyboard scanner")
struct KeyboardTextShiftTests {
    @Test("Either Shift key counts", arguments: [TypedKeys.leftShift, TypedKeys.rightShift])
    func shift(_ key: UInt16) {
        var keys = TypedKeys()
        keys.type(SampleCode.uri, on: .us, shift: key)
        keys.press(TypedKeys.enter)
        #expect(keys.codes.map(\.uri) == [SampleCode.uri])
    }

    @Test("One Shift key stays held while the other is released")
    func bothShifts() {
        var keys = TypedKeys()
        keys.type("mdoc:", on: .us)
        keys.event(TypedKeys.leftShift, 1)
        keys.event(TypedKeys.rightShift, 1)
        keys.event(TypedKeys.rightShift, 0)
        // A, Q and I with the left Shift key, and a without.
        for key: UInt16 in [30, 16, 23] { keys.press(key) }
        keys.event(TypedKeys.leftShift, 0)
        keys.press(30)
        keys.press(TypedKeys.enter)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIa"])
    }

    @Test("With Caps Lock on, a scanner that makes up for it is read", arguments: KeyboardLayout.allCases)
    func capsLockMadeUpFor(_ layout: KeyboardLayout) {
        var keys = TypedKeys()
        keys.machine.setCapsLock(true)
        keys.scan("MDOC:" + SampleCode.inverted, on: layout)
        #expect(keys.codes.map(\.uri) == [SampleCode.uri])
    }

    @Test("With Caps Lock on, a scanner that does not know of it is read", arguments: KeyboardLayout.allCases)
    func capsLockUnknown(_ layout: KeyboardLayout) {
        var keys = TypedKeys()
        keys.machine.setCapsLock(true)
        keys.scan(SampleCode.uri, on: layout)
        #expect(keys.codes.map(\.uri) == [SampleCode.uri])
    }

    @Test("A scanner that folds the case is named")
    func folded() {
        for text in [SampleCode.uri.uppercased(), "MDOC:AQIDBA"] {
            var keys = TypedKeys()
            keys.scan(text, on: .us)
            #expect(keys.codes == [.fault(.foldedCase)])
        }
    }

    @Test("Caps Lock is followed within a burst, by its key and by its lamp")
    func capsLockWithin() {
        var keys = TypedKeys()
        keys.type("mdoc:", on: .us)
        keys.press(TypedKeys.capsLock)
        keys.type("aqid", on: .us)
        keys.event(1, 0, type: 0x11)
        keys.type("BA", on: .us)
        keys.press(TypedKeys.enter)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("The state of Caps Lock that is set during a burst has no effect")
    func capsLockDuring() {
        var keys = TypedKeys()
        keys.type("mdoc:", on: .us)
        keys.machine.setCapsLock(true)
        keys.scan("AQIDBA", on: .us)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("Characters that are typed by their numbers are read, and so is Enter")
    func numbers() {
        var keys = TypedKeys()
        for byte in SampleCode.uri.utf8 { keys.typeNumber(Int(byte)) }
        #expect(keys.codes == [])
        keys.typeNumber(13)
        #expect(keys.codes.map(\.uri) == [SampleCode.uri])
    }

    @Test("Numbers and keys may be mixed")
    func mixed() {
        var keys = TypedKeys()
        keys.type("mdoc", on: .fr)
        keys.typeNumber(58)
        keys.type("AQ", on: .fr)
        keys.typeNumber(73)
        keys.scan("DBA", on: .fr)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBA"])
    }

    @Test("A text that fits two layouts, which disagree on the rest, is not an engagement")
    func ambiguous() {
        var keys = TypedKeys()
        for byte in "mdoc:".utf8 { keys.typeNumber(Int(byte)) }
        keys.scan("AQIDBAyz", on: .us)
        #expect(keys.codes == [.fault(.incompleteCode)])
        // The twin: with a configured layout there is no doubt.
        keys = TypedKeys(layout: .de)
        for byte in "mdoc:".utf8 { keys.typeNumber(Int(byte)) }
        keys.scan("AQIDBAyz", on: .de)
        #expect(keys.codes.map(\.uri) == ["mdoc:AQIDBAyz"])
    }

    @Test("Numbers that are no ASCII character, and keys with Control, make the code incomplete")
    func noCharacters() {
        for number in [0, 7, 127, 128, 256 + 65, 9999, 100_065] {
            var keys = TypedKeys()
            keys.type("mdoc:AQID", on: .us)
            keys.typeNumber(number)
            keys.scan("BA", on: .us)
            #expect(keys.codes == [.fault(.incompleteCode)], "\(number)")
        }
        for held: UInt16 in [29, 97, 125, 126, TypedKeys.leftAlt, 100] {
            var keys = TypedKeys()
            keys.type("mdoc:AQID", on: .us)
            keys.press(48, holding: held)
            keys.scan("A", on: .us)
            #expect(keys.codes == [.fault(.incompleteCode)], "\(held)")
        }
    }

    @Test(
        "A key without a character makes the code incomplete",
        arguments: [1, 59, 105, 115, 0x2ff] as [UInt16])
    func otherKeys(_ key: UInt16) {
        var keys = TypedKeys()
        keys.type("mdoc:AQID", on: .us)
        keys.press(key)
        keys.scan("BA", on: .us)
        #expect(keys.codes == [.fault(.incompleteCode)])
    }

    @Test("The keypad types digits in every layout", arguments: KeyboardLayout.allCases)
    func keypad(_ layout: KeyboardLayout) {
        var keys = TypedKeys()
        keys.type("mdoc:AAA", on: layout)
        // 4, 0, 9, and the minus sign.
        for key: UInt16 in [75, 82, 73, 74] { keys.press(key) }
        keys.scan("A", on: layout)
        #expect(keys.codes.map(\.uri) == ["mdoc:AAA409-A"])
    }
}
