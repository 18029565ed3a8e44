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
