package import Hummingbird
package import JSON
internal import NIOCore

/// An error that is answered with problem details (RFC 9457). Each server has its own type with its own ids.
package protocol ProblemDetails: Error, Sendable {
    /// The status of the response.
    var status: Int { get }
    /// The body of the response.
    var json: JSONValue { get }
    /// The number of seconds after which the request may succeed, or `nil` if that is not known.
    var retryAfter: Int64? { get }
}

/// The constants of problem details (RFC 9457, 3 and 4).
package enum ProblemFormat {
    package static let mediaType = "application/problem+json"

    /// The URI of a problem's type. The URI is only a name, and there is no document at it.
    package static func type(of id: String) -> String { "urn:countersign:problem:\(id)" }
}

extension Response {
    package static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, location: String? = nil
    ) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let location { headers[.location] = location }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.utf8 + [UInt8(ascii: "\n")])))
    }

    package static func bytes(_ bytes: some Sequence<UInt8>, type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    package static func problem(_ problem: some ProblemDetails) -> Response {
        var response = json(problem.json, status: HTTPResponse.Status(code: problem.status))
        response.headers[.contentType] = ProblemFormat.mediaType
        if let seconds = problem.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        return response
    }
}
