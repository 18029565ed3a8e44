internal import Hummingbird
internal import JSON
internal import NIOCore

extension Response {
    static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, location: String? = nil
    ) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let location { headers[.location] = location }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.utf8 + [UInt8(ascii: "\n")])))
    }

    static func bytes(_ bytes: some Sequence<UInt8>, type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func problem(_ problem: APIProblem) -> Response {
        var response = json(problem.json, status: HTTPResponse.Status(code: problem.status))
        response.headers[.contentType] = APIProblem.mediaType
        if let seconds = problem.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        return response
    }
}
