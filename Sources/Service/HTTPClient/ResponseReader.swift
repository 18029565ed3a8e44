/// The state of one response, as a value that receives the lines of the head, the pieces of the body, and the
/// current time. A `Transfer` passes all three to this value, on the thread of the `TransferLoop`.
///
/// A response goes through three phases (`ClientPhase`):
/// 1. `connect`, until `connect(at:)`;
/// 2. `head`, in which interim responses (1xx) are read and dropped;
/// 3. `progress`, in which the body arrives.
///
/// If the body is not wanted, the response is complete at the end of its head. Otherwise the response is
/// complete at the end of its body. A response that exceeds a limit is a fault. Every fault is thrown as the
/// error that ends the transfer.
///
/// libcurl parses HTTP as well, and more leniently. This value refuses a response for which libcurl and this
/// value could disagree on where a head or a body ends.
struct ResponseReader {
    typealias Instant = ContinuousClock.Instant

    private let limits: ClientLimits
    private let wantsBody: @Sendable (ClientResponse) -> Bool
    private let hasRoom: @Sendable (Int) -> Bool
    private let start: Instant
    /// The instant of the latest progress: the connection was made, the head ended, or a piece of the body
    /// came.
    private var latest: Instant
    private var headSize = 0
    /// The response so far; `nil` before its status line.
    private var response: ClientResponse?
    private(set) var phase = ClientPhase.connect
    /// Whether the response is complete after its head, because its body is not wanted. All later bytes are
    /// ignored.
    private(set) var isComplete = false
    /// Whether only the end of the connection ends the body (RFC 9112, 6.3).
    private var endsWithConnection = false

    init(_ request: ClientRequest, at now: Instant) {
        limits = request.limits
        wantsBody = request.wantsBody
        hasRoom = request.hasRoom
        start = now
        latest = now
    }

    /// Records that the connection is made. The request is sent next.
    mutating func connect(at now: Instant) {
        guard phase == .connect else { return }
        phase = .head
        latest = now
    }

    /// The instant of the next deadline, and the phase whose time limit ends then.
    var deadline: (instant: Instant, phase: ClientPhase) {
        var deadlines = [(instant: start + limits.whole, phase: ClientPhase.whole)]
        if phase == .connect { deadlines.append((start + limits.connect, .connect)) }
        if phase != .progress, let head = limits.head { deadlines.append((start + head, .head)) }
        if phase != .connect, let progress = limits.progress { deadlines.append((latest + progress, phase)) }
        return deadlines.min { $0.instant < $1.instant } ?? deadlines[0]
    }

    /// Reads a line of the head with its line break. After the body has begun, the line belongs to a trailer
    /// and is dropped.
    mutating func receive(line: some Collection<UInt8>, at now: Instant) throws(ClientError) {
        // A line also shows that the connection is made.
        connect(at: now)
        headSize += line.count
        guard headSize <= ClientLimits.headSize else { throw .malformed }
        guard phase == .head else { return }
        // HTTP no longer allows a line that continues the previous one (RFC 9112, 5.2). libcurl could
        // continue a header where this reader sees the end of the head.
        guard let first = line.first, first != 0x20, first != 0x09 else { throw .malformed }
        if first == 0x0a || line.elementsEqual([0x0d, 0x0a]) { return try endHead(at: now) }
        let text = Self.trimmed(String(decoding: line, as: UTF8.self)[...])
        guard response != nil else {
            let words = text.split(separator: " ", maxSplits: 2)
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
                let status = Int(words[1])
            else { throw .malformed }
            response = ClientResponse(status: status)
            return
        }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { throw .malformed }
        let (name, value) = (String(text[..<colon]), Self.trimmed(text[text.index(after: colon)...]))
        // libcurl decodes every transfer coding that it knows, also of an interim response, before the body
        // is counted. A few bytes of nested compression could then occupy the thread for hours.
        if Self.trimmed(name[...]).lowercased() == "transfer-encoding" {
            let codings = value.split(separator: ",").map { Self.trimmed($0).lowercased() }
            guard codings.allSatisfy(["chunked", "identity"].contains) else { throw .encoded }
        }
        response?.headers.append((name, String(value)))
    }

    /// Accepts the empty line after a head. An interim response is dropped. The final response starts the
    /// body, and its headers decide how the body ends.
    private mutating func endHead(at now: Instant) throws(ClientError) {
        guard let response else { throw .malformed }
        // 101 is final, because the connection changes to another protocol.
        if (100..<200).contains(response.status), response.status != 101 {
            self.response = nil
            return
        }
        phase = .progress
        latest = now
        isComplete = !wantsBody(response)
        guard !isComplete else { return }
        // If there is a Transfer-Encoding, a Content-Length does not count (RFC 9112, 6.3).
        let codings = response.values(of: "transfer-encoding")
        guard codings.isEmpty else {
            endsWithConnection = codings.last?.lowercased().hasSuffix("chunked") != true
            return
        }
        // Several headers Content-Length are valid if all have one value (RFC 9110, 8.6).
        let announced = Set(response.values(of: "content-length"))
        guard announced.count <= 1 else { throw .malformed }
        guard let text = announced.first else {
            // Responses with these two codes have no body (RFC 9112, 6.3).
            endsWithConnection = ![204, 304].contains(response.status)
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
        // A number that does not fit into `Int` is above every limit.
        guard let size = Int(text), size <= limits.bodySize else { throw .tooLarge }
    }

    /// Returns the text without blanks, tabs and line breaks at both ends.
    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        let rest = text.drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? ""
    }

    /// Reads a piece of the body.
    mutating func receive(piece: some Collection<UInt8>, at now: Instant) throws(ClientError) {
        // Pieces of a body that is not wanted may come together with the head.
        guard !isComplete else { return }
        guard let count = response?.body.count, phase == .progress else { throw .malformed }
        guard piece.count <= limits.bodySize - count else { throw .tooLarge }
        guard hasRoom(piece.count) else { throw .noRoom }
        response?.body.append(contentsOf: piece)
        latest = now
    }

    /// Returns the response after its last byte has come.
    ///
    /// - Parameter wasCut: whether the connection may have been cut before the server closed it.
    /// - Throws: `truncated` if the head is not complete, or if the body ends with a connection that may have
    ///   been cut.
    func finish(wasCut: Bool) throws(ClientError) -> ClientResponse {
        guard phase == .progress, let response, isComplete || !(endsWithConnection && wasCut) else {
            throw .truncated
        }
        return response
    }
}
