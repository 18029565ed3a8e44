internal import PresentationService
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore
internal import Reports

/// The store's files that the owner's page shows: reader identities, the results of `countersign doctor`, and
/// the chain of receipts. The actor runs on its own queue, so that waiting for the disk and verifying
/// signatures delay no presentation.
actor OwnerRecords {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
    private let folder: String

    /// Creates the actor without reading anything.
    ///
    /// - Parameter folder: the store's folder.
    init(store folder: String) {
        self.folder = folder
    }

    /// The identities by name, each with its expiry date or its fault. No private key is used.
    func identities() throws(APIProblem) -> [JSONValue] {
        let identities = IdentityFolder(store: folder)
        return try mapping(identities.names(), APIProblem.init(identity:))
            .map { Self.description(of: $0, in: identities) }
    }

    /// The JSON of an identity. An identity without certificates has a fault instead of an expiry date.
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
        /// The command that repairs the fault, or `nil` if there is none.
        let fix: String?

        var json: JSONValue {
            [
                "id": .string(id), "outcome": .string(outcome), "text": .string(text), "fix": JSONValue(fix),
            ]
        }
    }

    /// The last results of `countersign doctor` with their time, or `nil` if there are none that can be read.
    func doctor() -> JSONValue? {
        // The file contains no time. Each run writes the file once, so the time of its last change is the
        // time of the run.
        guard let since = FileStamp(doctorPath)?.changed, let found = lastFindings() else { return nil }
        return ["time": .string("\(since)"), "findings": .array(found.map(\.json))]
    }

    /// The last findings of `countersign doctor`; empty if there are none that can be read.
    func doctorFindings() -> [Finding] { lastFindings() ?? [] }

    private var doctorPath: String { "\(folder)/doctor.json" }

    /// The findings in the file that `countersign doctor` wrote, or `nil` if there is no file that can be
    /// read.
    private func lastFindings() -> [Finding]? {
        // `PrivateFile.read` refuses a file that another user may change.
        guard let bytes = try? PrivateFile.read(doctorPath),
            let text = try? JSONText(bytes[...], limit: PrivateFile.largest),
            let checks = try? text.members(["checks"]).required("checks").array(),
            let found = try? checks.map(Self.finding)
        else { return nil }
        return found.compactMap(\.self)
    }

    /// Reads one check of the file. Returns `nil` for a check that neither failed nor warns.
    private static func finding(_ check: JSONText) throws(JSONFault) -> Finding? {
        let members = try check.members(["id", "outcome", "detail", "fix"])
        let outcome = try members.required("outcome").string()
        guard ["failed", "warning"].contains(outcome) else { return nil }
        let fix = try members.required("fix")
        return Finding(
            id: try line(members.required("id")), outcome: outcome,
            text: try line(members.required("detail")), fix: fix.isNull ? nil : try line(fix))
    }

    /// A text of the file in one line, without characters that change how a page or terminal shows it.
    private static func line(_ text: JSONText) throws(JSONFault) -> String {
        Terminal.safe(try text.string(upTo: 4096), limit: 1024)
    }

    /// Verifies the chain of receipts to its end, or to the first receipt that is not valid.
    func verification() throws(APIProblem) -> JSONValue {
        let (verdict, links) = try mapping(
            ReaderStore(at: folder, for: .reading).verifyReceipts(), APIProblem.recordsUnavailable)
        return verdict.json(links: links)
    }
}
