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
    /// Receipts for those who show or check them, and what is retained. A caller who orders has the receipts of its
    /// own presentations, as long as these are remembered.
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
            APIRoute(.post, "/v1/exports", for: .scopes([.app])) { call in
                try await self.export(Self.reference(in: call.body()), of: call.known.name)
            },
            APIRoute(.delete, "/v1/exports/{id}", for: .scopes([.app])) { call in
                let removed = try await self.recordArchive()
                    .finishExport(call.parameter("id"), of: call.known.name)
                return .json(["removed": .integer(Int64(removed))])
            },
        ]
    }

    private nonisolated func recordArchive() throws(APIProblem) -> RecordArchive {
        guard let archive else { throw APIProblem.noRecords }
        return archive
    }

    private nonisolated func receipts(
        _ page: ReceiptPage, for caller: KnownCaller
    ) async throws -> JSONValue {
        try await recordArchive().look(for: caller.name) { store throws(ReaderStoreError) in
            let receipts = try store.receipts(after: page.after, atMost: page.limit)
            let last = try store.lastReceipt()
            return [
                "receipts": .array(receipts.map(\.json)), "count": .integer(last?.sequence ?? 0),
                "head": JSONValue(last?.digest.hexadecimal),
            ]
        }
    }

    private nonisolated func receipt(
        _ id: String, for caller: KnownCaller
    ) async throws -> SignedReceipt {
        guard let number = Int64(id), number > 0, "\(number)" == id else { throw APIProblem.receiptUnknown }
        if !caller.scopes.contains(.admin) {
            guard try await isReceipt(number, of: caller) else { throw APIProblem.receiptUnknown }
        }
        let found = try await recordArchive().look(for: caller.name) { store throws(ReaderStoreError) in
            try store.receipts(after: number - 1, atMost: 1)
        }
        guard let receipt = found.first, receipt.sequence == number else { throw APIProblem.receiptUnknown }
        return receipt
    }

    /// The chain as `countersign receipt verify` reads it.
    private nonisolated func receiptChain(for caller: KnownCaller) async throws -> Response {
        let body = try await recordArchive().receiptBody(for: caller) { count in
            ByteBuffer(bytes: ReceiptChain.opening(of: count))
        } page: { links in
            ByteBuffer(bytes: links.flatMap { ReceiptChain.encoding(of: $0.encoded) })
        }
        return Response(status: .ok, headers: [.contentType: "application/cbor"], body: body)
    }

    private nonisolated func receiptKeys(for caller: KnownCaller) async throws -> [UInt8] {
        let keys = try await recordArchive().look(for: caller.name) { store throws(ReaderStoreError) in
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

    private static func reference(in body: JSONText) throws(APIProblem) -> RetainedReference {
        let text = try mapping(
            body.members(["reference"]).required("reference").string(upTo: RetainedReference.maximumLength),
            APIProblem.init(body:))
        guard let named = try? RetainedReference(text) else { throw .nothingRetained }
        return named
    }

    /// Hands out what is retained for a reference, with the id under which its arrival is confirmed.
    private nonisolated func export(
        _ reference: RetainedReference, of owner: String
    ) async throws -> Response {
        let (id, export) = try await recordArchive()
            .beginExport(of: reference, orderedBy: owner, at: await now)
        return .json(.object([("id", JSONValue.string(id))] + export.members))
    }
}

/// Which receipts are wanted: `?after=N&limit=M`.
struct ReceiptPage {
    static let most = 500

    private(set) var after: Int64 = 0
    private(set) var limit = 100

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
