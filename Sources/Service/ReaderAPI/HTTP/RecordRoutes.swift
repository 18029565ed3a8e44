internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import NIOCore
internal import OpenSSLCrypto
internal import ReaderStore
internal import Reports

extension PresentationCoordinator {
    /// The routes of receipts and retained data. With scope `app` a caller reads the receipts of
    /// presentations that it ordered, as long as the daemon or its store has those presentations.
    nonisolated var recordRoutes: [APIRoute] {
        let readers = APIRoute.Access.scopes([.app, .admin])
        return [
            APIRoute(.get, "/v1/receipts", for: .scopes([.admin])) { call in
                .json(try await self.receipts(ReceiptPage(call.request.uri.query), for: call.known))
            },
            APIRoute(.get, "/v1/receipts/{id}", for: readers) { call in
                .json(try await self.receipt(call.parameter("id"), for: call.known).json)
            },
            APIRoute(.get, "/v1/receipt-chain", for: .scopes([.admin])) { call in
                try await self.receiptChain(for: call.known)
            },
            APIRoute(.get, "/v1/receipt-keys", for: readers) { call in
                .bytes(try await self.receiptKeys(for: call.known), type: "application/x-pem-file")
            },
            APIRoute(.post, "/v1/exports", for: .scopes([.app, .desk])) { call in
                let reference = try Self.reference(in: await call.body())
                let (id, export) = try await self.beginExport(
                    of: reference.retained, named: reference.name, in: self.recordArchive(), for: call.known)
                return .json(.object([("id", JSONValue.string(id))] + export.members))
            },
            APIRoute(.delete, "/v1/exports/{id}", for: .scopes([.app, .desk])) { call in
                let removed = try await self.finishExport(
                    call.parameter("id"), in: self.recordArchive(), for: call.known)
                return .json(["removed": .integer(Int64(removed))])
            },
            APIRoute(.post, "/v1/deletions", for: .scopes([.app, .desk])) { call in
                let reference = try Self.reference(in: await call.body())
                let removed = try await self.delete(
                    reference.retained, named: reference.name, in: self.recordArchive(), for: call.known)
                return .json(["removed": .integer(Int64(removed))])
            },
        ]
    }

    /// The archive of receipts and retained data in the daemon's store.
    ///
    /// - Throws: `noRecords` if the daemon has no store.
    private nonisolated func recordArchive() throws(APIProblem) -> RecordArchive {
        guard let archive else { throw APIProblem.noRecords }
        return archive
    }

    /// One page of receipts, with the number of all receipts and the digest of the last one.
    private nonisolated func receipts(
        _ page: ReceiptPage, for caller: KnownCaller
    ) async throws -> JSONValue {
        try await recordArchive().read(for: caller.name) { store throws(ReaderStoreError) in
            let receipts = try store.receipts(after: page.after, atMost: page.limit)
            // Receipts are numbered from 1 without a gap. The last number is therefore the number of
            // receipts.
            let last = try store.lastReceipt()
            return [
                "receipts": .array(receipts.map(\.json)), "count": .integer(last?.sequence ?? 0),
                "head": JSONValue(last?.digest.hexadecimal),
            ]
        }
    }

    /// The receipt with this number, if the caller is the administrator or ordered its presentation.
    private nonisolated func receipt(
        _ id: String, for caller: KnownCaller
    ) async throws -> SignedReceipt {
        // Each receipt has only one path, so `+1` and `01` are not accepted as ids.
        guard let number = Int64(id), number > 0, "\(number)" == id else { throw APIProblem.receiptUnknown }
        if !caller.scopes.contains(.admin) {
            guard try await isReceipt(number, of: caller) else { throw APIProblem.receiptUnknown }
        }
        let found = try await recordArchive().read(for: caller.name) { store throws(ReaderStoreError) in
            try store.receipts(after: number - 1, atMost: 1)
        }
        guard let receipt = found.first, receipt.sequence == number else { throw APIProblem.receiptUnknown }
        return receipt
    }

    /// The chain of all receipts, in the format that `countersign receipt verify` reads.
    private nonisolated func receiptChain(for caller: KnownCaller) async throws -> Response {
        let body = try await recordArchive().receiptBody(for: caller) { count in
            ByteBuffer(bytes: ReceiptChain.opening(of: count))
        } page: { links in
            ByteBuffer(bytes: links.flatMap { ReceiptChain.encoding(of: $0.encoded) })
        }
        return Response(status: .ok, headers: [.contentType: "application/cbor"], body: body)
    }

    /// The public keys that have signed receipts, in PEM.
    private nonisolated func receiptKeys(for caller: KnownCaller) async throws -> [UInt8] {
        let keys = try await recordArchive().read(for: caller.name) { store throws(ReaderStoreError) in
            try store.receiptKeys()
        }
        do throws(OpenSSLCryptoError) {
            var text: [UInt8] = []
            for key in keys { text += try key.pem() }
            return text
        } catch {
            throw APIProblem.failed
        }
    }

    /// Reads the reference of an export or a deletion, as text and in the form in which the store keeps
    /// it.
    ///
    /// - Throws: `nothingRetained` for an empty reference, under which no data can be retained.
    private static func reference(
        in body: JSONText
    ) throws(APIProblem) -> (name: String, retained: RetainedReference) {
        let text = try mapping(
            body.members(["reference"]).required("reference").string(upTo: RetainedReference.maximumLength),
            APIProblem.init(body:))
        guard let named = try? RetainedReference(text) else { throw .nothingRetained }
        return (text, named)
    }
}

/// The query of `GET /v1/receipts`: `?after=N&limit=M`.
struct ReceiptPage {
    /// The maximum number of receipts on one page.
    static let most = 500

    private(set) var after: Int64 = 0
    private(set) var limit = 100

    /// Parses the query.
    ///
    /// - Throws: `queryRefused` for a name other than `after` and `limit`, or for a number out of range.
    init(_ query: String?) throws(APIProblem) {
        for part in (query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let number = Int64(words[1]), number >= 0 else { throw .queryRefused }
            switch words[0] {
            case "after": after = number
            case "limit" where (1...Int64(Self.most)).contains(number): limit = Int(number)
            default: throw .queryRefused
            }
        }
    }
}

extension RecordArchive {
    /// A body with all receipts, written page by page. Receipts that are added meanwhile are not included.
    ///
    /// - Parameters:
    ///   - opening: returns the first bytes of the body. Its argument is the number of receipts that follow.
    ///   - page: returns the bytes of one page of receipts.
    nonisolated func receiptBody(
        for caller: KnownCaller, opening: (Int) -> ByteBuffer,
        page: @escaping @Sendable ([SignedReceipt]) -> ByteBuffer
    ) async throws -> ResponseBody {
        let count = try await read(for: caller.name) { store throws(ReaderStoreError) in
            try store.lastReceipt()?.sequence ?? 0
        }
        let head = opening(Int(count))
        return ResponseBody { writer in
            try await writer.write(head)
            var written: Int64 = 0
            while written < count {
                let size = Int(min(count - written, Int64(ReceiptPage.most)))
                let receipts = try await self.read(for: caller.name) {
                    [written] store throws(ReaderStoreError) in
                    try store.receipts(after: written, atMost: size)
                }
                // A missing receipt must not go unnoticed. The error ends the body early, which the client
                // sees as a broken transfer.
                guard receipts.count == size else { throw APIProblem.recordsUnavailable(.damaged) }
                try await writer.write(page(receipts))
                written += Int64(size)
            }
            try await writer.finish(nil)
        }
    }
}
