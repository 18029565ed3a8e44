internal import PresentationService
internal import Hummingbird
internal import NIOCore
internal import ReaderStore

extension RecordArchive {
    /// A body of all receipts, a page at a time; what is written meanwhile is not in it.
    ///
    /// - Parameters:
    ///   - opening: what comes first, for the number of receipts that follow.
    ///   - page: the bytes of some receipts, in their order.
    nonisolated func receiptBody(
        for caller: KnownCaller, opening: (Int) -> ByteBuffer,
        page: @escaping @Sendable ([SignedReceipt]) -> ByteBuffer
    ) async throws -> ResponseBody {
        let count = try await look(for: caller.name) { store throws(ReaderStoreError) in
            try store.lastReceipt()?.sequence ?? 0
        }
        let head = opening(Int(count))
        return ResponseBody { writer in
            try await writer.write(head)
            var written: Int64 = 0
            while written < count {
                let size = Int(min(count - written, Int64(ReceiptPage.most)))
                let receipts = try await self.look(for: caller.name) {
                    [written] store throws(ReaderStoreError) in
                    try store.receipts(after: written, atMost: size)
                }
                // One that is missing must not go unnoticed: the body ends here, cut off.
                guard receipts.count == size else { throw APIProblem.recordsUnavailable(.damaged) }
                try await writer.write(page(receipts))
                written += Int64(size)
            }
            try await writer.finish(nil)
        }
    }
}
