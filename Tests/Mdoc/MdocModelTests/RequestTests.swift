import CBOR
import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("DeviceRequest")
struct RequestTests {
    private static let items =
        "a267646f6354797065756f72672e69736f2e31383031332e352e312e6d444c6a6e616d65537061636573a1716f72672e69736f2e31383031332e352e31a36b66616d696c795f6e616d65f46a676976656e5f6e616d65f46f646f63756d656e745f6e756d626572f4"
    private static let published =
        "a26776657273696f6e63312e306b646f63526571756573747381a16c6974656d7352657175657374d8185868" + items

    private let request = ItemsRequest(
        docType: "org.iso.18013.5.1.mDL",
        nameSpaces: [
            .init(
                name: "org.iso.18013.5.1",
                elements: ["family_name", "given_name", "document_number"].map {
                    .init(identifier: $0, intentToRetain: false)
                })
        ])

    @Test("A published request is read, and written from its parts byte for byte")
    func published() throws {
        let read = try DeviceRequest([UInt8](hex: Self.published)[...])
        #expect(read.version == "1.0")
        #expect(read.docRequests.map(\.itemsRequest) == [request])
        #expect(read.docRequests[0].readerAuth == nil)
        #expect(read.docRequests[0].itemsRequestBytes.content.hex == Self.items)
        #expect(DeviceRequest.encode([(items: request.encoded(), readerAuth: nil)]).hex == Self.published)
    }

    @Test("What was asked is known by namespace and name")
    func asks() {
        #expect(request.asks(for: "given_name", in: "org.iso.18013.5.1"))
        #expect(!request.asks(for: "given_name", in: "org.iso.18013.5.1.aamva"))
        #expect(!request.asks(for: "portrait", in: "org.iso.18013.5.1"))
    }

    @Test("Published samples are read: 1.0, and 1.1 with readerAuthAll and deviceRequestInfo")
    func samples() throws {
        struct Samples: Decodable {
            struct Entry: Decodable {
                let name: String
                let hex: String
            }
            let requests: [Entry]
            let engagements: [Entry]
        }
        let samples: Samples = try VectorFiles.json(
            at: VectorFiles.own.appending(path: "iso18013-5/samples-requests-engagements.json"))
        #expect(samples.requests.count == 4)
        for entry in samples.requests where entry.name.hasPrefix("device_request") {
            let read = try DeviceRequest([UInt8](hex: entry.hex)[...])
            #expect(read.version == (entry.name.hasSuffix("v11") ? "1.1" : "1.0"))
            #expect(read.docRequests.map(\.itemsRequest.docType) == ["org.iso.18013.5.1.mDL"])
        }
        let extended = try #require(samples.requests.first { $0.name == "device_request_v11" })
        let items = try DeviceRequest([UInt8](hex: extended.hex)[...]).docRequests[0].itemsRequest
        #expect(
            items.nameSpaces.flatMap(\.elements).filter(\.intentToRetain).map(\.identifier) == [
                "portrait", "given_name", "family_name",
            ])
        #expect(items.asks(for: "age_over_21", in: "org.iso.18013.5.1"))

        // Q47: server retrieval of the 2021 edition is passed over, the BLE option beside it read.
        let online = try #require(samples.engagements.first { $0.name == "deOnline" })
        let engagement = try DeviceEngagement([UInt8](hex: online.hex)[...])
        #expect(engagement.malformedMembers.isEmpty)
        #expect(engagement.retrievalMethods.count == 1)
        // Q46: two BLE entries with one mode each.
        let offline = try #require(samples.engagements.first { $0.name == "deOffline" })
        guard
            case .ble(let options) = try DeviceEngagement([UInt8](hex: offline.hex)[...]).retrievalMethods
                .first
        else {
            Issue.record("no BLE")
            return
        }
        #expect(options.peripheralServerUUID?.hex == "deaa78c89e6b9d3e7c97f272efce6b57")
        #expect(options.centralClientUUID == options.peripheralServerUUID)
    }

    @Test("Q47 Server retrieval is parsed and ignored")
    func serverRetrieval() throws {
        let key3 = "a1667765624170698301 6161 6162"
        #expect(try EngagementParts.with((3, key3)).malformedMembers.isEmpty)
        #expect(try EngagementParts.with((3, key3)).retrievalMethods.isEmpty)
    }

    @Test(
        "A request of another shape is refused",
        arguments: [
            ("", .truncated(at: 0)), ("80", .unexpectedType(expected: .map, at: 0)),
            ("a0", .missingMember(at: 0)), ("a16776657273696f6e63312e30", .missingMember(at: 0)),
            ("a26776657273696f6e63312e306b646f63526571756573747380", .missingMember(at: 0)),
            (
                "a26776657273696f6e63312e306b646f635265717565737473a0",
                .unexpectedType(expected: .array, at: 25)
            ),
            ("a26776657273696f6e63312e306b646f63526571756573747381a0", .missingMember(at: 26)),
            (
                "a26776657273696f6e63312e306b646f63526571756573747381a16c6974656d7352657175657374a0",
                .unexpectedType(expected: .tag(24), at: 40)
            ),
            (
                "a26776657273696f6e63312e306b646f63526571756573747381a16c6974656d7352657175657374d81841a0",
                .missingMember(at: 43)
            ),
            (
                "a26776657273696f6e01 6b646f63526571756573747381a0",
                .unexpectedType(expected: .textString, at: 9)
            ),
        ] as [(String, CBORError)])
    func malformed(_ hex: String, error: CBORError) {
        #expect(throws: MdocModelError.malformed(.deviceRequest, error)) {
            try DeviceRequest([UInt8](hex: hex)[...])
        }
    }

    @Test("Another major version is refused, a minor one is not")
    func versions() throws {
        let other = Self.published.replacing("63312e30", with: "63322e30")
        #expect(throws: MdocModelError.unsupportedVersion(.deviceRequest)) {
            try DeviceRequest([UInt8](hex: other)[...])
        }
        #expect(
            try DeviceRequest([UInt8](hex: Self.published.replacing("63312e30", with: "63312e37"))[...])
                .version == "1.7")
    }
}

@Suite("SessionEstablishment and SessionData")
struct SessionMessageTests {
    @Test(
        "SessionData is read in each form",
        arguments: [
            ("a1646461746143010203", "010203", nil), ("a16673746174757314", nil, 20),
            ("a1667374617475730a", nil, 10),
            ("a2646461746143010203667374617475731 4", "010203", 20),
            ("a2667374617475730b646461746140", "", 11), ("bf 6464617461 43010203 ff", "010203", nil),
            ("a2646461746143010203 63736571 05", "010203", nil), ("a1 66737461747573 1903e8", nil, 1000),
            ("a2646461746143010203 66737461747573 f6", "010203", nil),
            ("a2 6464617461 f7 66737461747573 14", nil, 20),
        ] as [(String, String?, UInt64?)])
    func sessionData(_ hex: String, data: String?, status: UInt64?) throws {
        let read = try SessionData([UInt8](hex: hex)[...])
        #expect(read.data?.hex == data)
        #expect(read.status?.rawValue == status)
    }

    @Test(
        "SessionData of another shape is refused",
        arguments: [
            ("", .truncated(at: 0)), ("a0", .missingMember(at: 0)),
            ("80", .unexpectedType(expected: .map, at: 0)),
            ("a1646461746101", .unexpectedType(expected: .byteString, at: 6)),
            ("a16673746174757361 61", .unexpectedType(expected: .unsigned, at: 8)),
            ("a16673746174757320", .unexpectedType(expected: .unsigned, at: 8)),
            ("a1646461746143010203 00", .trailingBytes(at: 10)),
            ("a2646461746141016464617461 4102", .duplicateKey(at: 8)),
            ("a164446174614101", .missingMember(at: 0)), ("f6", .unexpectedType(expected: .map, at: 0)),
            ("a1646461746 1f6", .missingMember(at: 0)),
            ("a26464617461f6667374617475 73f7", .missingMember(at: 0)),
        ] as [(String, CBORError)])
    func otherShape(_ hex: String, error: CBORError) {
        #expect(throws: MdocModelError.malformed(.sessionData, error)) {
            try SessionData([UInt8](hex: hex)[...])
        }
    }

    @Test("The data is a slice of the message, without a copy of its bytes")
    func slice() throws {
        let message = [UInt8](hex: "ff a1646461746143010203")
        #expect(try SessionData(message[1...]).data?.indices == 8..<11)
    }

    @Test(
        "What is written is read back",
        arguments: [(nil, 20), ([], nil), ([1, 2], nil), ([1, 2], 20)] as [([UInt8]?, UInt64?)])
    func written(_ data: [UInt8]?, status: UInt64?) throws {
        let bytes = SessionData.encode(data: data, status: status.map(SessionStatus.init))
        let read = try SessionData(bytes[...])
        #expect(read.data.map(Array.init) == data)
        #expect(read.status?.rawValue == status)
    }

    @Test("SessionEstablishment is written and read, and refused without a member")
    func establishment() throws {
        let key = try EngagementParts().parse().eDeviceKeyBytes
        let bytes = SessionEstablishment.encode(eReaderKey: key, data: [7, 8])
        let read = try SessionEstablishment(bytes[...])
        #expect(read.eReaderKeyBytes.bytes == key.bytes)
        #expect(Array(read.data) == [7, 8])
        #expect(try read.eReaderKey().curve == .p256)
        for (hex, error) in [
            ("a0", .missingMember(at: 0)), ("80", .unexpectedType(expected: .map, at: 0)),
            ("a1646461746142 0708", .missingMember(at: 0)),
            ("a16a655265616465724b6579" + key.bytes.hex, .missingMember(at: 0)),
            (
                "a26a655265616465724b657900 646461746142 0708",
                .unexpectedType(expected: .tag(24), at: 12)
            ),
            (
                "a26a655265616465724b6579d81841a0 6464617461 00",
                .unexpectedType(expected: .byteString, at: 21)
            ),
        ] as [(String, CBORError)] {
            #expect(throws: MdocModelError.malformed(.sessionEstablishment, error)) {
                try SessionEstablishment([UInt8](hex: hex)[...])
            }
        }
        let notAKey = try SessionEstablishment(
            [UInt8](hex: "a26a655265616465724b6579d81841a0 6464617461 4100")[...])
        #expect(throws: MdocModelError.cose(.sessionEstablishment, .malformed(.key))) {
            try notAKey.eReaderKey()
        }
    }

    @Test("Messages do not show their bytes")
    func redacted() throws {
        let data = try SessionData([UInt8](hex: "a1646461746143446f65")[...])
        var dumped = ""
        dump(data, to: &dumped)
        for text in ["\(data)", String(reflecting: data), dumped] { #expect(!text.contains("111")) }
    }
}
