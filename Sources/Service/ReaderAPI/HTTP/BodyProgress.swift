internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Whether the body of a request was read to its end. The rest of a long one is not waited for: the connection ends.
final class BodyProgress: Sendable {
    let isRead = Atomic(false)

    /// Whether the rest of a request's body may be too long to be worth reading.
    func leavesMuch(of request: Request) -> Bool {
        guard !isRead.load(ordering: .relaxed) else { return false }
        if request.headers[.transferEncoding] != nil { return true }
        return request.headers[.contentLength].flatMap { Int($0) }.map { $0 > APICall.longestBody } ?? false
    }
}
