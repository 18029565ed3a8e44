internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import Synchronization

/// A request whose caller is known and may do what it asks.
struct APICall: Sendable {
    /// The most bytes of a body, where none else are said.
    static let longestBody = 1 << 16
    /// How long a body may take.
    private static let bodyTimeout = TimeAmount.seconds(10)

    let request: Request
    let context: APIContext
    /// Nil if everybody may ask.
    let caller: KnownCaller?

    /// Who asks, at a route that is not for everybody.
    var known: KnownCaller {
        get throws(APIProblem) {
            guard let caller else { throw .unauthorized }
            return caller
        }
    }

    func parameter(_ name: String) throws(APIProblem) -> String {
        guard let value = context.parameters.get(name) else { throw .notFound }
        return value
    }

    /// The values of the query, decoded, in their order.
    var query: [(name: String, value: String)] {
        request.uri.queryParameters.map { (String($0.key), String($0.value)) }
    }

    var presentation: PresentationID {
        get throws(APIProblem) { PresentationID(try parameter("id")) }
    }

    /// The body, which is a JSON object.
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

    private func bytes(upTo limit: Int) async throws(APIProblem) -> [UInt8] {
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

/// One request on its way to its route.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let body = BodyProgress()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

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
