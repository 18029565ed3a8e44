package import JSON

/// A kiosk's report to its hub: the documents that are in force or refused, and the kiosk's health. A report
/// contains nothing about a person. The hub shows the report on the operator's page, counts a refused
/// document in the report as a failure of the document's roll-out, and raises an alert for a problem with
/// receipts. The hub uses the content of a report for nothing else.
package struct KioskReport: Equatable, Sendable {
    /// The maximum size of a report, in bytes.
    package static let maximumSize = 1 << 14

    /// A fleet document that the hub offered, with the kiosk's result for it: applied or refused.
    package struct Entry: Equatable, Sendable {
        package let level: FleetLevel
        package let version: Int64
        /// `applied`, or the id of the refusal.
        package let result: String

        package init(level: FleetLevel, version: Int64, result: String) {
            self.level = level
            self.version = version
            self.result = result
        }
    }

    package var software: String
    package var documents: [Entry]
    /// The id of the problem with which the hub refuses receipts; empty while the hub accepts them.
    package var receipts: String
    /// The kiosk's health, or `nil` if the report contains none.
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

/// The health of a kiosk: its lanes, its findings, the age of its trust lists, and the number of waiting
/// receipts.
package struct KioskHealth: Equatable, Sendable {
    package static let mostLanes = 32
    package static let mostFindings = 32
    private static let longestID = 64
    /// The highest age of trust lists that a report contains, in hours.
    package static let oldestTrust: Int64 = 1_000_000

    /// A lane, which is one till with a reader, and its state.
    package struct Lane: Equatable, Sendable {
        package let name: String
        /// `ready`, or another state as in `GET /v1/lanes`.
        package let state: String

        package init(name: String, state: String) {
            self.name = name
            self.state = state
        }
    }

    package var lanes: [Lane]
    /// The ids of the findings about the whole kiosk, as in `GET /readyz`. A finding is a condition that
    /// needs attention.
    package var findings: [String]
    /// The age of the newest trust list, in hours, or `nil` without lists.
    package var trustAgeHours: Int64?
    /// The number of receipts that the hub does not have, or `nil` if unknown.
    package var receiptsWaiting: Int64?

    /// Creates a health value. Lanes and findings beyond their maximum numbers are left out.
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

    /// Whether the lanes or findings differ from the lanes and findings of an earlier report. Such a change
    /// is worth a report before the next regular one.
    func isNews(after other: KioskHealth?) -> Bool {
        lanes != other?.lanes || findings != other?.findings
    }
}

/// The documents that the hub offers and the kiosk refuses.
struct RefusedDocuments {
    private var byLevel: [FleetLevel: (version: Int64, id: String)] = [:]
    /// The SHA-256 of downloaded documents whose version is lower than the version in force. The kiosk does
    /// not download such a document again.
    private var outdated: Set<[UInt8]> = []

    /// Removes all refusals. Called before a new desired state is evaluated, because the state lists all
    /// offered documents again.
    mutating func begin() { byLevel = [:] }

    mutating func record(_ id: String, level: FleetLevel, version: Int64) {
        byLevel[level] = (version, id)
    }

    mutating func recordOutdated(_ digest: [UInt8]) { outdated.insert(digest) }

    func isOutdated(_ digest: [UInt8]) -> Bool { outdated.contains(digest) }

    /// Returns the entries of a report, at most one for each level: the refused document if the level has
    /// one, otherwise the document in force.
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
