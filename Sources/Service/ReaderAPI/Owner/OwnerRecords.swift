internal import PresentationService
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore
internal import Reports

/// What only the owner looks at: until when identities are valid, and whether all receipts hold. A separate thread waits
/// for the disk and counts signatures, so that no presentation does.
actor OwnerRecords {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
    private let folder: String

    /// - Parameter folder: the store's.
    init(store folder: String) {
        self.folder = folder
    }

    /// The identities by name, each with the end of its validity. No key is used.
    func identities() throws(APIProblem) -> [JSONValue] {
        let identities = IdentityFolder(store: folder)
        return try mapping(identities.names(), APIProblem.init(identity:))
            .map { Self.description(of: $0, in: identities) }
    }

    private static func description(of name: IdentityName, in folder: IdentityFolder) -> JSONValue {
        var (expires, fault) = (Timestamp?.none, IdentityStoreError?.none)
        do throws(IdentityStoreError) {
            expires = try StoredIdentity(name, in: folder).expires
            if expires == nil { fault = .noCertificates }
        } catch {
            fault = error
        }
        return [
            "name": .string(name.text), "expires": JSONValue(expires.map { "\($0)" }),
            "fault": JSONValue(fault?.explanation),
        ]
    }

    /// A check of `countersign doctor` that failed or warns.
    struct Finding: Sendable {
        let id: String
        let outcome: String
        let text: String
        /// The command that puts it right; nil if no command does.
        let fix: String?

        var json: JSONValue {
            [
                "id": .string(id), "outcome": .string(outcome), "text": .string(text), "fix": JSONValue(fix),
            ]
        }
    }

    /// What `countersign doctor` wrote to the store last. Nil if it wrote nothing that can be read.
    func doctor() -> JSONValue? {
        guard let since = FileStamp(doctorPath)?.changed, let found = lastFindings() else { return nil }
        return ["time": .string("\(since)"), "findings": .array(found.map(\.json))]
    }

    /// The same without its time; empty if nothing can be read.
    func doctorFindings() -> [Finding] { lastFindings() ?? [] }

    private var doctorPath: String { "\(folder)/doctor.json" }

    private func lastFindings() -> [Finding]? {
        guard let bytes = try? PrivateFile.read(doctorPath),
            let text = try? JSONText(bytes[...], limit: PrivateFile.largest),
            let checks = try? text.members(["checks"]).required("checks").array(),
            let found = try? checks.map(Self.finding)
        else { return nil }
        return found.compactMap(\.self)
    }

    private static func finding(_ check: JSONText) throws(JSONFault) -> Finding? {
        let members = try check.members(["id", "outcome", "detail", "fix"])
        let outcome = try members.required("outcome").string()
        guard ["failed", "warning"].contains(outcome) else { return nil }
        let fix = try members.required("fix")
        return Finding(
            id: try line(members.required("id")), outcome: outcome,
            text: try line(members.required("detail")), fix: fix.isNull ? nil : try line(fix))
    }

    private static func line(_ text: JSONText) throws(JSONFault) -> String {
        Terminal.safe(try text.string(upTo: 4096), limit: 1024)
    }

    /// Follows the chain of all receipts to its end, or to the first that does not hold.
    func verification() throws(APIProblem) -> JSONValue {
        let (verdict, links) = try mapping(
            ReaderStore(at: folder, for: .reading).verifyReceipts(), APIProblem.recordsUnavailable)
        return verdict.json(links: links)
    }
}
