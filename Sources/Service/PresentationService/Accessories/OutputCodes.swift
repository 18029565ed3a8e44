internal import ReaderStore

/// The six digits of the outputs of presentations. Their key is read when the first digits are made, so that a store
/// without outputs has no key.
struct OutputCodes: Sendable {
    private let folder: String
    private var key: OutputCodeKey?

    /// - Parameter folder: the store's folder.
    init(store folder: String) {
        self.folder = folder
    }

    /// Returns the six digits of a presentation.
    ///
    /// - Throws: `keyFile` if the key cannot be used.
    mutating func code(of id: PresentationID) throws(ReaderStoreError) -> String {
        if let key { return try key.code(of: id) }
        let key = try OutputCodeKey(store: folder)
        self.key = key
        return try key.code(of: id)
    }
}
