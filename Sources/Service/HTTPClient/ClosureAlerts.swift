internal import CCurl
internal import Glibc
internal import Synchronization

/// A record of the connections that the server ended with the alert close_notify, as TLS demands (RFC 8446,
/// 6.1).
///
/// libcurl cannot distinguish a connection that an attacker cut from a connection that the server ended. If a
/// response has no length, libcurl would take a part of the body for the whole. For this reason `watch` makes
/// OpenSSL report each alert.
///
/// Each connection has the number of the transfer for which it was made. The alert is therefore not
/// recognised if the connection serves a second transfer. A body without length then counts as truncated.
@safe final class ClosureAlerts: Sendable {
    /// The type of `SSL_CTX_set_info_callback`, from the OpenSSL that libcurl is linked with.
    private typealias SetCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, (@convention(c) (UnsafeRawPointer?, Int32, Int32) -> Void)?
        ) -> Void
    /// The type of `SSL_CTX_set_ex_data`.
    private typealias SetData =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutableRawPointer?) -> Int32

    /// SSL_CB_READ_ALERT: the callback reports an alert from the server.
    private static let readAlert: Int32 = 0x4004
    /// The alert close_notify as OpenSSL passes it: a warning (1) with the description 0.
    private static let closeNotify: Int32 = 0x100
    /// CRYPTO_EX_INDEX_SSL_CTX. With this value, CRYPTO_get_ex_new_index returns an index for data in SSL
    /// contexts.
    private static let ofContexts: Int32 = 1

    private let setCallback: SetCallback
    private let setData: SetData
    /// `SSL_CTX_get_ex_data`, which returns the transfer's number from a context.
    private let data: @convention(c) (UnsafeRawPointer?, Int32) -> UnsafeMutableRawPointer?
    /// `SSL_get_SSL_CTX`, which returns the context of a connection.
    private let context: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?
    /// The index at which OpenSSL keeps the number of a transfer in an SSL context.
    private let index: Int32
    /// The latest number that was given to a transfer and, for each transfer that has not ended, whether its
    /// alert has come.
    private let state = Mutex((latest: 0, came: [Int: Bool]()))

    /// Finds OpenSSL's functions with `symbol`, and reserves an index for data in SSL contexts.
    ///
    /// - Throws: `Missing` if libcurl is not linked with OpenSSL, or if OpenSSL returns no index.
    init(
        _ symbol: (String) throws(LibCurl.Missing) -> UnsafeMutableRawPointer
    ) throws(LibCurl.Missing) {
        unsafe setCallback = unsafeBitCast(try symbol("SSL_CTX_set_info_callback"), to: SetCallback.self)
        unsafe setData = unsafeBitCast(try symbol("SSL_CTX_set_ex_data"), to: SetData.self)
        unsafe data = unsafeBitCast(
            try symbol("SSL_CTX_get_ex_data"),
            to: (@convention(c) (UnsafeRawPointer?, Int32) -> UnsafeMutableRawPointer?).self)
        unsafe context = unsafeBitCast(
            try symbol("SSL_get_SSL_CTX"),
            to: (@convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?).self)
        let newIndex = unsafe unsafeBitCast(
            try symbol("CRYPTO_get_ex_new_index"),
            to: (@convention(c) (
                Int32, Int, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
            ) -> Int32).self)
        index = newIndex(Self.ofContexts, 0, nil, nil, nil, nil)
        guard index >= 0 else { throw LibCurl.Missing() }
    }

    /// Returns a number for a transfer, which is valid until `end`.
    func begin() -> Int {
        state.withLock { state in
            state.latest += 1
            state.came[state.latest] = false
            return state.latest
        }
    }

    /// Whether the alert has come on the connection that was made for this transfer.
    func has(_ number: Int) -> Bool { state.withLock { $0.came[number] ?? false } }

    func end(_ number: Int) { state.withLock { $0.came[number] = nil } }

    /// Makes OpenSSL report the alerts on the connections of a context.
    func watch(_ sslContext: UnsafeMutableRawPointer?, number: UnsafeMutableRawPointer?) {
        // If OpenSSL cannot keep the number, the alert is not recognised, and a body without length counts as
        // truncated.
        _ = unsafe setData(sslContext, index, number)
        unsafe setCallback(sslContext) { ssl, kind, alert in
            // A C function captures nothing, so the record is found through `LibCurl.installed`.
            guard kind == ClosureAlerts.readAlert, alert == ClosureAlerts.closeNotify,
                let alerts = LibCurl.installed?.alerts
            else { return }
            let number = unsafe Int(bitPattern: alerts.data(alerts.context(ssl), alerts.index))
            alerts.state.withLock { state in
                if state.came[number] != nil { state.came[number] = true }
            }
        }
    }
}
