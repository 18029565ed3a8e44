import CBOR
import JSON

extension UserFacingTexts {
    static let formats: [TextGroup] = [
        TextGroup(CBORError.samples, .formats) { $0.explanation },
        TextGroup(CBORType.samples, .formats) {
            CBORError.unexpectedType(expected: $0, at: 7).explanation
        },
        TextGroup(JSONError.samples, .formats) { $0.explanation },
        TextGroup(JSONType.samples, .formats) {
            JSONError.unexpectedType(expected: $0, at: 7).explanation
        },
        TextGroup(JSONFault.Condition.samples, .formats, named: "JSONFault") {
            JSONFault($0, line: 3, pointer: "/lanes/0/name").explanation
        },
    ]
}

extension CBORError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .truncated(at: 7)
        case .truncated?: .trailingBytes(at: 7)
        case .trailingBytes?: .reservedAdditionalInformation(at: 7)
        case .reservedAdditionalInformation?: .reservedSimpleValue(at: 7)
        case .reservedSimpleValue?: .unexpectedBreak(at: 7)
        case .unexpectedBreak?: .misplacedChunk(at: 7)
        case .misplacedChunk?: .invalidUTF8(at: 7)
        case .invalidUTF8?: .duplicateKey(at: 7)
        case .duplicateKey?: .tooDeep(at: 7)
        case .tooDeep?: .tooLong(limit: 1024)
        case .tooLong?: .tooMany(limit: 16)
        case .tooMany?: .unexpectedType(expected: .map, at: 7)
        case .unexpectedType?: .outOfRange(at: 7)
        case .outOfRange?: .missingMember(at: 7)
        case .missingMember?: nil
        }
    }
}

extension CBORType: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .integer
        case .integer?: .unsigned
        case .unsigned?: .byteString
        case .byteString?: .textString
        case .textString?: .array
        case .array?: CBORType.map
        case .map?: .tag(24)
        case .tag?: .boolean
        case .boolean?: nil
        }
    }
}

extension JSONError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .truncated(at: 7)
        case .truncated?: .trailingBytes(at: 7)
        case .trailingBytes?: .unexpectedByte(at: 7)
        case .unexpectedByte?: .numberMalformed(at: 7)
        case .numberMalformed?: .stringMalformed(at: 7)
        case .stringMalformed?: .invalidUTF8(at: 7)
        case .invalidUTF8?: .duplicateMember(at: 7)
        case .duplicateMember?: .tooDeep(at: 7)
        case .tooDeep?: .tooLong(limit: 1024)
        case .tooLong?: .unexpectedType(expected: .array, at: 7)
        case .unexpectedType?: .missingMember("brands", at: 7)
        case .missingMember?: .unknownMember(at: 7)
        case .unknownMember?: nil
        }
    }
}

extension JSONType: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .string
        case .string?: .integer
        case .integer?: .boolean
        case .boolean?: .array
        case .array?: .object
        case .object?: nil
        }
    }
}

extension JSONFault.Condition: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .tooLong(limit: 1024)
        case .tooLong?: .malformed
        case .malformed?: .tooDeep
        case .tooDeep?: .duplicateMember
        case .duplicateMember?: .unknownMember(Received.type)
        case .unknownMember?: .missingMember("name")
        case .missingMember?: .wrongValue("must be true or false")
        case .wrongValue?: nil
        }
    }
}
