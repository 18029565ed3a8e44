import CBOR
import COSE
import Foundation
import OpenSSLCrypto
import Testing
import VectorFiles

@testable import MdocModel

@Suite("DeviceRequest of the second edition")
struct ExtendedRequestTests {
    /// As another implementation writes an mDL's age with two alternatives.
    private static let published =
        "a26776657273696f6e63312e316b646f63526571756573747381a16c6974656d7352657175657374d818590104a367646f6354797065756f72672e69736f2e31383031332e352e312e6d444c6a6e616d65537061636573a1716f72672e69736f2e31383031332e352e31a26b6167655f6f7665725f3138f568706f727472616974f46b72657175657374496e666fa177616c7465726e617469766544617461456c656d656e747381a270726571756573746564456c656d656e7482716f72672e69736f2e31383031332e352e316b6167655f6f7665725f313876616c7465726e6174697665456c656d656e7453657473828182716f72672e69736f2e31383031332e352e316c6167655f696e5f79656172738182716f72672e69736f2e31383031332e352e316a62697274685f64617465"

    private static let alternatives = AlternativeDataElements(
        requestedElement: .mDL("age_over_18"), sets: [[.mDL("age_in_years")], [.mDL("birth_date")]])
    private static let useCase = DeviceRequestInfo.UseCase(isMandatory: true, documentSets: [[0], [1]])

    private func encode(
        _ draft: DeviceRequestDraft, for capabilities: EngagementCapabilities
    ) throws -> DeviceRequest {
        try DeviceRequest(
            draft.encode(for: capabilities, in: ReaderFixture.transcript(), signedBy: nil)[...])
    }

    @Test("Alternative data elements are written as published, and read back")
    func alternatives() throws {
        let items = ItemsRequest(
            docType: "org.iso.18013.5.1.mDL",
            nameSpaces: [
                .init(
                    name: "org.iso.18013.5.1",
                    elements: [
                        .init(identifier: "age_over_18", intentToRetain: true),
                        .init(identifier: "portrait", intentToRetain: false),
                    ])
            ], alternatives: [Self.alternatives])
        let written = try DeviceRequestDraft([items]).encode(
            for: .extendedRequest, in: ReaderFixture.transcript())
        #expect(written.hex == Self.published)
        #expect(try DeviceRequest(written[...]).docRequests.map(\.itemsRequest) == [items])
    }

    @Test("What is offered as an alternative is asked for, and nothing else is")
    func asksForAlternatives() throws {
        let items = try #require(
            try DeviceRequest([UInt8](hex: Self.published)[...]).docRequests.first?.itemsRequest)
        #expect(items.asks(for: "birth_date", in: "org.iso.18013.5.1"))
        #expect(items.asks(for: "age_over_18", in: "org.iso.18013.5.1"))
        #expect(!items.asks(for: "birth_date", in: "org.iso.18013.5.1.aamva"))
        #expect(!items.asks(for: "age_birth_year", in: "org.iso.18013.5.1"))
    }

    @Test(
        "Alternatives of another shape are refused",
        arguments: [
            ("8182716f72672e69736f2e31383031332e352e316a62697274685f64617465", "80", 0),
            ("82716f72672e69736f2e31383031332e352e316a62697274685f64617465", "81616e", 0),
            ("82716f72672e69736f2e31383031332e352e316a62697274685f64617465", "83616e616e616e", 0),
            // The map in which the key is missing begins a byte before its key.
            ("70726571756573746564456c656d656e74", "70726571756573746564456c656d656e75", -1),
        ])
    func malformedAlternatives(_ part: String, replacement: String, offset: Int) throws {
        let items = try DeviceRequest([UInt8](hex: Self.published)[...]).docRequests[0].itemsRequestBytes
        let content = items.content.hex
        #expect(content.contains(part))
        let changed = EncodedCBOR<ItemsRequest>(
            embedding: [UInt8](hex: content.replacing(part, with: replacement)))
        let request = DeviceRequest.encode([(items: changed, readerAuth: nil)])
        let start = try #require(request.firstRange(of: changed.content)).lowerBound
        let place = try #require(Array(items.content).firstRange(of: [UInt8](hex: part))).lowerBound
        let missing = CBORError.missingMember(at: start + place + offset)
        #expect(throws: MdocModelError.malformed(.deviceRequest, missing)) { try DeviceRequest(request[...]) }
    }

    /// A request whose one document has these members of `requestInfo`.
    private static func request(_ members: [(name: String, value: String)]) -> [UInt8] {
        let items = CBOREncoder.encode { encoder in
            encoder.map(count: 3)
            encoder.text("docType")
            encoder.text("org.iso.18013.5.1.mDL")
            encoder.text("nameSpaces")
            encoder.map(count: 0)
            encoder.text("requestInfo")
            encoder.map(count: members.count)
            for member in members {
                encoder.text(member.name)
                encoder.encoded([UInt8](hex: member.value))
            }
        }
        return DeviceRequest.encode([(items: EncodedCBOR(embedding: items), readerAuth: nil)])
    }

    /// `zkRequest` of the shared vector `requestInfo.zkRequest`.
    private static let zeroKnowledge =
        "a26b73797374656d537065637381a36a7a6b53797374656d49646273316673797374656d736c6f6e6766656c6c6f772d6c69627a6b2d763166706172616d73a56776657273696f6e076c636972637569745f686173687840386430373932313137313532303066663036633531303936333932343535303262666539346161383639393038643331313736616165343031363138323132316e6e756d5f61747472696275746573016e626c6f636b5f656e635f686173681910376d626c6f636b5f656e635f7369671910006a7a6b5265717569726564f4"

    @Test(
        "Members of requestInfo that are not sent are read and named",
        arguments: [
            ("uniqueDocSetRequired", "f5", "one document alone may answer (uniqueDocSetRequired)"),
            ("uniqueDocSetRequired", "f4", "one document or several may answer (uniqueDocSetRequired)"),
            ("maximumResponseSize", "191000", "the answer may have at most 4096 bytes (maximumResponseSize)"),
            (
                "docResponseEncryption", "d81841a0",
                "asks for an answer encrypted for a recipient (docResponseEncryption)"
            ),
            ("zkRequest", zeroKnowledge, "a zero-knowledge proof is wanted (zkRequest)"),
            ("zkRequest", "a16a7a6b5265717569726564f5", "a zero-knowledge proof is required (zkRequest)"),
        ])
    func namedMembers(_ name: String, _ value: String, _ remark: String) throws {
        let read = try DeviceRequest(Self.request([(name, value)])[...])
        #expect(read.remarks.count == 1)
        #expect(read.remarks[0].hasPrefix("docRequest 0: ") && read.remarks[0].contains(remark))
        #expect(try DeviceRequest(Self.request([("other", value)])[...]).remarks == [])
        #expect(try DeviceRequest([UInt8](hex: Self.published)[...]).remarks == [])
    }

    @Test(
        "Members of another shape are malformed",
        arguments: [
            ("uniqueDocSetRequired", "01"), ("maximumResponseSize", "20"), ("zkRequest", "80"),
            ("zkRequest", "a16a7a6b526571756972656401"),
        ])
    func malformedMembers(_ name: String, _ value: String) throws {
        let error = #expect(throws: MdocModelError.self) {
            try DeviceRequest(Self.request([(name, value)])[...])
        }
        guard case .malformed(.deviceRequest, _) = try #require(error) else {
            Issue.record("\(name): \(String(describing: error))")
            return
        }
    }

    @Test("The draft's own example of use cases is read, and written byte for byte")
    func draftExample() throws {
        let hex =
            "a168757365436173657382a3696d616e6461746f7279f46c646f63756d656e74536574738181006c707572706f736548696e7473a1716f72672e69736f2e6a7463312e7363313702a3696d616e6461746f7279f46c646f63756d656e745365747382810181026c707572706f736548696e7473a1716f72672e69736f2e6a7463312e7363313701"
        let identity = { (code: Int64) in
            [DeviceRequestInfo.PurposeHint(definedBy: "org.iso.jtc1.sc17", code: code)]
        }
        let info = DeviceRequestInfo(useCases: [
            .init(isMandatory: false, documentSets: [[0]], purposeHints: identity(2)),
            .init(isMandatory: false, documentSets: [[1], [2]], purposeHints: identity(1)),
        ])
        #expect(info.encoded().content.hex == hex)
        let documents = [ItemsRequest.mDL("sex"), .mDL("portrait"), .mDL("height")].map {
            (items: $0.encoded(), readerAuth: [UInt8]?.none)
        }
        let request = DeviceRequest.encode(
            documents, version: "1.1", info: EncodedCBOR(embedding: [UInt8](hex: hex)))
        #expect(try DeviceRequest(request[...]).deviceRequestInfo == info)
    }

    @Test("Use cases are written and read back, with their purposes")
    func useCases() throws {
        let useCase = DeviceRequestInfo.UseCase(
            isMandatory: false, documentSets: [[0], [1, 0]],
            purposeHints: [.init(definedBy: "org.iso.jtc1.sc17", code: -1)])
        let draft = DeviceRequestDraft([.mDL("portrait"), .mDL("sex")], useCases: [useCase])
        let read = try encode(draft, for: .extendedRequest)
        #expect(read.version == "1.1")
        #expect(read.deviceRequestInfo == DeviceRequestInfo(useCases: [useCase]))
        #expect(
            DeviceRequestInfo(useCases: [.init(isMandatory: true, documentSets: [[0]])]).encoded().content.hex
                == "a168757365436173657381a2696d616e6461746f7279f56c646f63756d656e7453657473818100")
        #expect(DeviceRequestInfo(useCases: []).encoded().content.hex == "a0")
    }

    @Test("A use case that names a document that is not there, or none, is refused")
    func useCaseOutOfRange() throws {
        for (sets, error) in [
            ([[2]], { .outOfRange(at: $0 + 2) }), ([[]], { .missingMember(at: $0 + 1) }),
            ([], { .missingMember(at: $0) }),
        ] as [([[Int]], (Int) -> CBORError)] {
            let draft = DeviceRequestDraft(
                [.mDL("portrait"), .mDL("sex")],
                useCases: [.init(isMandatory: true, documentSets: sets)])
            let bytes = try draft.encode(
                for: .extendedRequest, in: ReaderFixture.transcript(), signedBy: nil)
            let list = try #require(bytes.firstRange(of: Array("documentSets".utf8))).upperBound
            #expect(throws: MdocModelError.malformed(.deviceRequest, error(list))) {
                try DeviceRequest(bytes[...])
            }
        }
    }

    @Test("In version 1.0 the members of the second edition are skipped")
    func ignoredInFirstVersion() throws {
        let info = DeviceRequestInfo(useCases: [Self.useCase]).encoded()
        let documents = [ItemsRequest.mDL("sex"), .mDL("portrait")].map {
            (items: $0.encoded(), readerAuth: [UInt8]?.none)
        }
        let read = { (version: String) in
            try DeviceRequest(
                DeviceRequest.encode(documents, version: version, info: info, readerAuthAll: [0x80])[...])
        }
        #expect(try read("1.0").deviceRequestInfo == nil)
        #expect(try read("1.0").readerAuthAll.isEmpty)
        #expect(try read("1.1").deviceRequestInfo?.useCases == [Self.useCase])
        #expect(try read("1.1").readerAuthAll.count == 1)
    }

    @Test("Q168 Without the capability there is neither use case nor alternative, and the version is 1.0")
    func withoutCapability() throws {
        let draft = DeviceRequestDraft(
            [.mDL("age_over_18", alternatives: [Self.alternatives]), .mDL("portrait")],
            useCases: [Self.useCase])
        let capabilities: [EngagementCapabilities] = [
            [], .readerAuthAll, .handoverSessionEstablishment,
            [.readerAuthAll, .handoverSessionEstablishment],
        ]
        for capability in capabilities {
            let read = try encode(draft, for: capability)
            #expect(read.version == "1.0")
            #expect(read.deviceRequestInfoBytes == nil)
            #expect(read.docRequests.map(\.itemsRequest) == [.mDL("age_over_18")])
        }
        let extended = try encode(draft, for: .extendedRequest)
        #expect(extended.version == "1.1")
        #expect(extended.deviceRequestInfo?.useCases == [Self.useCase])
        #expect(extended.docRequests.map(\.itemsRequest) == draft.documents)
    }

    @Test("Q168 A request that uses nothing of the second edition is of version 1.0 for every wallet")
    func plain() throws {
        let draft = DeviceRequestDraft([.mDL("portrait"), .mDL("sex")])
        let all: EngagementCapabilities = [.extendedRequest, .readerAuthAll]
        let read = try encode(draft, for: all)
        #expect(read.version == "1.0")
        #expect(read.docRequests.count == 2)
    }

    @Test("The published 1.1 request is read, and written anew from its parts byte for byte")
    func publishedExtendedRequest() throws {
        struct Samples: Decodable {
            struct Entry: Decodable {
                let name: String
                let hex: String
            }
            let requests: [Entry]
        }
        let samples: Samples = try VectorFiles.json(
            at: VectorFiles.own.appending(path: "iso18013-5/samples-requests-engagements.json"))
        let hex = try #require(samples.requests.first { $0.name == "device_request_v11" }?.hex)
        let read = try DeviceRequest([UInt8](hex: hex)[...])
        #expect(
            read.deviceRequestInfo?.useCases == [.init(isMandatory: true, documentSets: [[0]])])
        let signature = try #require(read.readerAuthAll.first)
        #expect(read.readerAuthAll.count == 1)
        let again = DeviceRequest.encode(
            read.docRequests.map { (items: $0.itemsRequestBytes, readerAuth: nil) }, version: read.version,
            info: read.deviceRequestInfo?.encoded(), readerAuthAll: Array(signature.encoded))
        #expect(again.hex == hex)
        #expect(try COSESign1(signature).headers.x5chain().count == 1)
    }
}
