import CBOR
import COSE
import MdocModel
import Testing
import VectorFiles

/// A DeviceResponse written by hand, member by member as encoded CBOR.
enum Written {
    static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: members.count)
            for (key, value) in members {
                encoder.text(key)
                encoder.encoded(value)
            }
        }
    }

    static func text(_ text: String) -> [UInt8] { CBOREncoder.encode { $0.text(text) } }

    static func array(_ items: [[UInt8]]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.array(count: items.count)
            for item in items { encoder.encoded(item) }
        }
    }

    static func tagged24(_ content: [UInt8]) -> [UInt8] {
        Array(EncodedCBOR<Never>(embedding: content).bytes)
    }

    static let itemMembers: [(String, [UInt8])] = [
        ("digestID", [0x05]), ("random", [0x50] + [UInt8](repeating: 7, count: 16)),
        ("elementIdentifier", text("family_name")), ("elementValue", text("Doe")),
    ]

    static func document(_ items: [[UInt8]], more: [(String, [UInt8])] = []) -> [UInt8] {
        map(
            [
                ("docType", text("org.iso.18013.5.1.mDL")),
                ("issuerSigned", map([("nameSpaces", map([("org.iso.18013.5.1", array(items))]))])),
            ] + more)
    }

    static func response(_ documents: [[UInt8]], more: [(String, [UInt8])] = []) -> [UInt8] {
        map([("version", text("1.0")), ("documents", array(documents)), ("status", [0x00])] + more)
    }
}

@Suite("DeviceResponse")
struct ResponseTests {
    private func parse(_ bytes: [UInt8]) throws -> UnverifiedResponse {
        try UnverifiedResponse(bytes[...])
    }

    private func item(_ members: [(String, [UInt8])]) throws -> UnverifiedIssuerSignedItem {
        let bytes = Written.response([Written.document([Written.tagged24(Written.map(members))])])
        return try #require(try parse(bytes).documents.first?.nameSpaces.first?.items.first)
    }

    @Test("Q142 The members of an item are found in any order, with others between them")
    func order() throws {
        let members = Written.itemMembers
        for shift in 0..<4 {
            var turned = Array(members[shift...] + members[..<shift])
            turned.insert(("other", Written.text("x")), at: shift)
            let item = try item(turned)
            #expect(item.digestID == 5)
            #expect(item.random.count == 16)
            #expect(item.identifier == "family_name")
            #expect(try item.value.text() == "Doe")
        }
    }

    @Test("Q142 A member less, twice, null or of another type is refused", arguments: 0..<4)
    func itemMembers(_ index: Int) throws {
        let members = Written.itemMembers
        var less = members
        less.remove(at: index)
        try expect(CBORError.missingMember, at: 0, of: less)
        try expect(CBORError.duplicateKey, at: Written.map(members).count, of: members + [members[index]])
        // An element may have any value.
        guard index < 3 else { return }
        var other = members
        other[index].1 = [0xf6]
        try expect(CBORError.missingMember, at: 0, of: other)
        other[index].1 = [0x80]
        let place = Written.map(Array(members[..<index])).count + Written.text(members[index].0).count
        let type: CBORType = [.unsigned, .byteString, .textString][index]
        try expect({ .unexpectedType(expected: type, at: $0) }, at: place, of: other)
    }

    /// Expects that an item of these members is refused, at an index of its map.
    private func expect(
        _ error: (Int) -> CBORError, at index: Int, of members: [(String, [UInt8])],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let map = Written.map(members)
        let response = Written.response([Written.document([Written.tagged24(map)])])
        let start = try #require(response.firstRange(of: map)).lowerBound
        #expect(
            throws: MdocModelError.malformed(.issuerSignedItem, error(start + index)),
            sourceLocation: sourceLocation
        ) { try parse(response) }
    }

    @Test(
        "An element may have any value, null too",
        arguments: ["f6", "f7", "80", "a0", "01", "20", "f5", "c000", "f93c00", "40"])
    func values(_ hex: String) throws {
        var members = Written.itemMembers
        members[3].1 = [UInt8](hex: hex)
        #expect(try item(members).value.encoded.hex == hex)
    }

    @Test("Q140 The item's bytes are those received, slices of the response")
    func bytes() throws {
        let content = [UInt8](hex: "bf") + Written.map(Written.itemMembers).dropFirst() + [0xff]
        let tagged: [UInt8] = [0xd8, 0x18, 0x59, 0x00, UInt8(content.count)] + content
        let response = Written.response([Written.document([tagged])])
        let item = try #require(try parse(response).documents.first?.nameSpaces.first?.items.first)
        #expect(Array(item.bytes.bytes) == tagged)
        #expect(Array(response[item.bytes.bytes.indices]) == tagged)
        #expect(item.form == [.indefiniteLength])
        #expect(Array(response[item.random.indices]) == [UInt8](repeating: 7, count: 16))
    }

    @Test("Q156 Errors are read with their codes, in documents and beside them")
    func errors() throws {
        let document = Written.document([], more: [("errors", [UInt8](hex: "a1 616e a2 6161 00 6162 20"))])
        let read = try parse(
            Written.response([document], more: [("documentErrors", [UInt8](hex: "82 a1 6178 00 a1 6179 0a"))])
        )
        #expect(read.documentErrors.map(\.docType) == ["x", "y"])
        #expect(read.documentErrors.map(\.code) == [0, 10])
        #expect(read.documents[0].errors.map(\.identifier) == ["a", "b"])
        #expect(read.documents[0].errors.map(\.nameSpace) == ["n", "n"])
        #expect(read.documents[0].errors.map(\.code) == [0, -1])
    }

    @Test("Q156 Version, status and documents may be missing, and that is reported")
    func missing() throws {
        let empty = try parse([0xa0])
        #expect(empty.version == nil)
        #expect(empty.status == nil)
        #expect(empty.documents.isEmpty)
        let error = try parse(Written.map([("version", Written.text("1.0")), ("status", [0x0a])]))
        #expect(error.status == 10)
        #expect(error.documents.isEmpty)
    }

    @Test("Members of the second edition and unknown ones are skipped")
    func unknown() throws {
        let more: [(String, [UInt8])] = [
            ("zkDocuments", [0x80]), ("encryptedDocuments", [0x80]), ("x", [0xf6]),
        ]
        #expect(try parse(Written.response([Written.document([])], more: more)).documents.count == 1)
    }

    @Test("Q150 An undefined or null member counts as absent", arguments: [[0xf6], [0xf7]] as [[UInt8]])
    func undefined(_ value: [UInt8]) throws {
        let signed = Written.map([
            ("nameSpaces", Written.tagged24([0xa0])),
            ("deviceAuth", Written.map([("deviceSignature", [0x80]), ("deviceMac", value)])),
        ])
        let document = Written.document([], more: [("deviceSigned", signed), ("errors", value)])
        let read = try parse(Written.response([document], more: [("documentErrors", value)]))
        #expect(read.documents[0].deviceSigned.deviceSignature != nil)
        #expect(read.documents[0].deviceSigned.deviceMac == nil)
        #expect(read.documents[0].errors.isEmpty)
        #expect(read.documentErrors.isEmpty)
    }

    @Test("Q150 A member that is there is there, empty or not")
    func present() throws {
        let signed = Written.map([
            ("deviceAuth", Written.map([("deviceSignature", [0x80]), ("deviceMac", [0x80])]))
        ])
        let read = try parse(Written.response([Written.document([], more: [("deviceSigned", signed)])]))
        #expect(read.documents[0].deviceSigned.deviceSignature != nil)
        #expect(read.documents[0].deviceSigned.deviceMac != nil)
        #expect(read.documents[0].deviceSigned.nameSpacesBytes == nil)
    }

    @Test("Device-signed elements are read with their bytes kept")
    func deviceSigned() throws {
        let names = [UInt8](hex: "a1 616e a2 6161 01 6162 f5")
        let signed = Written.map([("nameSpaces", Written.tagged24(names))])
        let read = try parse(Written.response([Written.document([], more: [("deviceSigned", signed)])]))
        #expect(read.documents[0].deviceSigned.elements.map(\.identifier) == ["a", "b"])
        #expect(
            read.documents[0].deviceSigned.nameSpacesBytes.map { Array($0.bytes) } == Written.tagged24(names))
    }

    @Test(
        "Parts of another shape are refused by the structure's name",
        arguments: [
            ("80", MdocStructure.deviceResponse), ("a169646f63756d656e747300", .deviceResponse),
            ("a166737461747573 20", .deviceResponse), ("a1 67 76657273696f6e 01", .deviceResponse),
            ("a1 69 646f63756d656e7473 81 00", .document), ("a1 69 646f63756d656e7473 81 a0", .document),
        ])
    func malformed(_ hex: String, structure: MdocStructure) {
        let error = #expect(throws: MdocModelError.self) { try parse([UInt8](hex: hex)) }
        guard case .malformed(structure, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("An item without tag 24, and device namespaces without it, are refused")
    func untagged() throws {
        let bare = Written.response([Written.document([Written.map(Written.itemMembers)])])
        let item = try #require(bare.firstRange(of: Written.map(Written.itemMembers))).lowerBound
        let untaggedItem = CBORError.unexpectedType(expected: .tag(24), at: item)
        #expect(throws: MdocModelError.malformed(.issuerSignedItem, untaggedItem)) { try parse(bare) }
        let signed = Written.map([("nameSpaces", [0xa0])])
        let response = Written.response([Written.document([], more: [("deviceSigned", signed)])])
        let nameSpaces = try #require(response.firstRange(of: signed)).upperBound - 1
        let untaggedNameSpaces = CBORError.unexpectedType(expected: .tag(24), at: nameSpaces)
        #expect(throws: MdocModelError.malformed(.deviceSigned, untaggedNameSpaces)) { try parse(response) }
    }

    @Test("Q154 A response may be as long as the limit it is given")
    func limits() throws {
        var members = Written.itemMembers
        members[3].1 = CBOREncoder.encode { $0.byteString([UInt8](repeating: 1, count: 1 << 20)) }
        let bytes = Written.response([Written.document([Written.tagged24(Written.map(members))])])
        #expect(throws: MdocModelError.malformed(.deviceResponse, .tooLong(limit: 1 << 20))) {
            try parse(bytes)
        }
        let read = try UnverifiedResponse(bytes[...], limits: CBORLimits(bytes: 4 << 20))
        #expect(read.documents.count == 1)
    }

    @Test("A name may have 255 bytes, wherever one stands")
    func names() throws {
        let places: [(MdocStructure, (String) -> [UInt8])] = [
            (.deviceResponse, { Written.map([("version", Written.text($0)), ("status", [0x00])]) }),
            (
                .issuerSignedItem,
                { name in
                    var members = Written.itemMembers
                    members[2].1 = Written.text(name)
                    return Written.response([Written.document([Written.tagged24(Written.map(members))])])
                }
            ),
            (
                .deviceSigned,
                { name in
                    let elements = Written.map([("n", Written.map([(name, [0x00])]))])
                    let signed = Written.map([("nameSpaces", Written.tagged24(elements))])
                    return Written.response([Written.document([], more: [("deviceSigned", signed)])])
                }
            ),
        ]
        let longest = "1." + String(repeating: "n", count: 253)
        for (structure, place) in places {
            _ = try parse(place(longest))
            for longer in [longest + "n", "n" + String(repeating: "\u{301}", count: 128)] {
                #expect(throws: MdocModelError.malformed(structure, .tooLong(limit: 255))) {
                    try parse(place(longer))
                }
            }
        }
    }

    @Test("Q228 Errors under a name that is too long are left out, and nothing else is")
    func namesOfErrors() throws {
        for (name, isReadable) in [(255, true), (256, false)].map({ (String(repeating: "n", count: $0), $1) })
        {
            let ofDocuments = try parse(
                Written.map([("documentErrors", Written.array([Written.map([(name, [0x00])])]))]))
            #expect(ofDocuments.hasUnreadableErrors == !isReadable)
            #expect(ofDocuments.documentErrors.map(\.docType) == (isReadable ? [name] : []))
            let errors = ("errors", Written.map([(name, Written.map([("e", [0x00])]))]))
            let read = try parse(Written.response([Written.document([], more: [errors])]))
            #expect(read.documents[0].hasUnreadableErrors == !isReadable)
            #expect(read.documents[0].errors.map(\.nameSpace) == (isReadable ? [name] : []))
        }
    }

    @Test("64 documents may come")
    func documents() throws {
        let document = Written.document([])
        let most = [[UInt8]](repeating: document, count: 64)
        #expect(try parse(Written.response(most)).documents.count == 64)
        #expect(throws: MdocModelError.malformed(.deviceResponse, .tooMany(limit: 64))) {
            try parse(Written.response(most + [document]))
        }
    }

    @Test("Q200 Nothing of a response shows in its description")
    func redacted() throws {
        let response = try parse(
            Written.response([Written.document([Written.tagged24(Written.map(Written.itemMembers))])]))
        let document = try #require(response.documents.first)
        let nameSpace = try #require(document.nameSpaces.first)
        let item = try #require(nameSpace.items.first)
        for value in [response, document, nameSpace, item, document.deviceSigned] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("Doe"))
                #expect(!text.contains("111, 101"))
            }
        }
    }
}

@Suite("MobileSecurityObject")
struct MobileSecurityObjectTests {
    private static let key = Array(EngagementParts.keyBytes.dropFirst(4))
    private static let date = [UInt8](hex: "c074323032302d30312d30315430303a30303a30305a")

    private static var members: [(String, [UInt8])] {
        [
            ("version", Written.text("1.0")), ("digestAlgorithm", Written.text("SHA-256")),
            ("valueDigests", [UInt8](hex: "a1 616e a2 05 4105 01 4101")),
            ("deviceKeyInfo", Written.map([("deviceKey", key)])), ("docType", Written.text("d")),
            ("validityInfo", Written.map([("signed", date), ("validFrom", date), ("validUntil", date)])),
        ]
    }

    private func parse(_ members: [(String, [UInt8])]) throws -> MobileSecurityObject {
        try MobileSecurityObject(payload: Written.tagged24(Written.map(members))[...])
    }

    private func parse(changing name: String, _ value: [UInt8]) throws -> MobileSecurityObject {
        try parse(Self.members.map { $0.0 == name ? (name, value) : $0 })
    }

    @Test("Digests are found by namespace and ID, listed in any order")
    func digests() throws {
        let object = try parse(Self.members)
        #expect(object.digest(nameSpace: "n", digestID: 1).map(Array.init) == [1])
        #expect(object.digest(nameSpace: "n", digestID: 5).map(Array.init) == [5])
        for missing in [0, 2, 6, .max] as [UInt64] {
            #expect(object.digest(nameSpace: "n", digestID: missing) == nil)
        }
        #expect(object.digest(nameSpace: "N", digestID: 1) == nil)
    }

    @Test("A name may have 255 bytes, wherever one stands")
    func names() throws {
        let places: [(String) -> (String, [UInt8])] = [
            { ("version", Written.text($0)) }, { ("digestAlgorithm", Written.text($0)) },
            { ("docType", Written.text($0)) }, { ("valueDigests", Written.map([($0, [0xa0])])) },
            { name in
                let allowed = Written.map([("nameSpaces", Written.array([Written.text(name)]))])
                return (
                    "deviceKeyInfo", Written.map([("deviceKey", Self.key), ("keyAuthorizations", allowed)])
                )
            },
            { name in
                let elements = Written.map([("n", Written.array([Written.text(name)]))])
                let allowed = Written.map([("dataElements", elements)])
                return (
                    "deviceKeyInfo", Written.map([("deviceKey", Self.key), ("keyAuthorizations", allowed)])
                )
            },
        ]
        let longest = String(repeating: "n", count: 255)
        for place in places {
            let (longestMember, longerMember) = (place(longest), place(longest + "n"))
            _ = try parse(changing: longestMember.0, longestMember.1)
            #expect(throws: MdocModelError.malformed(.mobileSecurityObject, .tooLong(limit: 255))) {
                try parse(changing: longerMember.0, longerMember.1)
            }
        }
    }

    @Test("64 namespaces may have digests")
    func nameSpaces() throws {
        let most = (0..<64).map { ("\($0)", [0xa0] as [UInt8]) }
        #expect(try parse(changing: "valueDigests", Written.map(most)).valueDigests.count == 64)
        #expect(throws: MdocModelError.malformed(.mobileSecurityObject, .tooMany(limit: 64))) {
            try parse(changing: "valueDigests", Written.map(most + [("64", [0xa0])]))
        }
    }

    @Test("Every member is required, none twice, others ignored", arguments: 0..<6)
    func members(_ index: Int) throws {
        var less = Self.members
        less.remove(at: index)
        try expect(CBORError.missingMember, at: 0, of: less)
        let whole = Written.map(Self.members).count
        try expect(CBORError.duplicateKey, at: whole, of: Self.members + [Self.members[index]])
        var null = Self.members
        null[index].1 = [0xf6]
        try expect(CBORError.missingMember, at: 0, of: null)
        _ = try parse(Self.members + [("status", [0xa0]), ("x", [0x00])])
    }

    /// Expects that an MSO of these members is refused, at an index of its map.
    private func expect(
        _ error: (Int) -> CBORError, at index: Int, of members: [(String, [UInt8])],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let start = Written.tagged24(Written.map(members)).count - Written.map(members).count
        #expect(
            throws: MdocModelError.malformed(.mobileSecurityObject, error(start + index)),
            sourceLocation: sourceLocation
        ) { try parse(members) }
    }

    @Test(
        "Q143 Q144 Published validity infos are read, with fractions told",
        arguments: [
            (
                "a3667369676e6564c074323032302d30312d30315430303a30303a30305a6976616c696446726f6dc074323032302d30312d30315430303a30303a30305a6a76616c6964556e74696cc074323032302d30312d30315430303a30303a30305a",
                DateForm([])
            ),
            (
                "a3667369676e6564c07818323032302d30312d30315430303a30303a30302e3130315a6976616c696446726f6dc0781b323032302d30312d30315430303a30303a30302e3131323231395a6a76616c6964556e74696cc0781e323032302d30312d30315430303a30303a30302e3939393939393939395a",
                .fractionalSeconds
            ),
        ] as [(String, DateForm)])
    func validityInfo(_ hex: String, form: DateForm) throws {
        let info = try parse(changing: "validityInfo", [UInt8](hex: hex)).validityInfo
        #expect(info.form == form)
        for date in [info.signed, info.validFrom, info.validUntil] {
            #expect(date.instant.description == "2020-01-01T00:00:00Z")
        }
    }

    @Test("Q143 A day alone is read as its first second, and reported")
    func dayOnly() throws {
        let day = [UInt8](hex: "d903ec6a323032302d30312d3031")
        let info = Written.map([("signed", Self.date), ("validFrom", day), ("validUntil", Self.date)])
        let read = try parse(changing: "validityInfo", info).validityInfo
        #expect(read.form == .dayOnly)
        #expect(read.validFrom.instant.description == "2020-01-01T00:00:00Z")
    }

    @Test("Q143 Text that is no date makes the MSO invalid, in the optional date too")
    func notADate() {
        let garbage = [UInt8](hex: "c0 6567617262 61")
        for name in ["signed", "validFrom", "validUntil", "expectedUpdate"] {
            let dates = ["signed", "validFrom", "validUntil", "expectedUpdate"].map {
                ($0, $0 == name ? garbage : Self.date)
            }
            let error = #expect(throws: MdocModelError.self) {
                try parse(changing: "validityInfo", Written.map(dates))
            }
            guard case .notADate = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("A device key with its private part is refused by name")
    func privateKey() {
        let key = [0xa5] + Self.key.dropFirst() + [UInt8](hex: "23 4101")
        #expect(throws: MdocModelError.cose(.mobileSecurityObject, .privateKeyPresent)) {
            try parse(changing: "deviceKeyInfo", Written.map([("deviceKey", key)]))
        }
    }

    @Test(
        "Q164 Key authorizations: whole namespaces, single elements, contradictions",
        arguments: [
            ("a0", [false, false, false], false),
            ("a1 6a 6e616d65537061636573 81 616e", [true, true, false], false),
            ("a1 6c 64617461456c656d656e7473 a1 616e 81 6161", [true, false, false], false),
            (
                "a2 6a 6e616d65537061636573 81 616d 6c 64617461456c656d656e7473 a1 616e 81 6161",
                [true, false, true], false
            ),
            (
                "a2 6a 6e616d65537061636573 81 616e 6c 64617461456c656d656e7473 a1 616e 81 6161",
                [true, true, false], true
            ),
        ])
    func keyAuthorizations(_ hex: String, allowed: [Bool], isContradictory: Bool) throws {
        let info = Written.map([("deviceKey", Self.key), ("keyAuthorizations", [UInt8](hex: hex))])
        let authorizations = try parse(changing: "deviceKeyInfo", info).keyAuthorizations
        let answers = [("a", "n"), ("b", "n"), ("a", "m")].map { authorizations.allows($0.0, in: $0.1) }
        #expect(answers == allowed)
        #expect(authorizations.isContradictory == isContradictory)
    }

    @Test("Without tag 24, or with bytes behind it, there is no MSO")
    func payload() {
        let bare = Written.map(Self.members)
        let tagged = Written.tagged24(bare)
        for (payload, error) in [
            (bare, .unexpectedType(expected: .tag(24), at: 0)),
            (tagged + [0], .trailingBytes(at: tagged.count)),
            (Written.tagged24(bare + [0]), .trailingBytes(at: tagged.count)),
        ] as [([UInt8], CBORError)] {
            #expect(throws: MdocModelError.malformed(.mobileSecurityObject, error)) {
                try MobileSecurityObject(payload: payload[...])
            }
        }
    }

    @Test("Q141 The MSO's form is reported")
    func form() throws {
        #expect(try parse(Self.members).form.isEmpty)
        let open = [0xbf] + Written.map(Self.members).dropFirst() + [0xff]
        #expect(try MobileSecurityObject(payload: Written.tagged24(open)[...]).form == .indefiniteLength)
        #expect(try parse(changing: "valueDigests", [UInt8](hex: "a1616ea118014101")).form == .longerHead)
    }
}
