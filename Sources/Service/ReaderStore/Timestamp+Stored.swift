internal import MdocModel

extension Timestamp {
    /// An instant as stored in a table. Throws `damaged` outside the calendar, where nothing can be computed with
    /// it.
    init(stored seconds: Int64) throws(ReaderStoreError) {
        guard let instant = Timestamp(received: seconds) else { throw .damaged }
        self = instant
    }
}
