internal import CCurl
internal import OpenSSLCrypto

/// libcurl's handle of one transfer, with its options. If the library refuses an option, the transfer fails,
/// so that no transfer runs with less protection than requested.
@safe struct EasyHandle: ~Copyable {
    private let curl: LibCurl
    let pointer: LibCurl.Handle
    private let headers: HeaderList
    /// The buffer for libcurl's text of an error.
    private let words: UnsafeMutablePointer<CChar>
    /// The number of this transfer, by which `ClosureAlerts` recognises the connection that is made for the
    /// transfer.
    private let number: Int

    init(_ curl: LibCurl) throws(ClientError) {
        guard let pointer = unsafe curl.easyInit() else { throw .libraryMissing }
        self.curl = curl
        unsafe self.pointer = pointer
        headers = HeaderList(curl)
        unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        number = curl.alerts.begin()
    }

    deinit {
        // libcurl may write to `words` until its handle is freed.
        unsafe curl.easyCleanup(pointer)
        unsafe words.deallocate()
        curl.alerts.end(number)
    }

    /// Whether the server has sent the alert close_notify on the connection that was made for this transfer.
    /// TLS demands this alert at the end of a connection.
    var hasClosureAlert: Bool { curl.alerts.has(number) }

    /// Translates the error with which libcurl ended the transfer.
    borrowing func error(_ code: CURLcode, in phase: ClientPhase) -> ClientError {
        unsafe ClientError(
            code, verification: curl.number(pointer, CURLINFO_SSL_VERIFYRESULT), in: phase,
            words: String(cString: words))
    }

    // MARK: Options

    /// Whether a text can stand in the head of a request. A line break would begin another header, and a zero
    /// byte would end the text.
    private static func fitsHead(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    /// Sets the options for the request: URL, headers and body, without redirects and proxies.
    borrowing func set(_ request: ClientRequest) throws(ClientError) {
        try unsafe check(curl.set(pointer, CURLOPT_ERRORBUFFER, pointer: words))
        guard Self.fitsHead(request.url) else { throw .malformed }
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // The path is sent as the URL has it. By default libcurl would resolve `..` in it.
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        // The caller decides whether a redirect is allowed.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // Nothing is decompressed, because a few compressed bytes could occupy the thread for hours.
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // No proxy from environment variables, and no signals, because this process has other threads.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_NOSIGNAL, 1)
        // Without this option, the end of a transfer would wait for a name that is still being looked up.
        try set(CURLOPT_QUICK_EXIT, 1)
        for (name, value) in request.headers {
            // libcurl would drop a header with an empty value.
            guard Self.fitsHead(name + value), !value.isEmpty else { throw .malformed }
            try headers.append("\(name): \(value)")
        }
        // libcurl adds these headers, unless a line without a value removes them.
        for name in ["Accept", "Content-Type", "Expect"]
        where !request.headers.contains(where: { $0.name == name }) {
            try headers.append("\(name):")
        }
        try unsafe check(curl.set(pointer, CURLOPT_HTTPHEADER, pointer: headers.first))
        guard let body = request.body else { return }
        try set(CURLOPT_POST, 1)
        // The size is set first, because libcurl then copies this number of bytes.
        try set(CURLOPT_POSTFIELDSIZE, body.count)
        let code = unsafe body.withUnsafeBytes { bytes in
            // An empty array may have no address. If libcurl got a null pointer, it would request the body
            // from a callback.
            unsafe "".withCString { empty in
                unsafe curl.set(
                    pointer, CURLOPT_COPYPOSTFIELDS, pointer: bytes.baseAddress ?? UnsafeRawPointer(empty))
            }
        }
        try check(code)
    }

    /// Sets the options for TLS: the roots, the verification of the server, and the client's credentials.
    borrowing func set(_ trust: ClientTrust) throws(ClientError) {
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        // 2 compares the certificate with the host's name.
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        // A chain has to end in a root. By default libcurl would also accept a chain that ends in a
        // certificate below a root, if that certificate is in the file of roots.
        try set(CURLOPT_SSL_OPTIONS, Int(CURLSSLOPT_NO_PARTIALCHAIN))
        // In a resumed session the server would not show its certificate again.
        try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        // libcurl reads the system's roots again after 60 s, so that a root that was removed from the system
        // is soon not trusted any more.
        try set(CURLOPT_CA_CACHE_TIMEOUT, 60)
        // Without this option the system's folder of roots would be trusted in addition to the given roots.
        try unsafe check(curl.set(pointer, CURLOPT_CAPATH, pointer: nil))
        try unsafe check(
            curl.set(
                pointer,
                contextReceiver: { _, context, number in
                    unsafe LibCurl.installed?.alerts.watch(context, number: number)
                    return CURLE_OK
                }))
        try unsafe check(
            curl.set(pointer, CURLOPT_SSL_CTX_DATA, pointer: UnsafeRawPointer(bitPattern: number)))
        if case .pem(let pem) = trust.roots { try set(CURLOPT_CAINFO_BLOB, copyOf: pem) }
        guard let credentials = trust.credentials else { return }
        try set(CURLOPT_SSLCERT_BLOB, copyOf: credentials.certificates)
        // libcurl must not copy the key, since nobody would overwrite the copy. The client keeps the key for
        // longer than a transfer lasts, and the key's bytes do not move.
        let code = unsafe credentials.key.withUnsafeBytes { bytes in
            unsafe set(CURLOPT_SSLKEY_BLOB, bytes, flags: UInt32(CURL_BLOB_NOCOPY))
        }
        try check(code)
    }

    /// Sets whether the transfer may use an idle connection and leave its connection for others.
    borrowing func set(_ reuse: ConnectionReuse) throws(ClientError) {
        switch reuse {
        case .never:
            try set(CURLOPT_FRESH_CONNECT, 1)
            try set(CURLOPT_FORBID_REUSE, 1)
        case .within(let idle): try set(CURLOPT_MAXAGE_CONN, Int(idle.components.seconds))
        }
    }

    /// Sets the functions that libcurl calls with `context`: before the request is sent, for each line of the
    /// head, and for each piece of the body.
    borrowing func receive(
        into context: UnsafeMutableRawPointer, connected: @escaping curl_prereq_callback,
        line: @escaping curl_write_callback, piece: @escaping curl_write_callback
    ) throws(ClientError) {
        try unsafe check(curl.set(pointer, prerequest: connected))
        try unsafe check(curl.set(pointer, CURLOPT_HEADERFUNCTION, receiver: line))
        try unsafe check(curl.set(pointer, CURLOPT_WRITEFUNCTION, receiver: piece))
        for option in [CURLOPT_PREREQDATA, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA] {
            try unsafe check(curl.set(pointer, option, pointer: context))
        }
    }

    private borrowing func set(_ option: CURLoption, _ number: Int) throws(ClientError) {
        try unsafe check(curl.set(pointer, option, number: number))
    }

    private borrowing func set(_ option: CURLoption, _ text: String) throws(ClientError) {
        try unsafe check(text.withCString { unsafe curl.set(pointer, option, pointer: $0) })
    }

    private borrowing func set(_ option: CURLoption, copyOf bytes: [UInt8]) throws(ClientError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe set(option, $0, flags: UInt32(CURL_BLOB_COPY)) }
        try check(code)
    }

    private borrowing func set(
        _ option: CURLoption, _ bytes: UnsafeRawBufferPointer, flags: UInt32
    ) -> CURLcode {
        // libcurl only reads the bytes, although the type of its pointer allows more.
        var blob = unsafe curl_blob(
            data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), len: bytes.count, flags: flags)
        return unsafe curl.set(pointer, option, pointer: &blob)
    }

    /// Throws the error of an option that libcurl refuses. For a refused URL the error is `malformed`. Any
    /// other option is refused only by a library that is too old for it.
    private borrowing func check(_ code: CURLcode) throws(ClientError) {
        guard code == CURLE_OK else { throw code == CURLE_URL_MALFORMAT ? .malformed : .libraryMissing }
    }
}

/// The reuse of a connection for further requests.
enum ConnectionReuse: Sendable {
    /// Each request has its own connection.
    case never
    /// A connection serves further requests until it has been idle for this time.
    case within(Duration)
}

/// libcurl's list of the header lines of a request.
@safe private final class HeaderList {
    private let curl: LibCurl
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ curl: LibCurl) { self.curl = curl }

    deinit { unsafe curl.listFree(first) }

    func append(_ line: String) throws(ClientError) {
        guard let longer = unsafe curl.listAppend(first, line) else { throw .libraryMissing }
        unsafe first = longer
    }
}
