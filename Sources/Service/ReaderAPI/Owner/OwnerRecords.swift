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
        do throws(IdentityStoreError) {
            let identities = IdentityFolder(store: folder)
            return try identities.names().map { Self.description(of: $0, in: identities) }
        } catch {
            throw APIProblem(.identityRefused, 400, error.explanation)
        }
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

    /// What `countersign doctor` wrote to the store last: the checks that failed or warn. Nil where it wrote nothing that can be read.
    func doctor() -> JSONValue? {
        let path = "\(folder)/doctor.json"
        guard let bytes = try? PrivateFile.read(path), let since = FileStamp(path)?.changed,
            let text = try? JSONText(bytes[...], limit: PrivateFile.largest),
            let checks = try? text.members(["checks"]).required("checks").array(),
            let found = try? checks.map(Self.finding)
        else { return nil }
        return ["time": .string("\(since)"), "findings": .array(found.compactMap(\.self))]
    }

    private static func finding(_ check: JSONText) throws(JSONFault) -> JSONValue? {
        let members = try check.members(["id", "outcome", "detail", "fix"])
        let outcome = try members.required("outcome").string()
        guard ["failed", "warning"].contains(outcome) else { return nil }
        let fix = try members.required("fix")
        return [
            "id": try line(members.required("id")), "outcome": .string(outcome),
            "text": try line(members.required("detail")), "fix": fix.isNull ? .null : try line(fix),
        ]
    }

    private static func line(_ text: JSONText) throws(JSONFault) -> JSONValue {
        .string(Terminal.safe(try text.string(upTo: 4096), limit: 1024))
    }

    /// Follows the chain of all receipts to its end, or to the first that does not hold.
    func verification() throws(APIProblem) -> JSONValue {
        do throws(ReaderStoreError) {
            let (verdict, links) = try ReaderStore(at: folder, for: .reading).verifyReceipts()
            return verdict.json(links: links)
        } catch {
            throw .recordsUnavailable(error)
        }
    }
}
