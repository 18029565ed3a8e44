package import JSON

/// What a kiosk says of itself to its hub: what it obeys, why it refuses what it refuses, and how it is. No word of it is about a
/// person. A hub believes none of it but for the operator's eyes and the roll-out that it counts a refusal against.
package struct KioskReport: Equatable, Sendable {
    package static let maximumSize = 1 << 14

    package struct Entry: Equatable, Sendable {
        package let level: FleetLevel
        package let version: Int64
        /// `applied`, or the id of a refusal.
        package let result: String

        package init(level: FleetLevel, version: Int64, result: String) {
            self.level = level
            self.version = version
            self.result = result
        }
    }

    package var software: String
    package var documents: [Entry]
    /// The id of what the hub says of receipts; empty if they arrive.
    package var receipts: String
    /// Nil if the kiosk says nothing of it.
    package var health: KioskHealth?

    package init(software: String, documents: [Entry], receipts: String, health: KioskHealth? = nil) {
        self.software = software
        self.documents = documents
        self.receipts = receipts
        self.health = health
    }

    package init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["software", "documents", "receipts", "health"])
        software = try members.required("software").string(upTo: 64)
        documents = try members.required("documents").array(upTo: FleetLevel.allCases.count).map {
            entry throws(JSONFault) in
            let members = try entry.members(["level", "version", "result"])
            let (level, version) = try members.levelAndVersion()
            return Entry(
                level: level, version: version, result: try members.required("result").string(upTo: 64))
        }
        receipts = try members["receipts"]?.string(upTo: 64) ?? ""
        health = try members["health"].map { text throws(JSONFault) in try KioskHealth(text) }
    }

    package var json: JSONValue {
        let documents = documents.map { entry -> JSONValue in
            [
                "level": .string(entry.level.rawValue), "version": .integer(entry.version),
                "result": .string(entry.result),
            ]
        }
        let members: [(String, JSONValue)] = [
            ("software", .string(software)), ("documents", .array(documents)),
        ]
        return .object(
            members + (receipts.isEmpty ? [] : [("receipts", .string(receipts))])
                + (health.map { [("health", $0.json)] } ?? []))
    }
}

/// How a kiosk is: which lanes can ask a phone, what it finds wrong, how old its trust lists are, and how many receipts wait.
package struct KioskHealth: Equatable, Sendable {
    package static let mostLanes = 32
    package static let mostFindings = 32
    private static let longestID = 64
    /// In hours: a kiosk that says nothing else does not say this more often.
    package static let oldestTrust: Int64 = 1_000_000

    package struct Lane: Equatable, Sendable {
        package let name: String
        /// `ready`, or the word of `GET /v1/lanes` for why it is not.
        package let state: String

        package init(name: String, state: String) {
            self.name = name
            self.state = state
        }
    }

    package var lanes: [Lane]
    /// The ids of what is wrong with the kiosk as a whole, as `GET /readyz` has them.
    package var findings: [String]
    /// How old the newest trust list is, in hours; nil if there are no lists.
    package var trustAgeHours: Int64?
    /// How many receipts the hub does not have; nil if that is not known.
    package var receiptsWaiting: Int64?

    /// What is over the limits is left out.
    package init(
        lanes: [Lane] = [], findings: [String] = [], trustAgeHours: Int64? = nil,
        receiptsWaiting: Int64? = nil
    ) {
        self.lanes = Array(lanes.prefix(Self.mostLanes))
        self.findings = Array(findings.filter { $0.count <= Self.longestID }.prefix(Self.mostFindings))
        self.trustAgeHours = trustAgeHours.map { min($0, Self.oldestTrust) }
        self.receiptsWaiting = receiptsWaiting
    }

    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["lanes", "findings", "trustAgeHours", "receiptsWaiting"])
        lanes = try members.required("lanes").array(upTo: Self.mostLanes).map { lane throws(JSONFault) in
            let members = try lane.members(["name", "state"])
            return Lane(
                name: try members.required("name").string(upTo: 64),
                state: try members.required("state").string(upTo: 64))
        }
        findings = try members.required("findings").array(upTo: Self.mostFindings).map {
            finding throws(JSONFault) in try finding.string(upTo: Self.longestID)
        }
        trustAgeHours = try members["trustAgeHours"]?.integer(in: 0...Self.oldestTrust)
        receiptsWaiting = try members["receiptsWaiting"]?.integer(in: 0...JSONValue.largestExactInteger)
    }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            (
                "lanes",
                .array(lanes.map { ["name": .string($0.name), "state": .string($0.state)] })
            ),
            ("findings", .array(findings.map { .string($0) })),
        ]
        if let trustAgeHours { members.append(("trustAgeHours", .integer(trustAgeHours))) }
        if let receiptsWaiting { members.append(("receiptsWaiting", .integer(receiptsWaiting))) }
        return .object(members)
    }

    /// Whether lanes or findings differ: what an operator wants to know before the next regular question.
    func isNews(after other: KioskHealth?) -> Bool {
        lanes != other?.lanes || findings != other?.findings
    }
}

/// The documents that the hub names and the kiosk does not obey.
struct RefusedDocuments {
    private var byLevel: [FleetLevel: (version: Int64, id: String)] = [:]
    /// The digests of documents that were fetched and are older than what was seen.
    private var outdated: Set<[UInt8]> = []

    /// The hub names all documents again.
    mutating func begin() { byLevel = [:] }

    mutating func record(_ id: String, level: FleetLevel, version: Int64) {
        byLevel[level] = (version, id)
    }

    mutating func recordOutdated(_ digest: [UInt8]) { outdated.insert(digest) }

    func isOutdated(_ digest: [UInt8]) -> Bool { outdated.contains(digest) }

    /// The entries of a report: the documents that are obeyed, and in the place of each refused one its refusal.
    func entries(beside accepted: AcceptedDocuments) -> [KioskReport.Entry] {
        let obeyed = accepted.documents.values.filter { byLevel[$0.document.level] == nil }.map {
            KioskReport.Entry(level: $0.document.level, version: $0.document.version, result: "applied")
        }
        let refused = byLevel.map {
            KioskReport.Entry(level: $0.key, version: $0.value.version, result: $0.value.id)
        }
        return (obeyed + refused).sorted { $0.level.order < $1.level.order }
    }
}
