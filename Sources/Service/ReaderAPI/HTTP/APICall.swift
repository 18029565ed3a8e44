internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import Synchronization

/// A request to a route, after its caller was recognised and has a scope of the route.
struct APICall: Sendable {
    /// The maximum number of bytes of a body, unless a route permits more.
    static let longestBody = 1 << 16
    /// The time limit for reading a body.
    private static let bodyTimeout = TimeAmount.seconds(10)

    let request: Request
    let context: APIContext
    /// The caller; `nil` at a route that is open to everybody.
    let caller: KnownCaller?

    /// The caller, at a route that needs scopes.
    var known: KnownCaller {
        get throws(APIProblem) {
            guard let caller else { throw .unauthorized }
            return caller
        }
    }

    /// The value of a `{name}` in the route's path.
    func parameter(_ name: String) throws(APIProblem) -> String {
        guard let value = context.parameters.get(name) else { throw .notFound }
        return value
    }

    /// The decoded names and values of the query, in their order.
    var query: [(name: String, value: String)] {
        request.uri.queryParameters.map { (String($0.key), String($0.value)) }
    }

    /// The id of the presentation, from `{id}` in the path.
    var presentation: PresentationID {
        get throws(APIProblem) { PresentationID(try parameter("id")) }
    }

    /// Reads the body as JSON.
    ///
    /// - Throws: `contentTypeRefused`, `bodyMissing`, `bodyTooLong`, `bodyTooSlow` or `bodyRefused`.
    func body(upTo limit: Int = longestBody) async throws(APIProblem) -> JSONText {
        guard request.headers[.contentType].map(Self.isJSON) ?? false else { throw .contentTypeRefused }
        let bytes = try await bytes(upTo: limit)
        guard !bytes.isEmpty else { throw .bodyMissing }
        return try mapping(JSONText(bytes[...], limit: limit), APIProblem.init(body:))
    }

    private static func isJSON(_ type: String) -> Bool {
        let media = type.prefix { $0 != ";" }
        return media.trimmingBlanks.lowercased() == "application/json"
    }

    /// Reads the bytes of the body, and records that the whole body was read.
    func bytes(upTo limit: Int) async throws(APIProblem) -> [UInt8] {
        do throws(BodyFault) {
            let bytes = try await request.body.bytes(
                upTo: limit, within: Self.bodyTimeout, on: context.channel.eventLoop)
            context.body.isRead.store(true, ordering: .relaxed)
            return bytes
        } catch {
            switch error {
            case .tooLong(let limit): throw .bodyTooLong(limit)
            case .tooSlow: throw .bodyTooSlow
            case .cut: throw .bodyCut
            }
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// The context of a request in Hummingbird's router, with the connection's channel.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let body = BodyProgress()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// The progress of reading a request's body. If a body that may be long was not read to its end, the server
/// closes the connection after the answer instead of reading the rest.
final class BodyProgress: Sendable {
    let isRead = Atomic(false)

    /// Whether the unread part of the body may be too long to be read.
    func leavesMuch(of request: Request) -> Bool {
        // The rest of a body, up to `longestBody` bytes, is read, so that the connection can be used again. A
        // body with Transfer-Encoding has an unknown length.
        guard !isRead.load(ordering: .relaxed) else { return false }
        if request.headers[.transferEncoding] != nil { return true }
        return request.headers[.contentLength].flatMap { Int($0) }.map { $0 > APICall.longestBody } ?? false
    }
}
