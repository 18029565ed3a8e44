internal import FoundationEssentials
internal import MdocTrust
internal import ReaderReports

/// The one file of policies: the default one by name, those that are added to or replace `age` and `rental`, and the clock
/// skew. A member that is not known is an error: it may be a restriction that was misspelt.
struct PolicyFile: Decodable {
    private static let largestSize = 1 << 16
    private static let largestSkew: Int64 = 3600

    private var standard = "age"
    private var clockSkew: Int64 = 60
    private var policies = ["age": RevocationPolicy.age, "rental": .rental(staleDays: 0)]

    /// What holds without a file.
    init() {}

    init(_ path: String) throws(CommandFailure) {
        let bytes = try InputFile.read(path, limit: Self.largestSize)
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch let error as PolicyFault {
            throw .malformed("\(Terminal.safe(path)): \(error.explanation)")
        } catch {
            throw .malformed(
                "\(Terminal.safe(path)): it is not JSON, or a member has another type than it should")
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.members(known: ["policy", "policies", "clockSkewSeconds"])
        standard = try members.decodeIfPresent(String.self, forKey: "policy") ?? standard
        clockSkew = try members.decodeIfPresent(Int64.self, forKey: "clockSkewSeconds") ?? clockSkew
        guard (0...Self.largestSkew).contains(clockSkew) else {
            throw PolicyFault.valueOutOfRange("clockSkewSeconds", 0...Self.largestSkew)
        }
        let added = try members.decodeIfPresent([String: Entry].self, forKey: "policies") ?? [:]
        for (name, entry) in added {
            policies[name] = RevocationPolicy(name: name, undetermined: entry.undetermined)
        }
        guard policies[standard] != nil else { throw PolicyFault.policyUnknown(standard) }
    }

    func settings(named name: String?) throws(CommandFailure) -> JudgingPolicy {
        guard let policy = policies[name ?? standard] else {
            throw .usage(
                "--policy: there is no policy of this name; there are "
                    + policies.keys.sorted().map { Terminal.safe($0, limit: 40) }.joined(separator: ", "))
        }
        return JudgingPolicy(revocation: policy, clockSkew: clockSkew)
    }

    private struct Entry: Decodable {
        let undetermined: RevocationPolicy.Undetermined

        private static let days: ClosedRange<Int64> = 0...365

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(known: ["undetermined", "staleDays"])
            let stale = try members.decodeIfPresent(Int64.self, forKey: "staleDays")
            if let stale, !Self.days.contains(stale) {
                throw PolicyFault.valueOutOfRange("staleDays", Self.days)
            }
            switch (try members.decode(String.self, forKey: "undetermined"), stale) {
            case ("accept", nil): undetermined = .accept
            case ("accept", _): throw PolicyFault.staleDaysMisplaced
            case ("refuse", _): undetermined = .refuse(unlessStaleFor: (stale ?? 0) * 86_400)
            default: throw PolicyFault.undeterminedUnknown
            }
        }
    }
}

private enum PolicyFault: Error {
    case memberUnknown(String)
    case policyUnknown(String)
    case undeterminedUnknown
    case staleDaysMisplaced
    case valueOutOfRange(String, ClosedRange<Int64>)

    var explanation: String {
        switch self {
        case .memberUnknown(let name): "the member \"\(Terminal.safe(name, limit: 40))\" is not known"
        case .policyUnknown(let name):
            "\"policy\" names a policy that there is not: \(Terminal.safe(name, limit: 40))"
        case .undeterminedUnknown: "\"undetermined\" is \"accept\" or \"refuse\""
        case .staleDaysMisplaced: "\"staleDays\" belongs to a policy that refuses"
        case .valueOutOfRange(let name, let range):
            "\"\(name)\" takes \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

private struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int? = nil

    init(stringLiteral value: String) { stringValue = value }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    fileprivate func members(known: Set<String>) throws -> KeyedDecodingContainer<MemberName> {
        let members = try container(keyedBy: MemberName.self)
        if let other = members.allKeys.map(\.stringValue).filter({ !known.contains($0) }).min() {
            throw PolicyFault.memberUnknown(other)
        }
        return members
    }
}
