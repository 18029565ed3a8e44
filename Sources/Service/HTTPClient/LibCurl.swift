internal import CCurl
internal import Glibc
internal import Synchronization

/// The functions of libcurl. The library is loaded when a client makes its first request. Programs are not
/// linked with the library, because every process would then load Kerberos, LDAP and GnuTLS too, and each
/// start would take 6 ms longer.
///
/// The library is never unloaded, and its global state is never freed. OpenSSL frees its own part when the
/// process exits. No transfer runs at that time, because every client is closed before.
@safe final class LibCurl: Sendable {
    /// The library; `nil` if it is not installed or not linked with OpenSSL, or while the process has no
    /// descriptor or memory to load it.
    static var installed: LibCurl? {
        loaded.withLock { library in
            // A failure may be temporary, so each request tries again.
            if library == nil { library = try? LibCurl("libcurl.so.4") }
            return library
        }
    }

    private static let loaded = Mutex<LibCurl?>(nil)

    /// A handle of libcurl: a `CURL` or a `CURLM`.
    typealias Handle = UnsafeMutableRawPointer

    let easyInit: @convention(c) () -> Handle?
    let easyCleanup: @convention(c) (Handle?) -> Void
    let listAppend:
        @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<
            curl_slist
        >?
    let listFree: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
    let multiInit: @convention(c) () -> Handle?
    let multiCleanup: @convention(c) (Handle?) -> CURLMcode
    let multiAdd: @convention(c) (Handle?, Handle?) -> CURLMcode
    let multiRemove: @convention(c) (Handle?, Handle?) -> CURLMcode
    let multiPerform: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> CURLMcode
    let multiPoll:
        @convention(c) (
            Handle?, UnsafeMutablePointer<curl_waitfd>?, UInt32, Int32, UnsafeMutablePointer<Int32>?
        ) -> CURLMcode
    let multiWakeup: @convention(c) (Handle?) -> CURLMcode
    let multiRead: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> UnsafeMutablePointer<CURLMsg>?
    private let easySet: Symbol
    private let easyGet: Symbol
    private let multiSet: Symbol
    let alerts: ClosureAlerts

    /// The library is not installed, or lacks one of the functions.
    struct Missing: Error {}

    /// The address of a function with a variable number of arguments.
    @safe private struct Symbol: @unchecked Sendable {  // code does not change
        let address: UnsafeRawPointer
    }

    private init(_ file: String) throws(Missing) {
        guard let library = unsafe dlopen(file, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
        func symbol(_ name: String) throws(Missing) -> UnsafeMutableRawPointer {
            guard let symbol = unsafe dlsym(library, name) else { throw Missing() }
            return unsafe symbol
        }
        /// Returns a function of the library, with the type of the property to which the caller assigns it.
        /// This type has to match curl's headers; nothing checks that.
        func function<Function>(_ name: String) throws(Missing) -> Function {
            unsafe unsafeBitCast(try symbol(name), to: Function.self)
        }
        unsafe easyInit = try function("curl_easy_init")
        unsafe easyCleanup = try function("curl_easy_cleanup")
        unsafe listAppend = try function("curl_slist_append")
        unsafe listFree = try function("curl_slist_free_all")
        unsafe multiInit = try function("curl_multi_init")
        unsafe multiCleanup = try function("curl_multi_cleanup")
        unsafe multiAdd = try function("curl_multi_add_handle")
        unsafe multiRemove = try function("curl_multi_remove_handle")
        unsafe multiPerform = try function("curl_multi_perform")
        unsafe multiPoll = try function("curl_multi_poll")
        unsafe multiWakeup = try function("curl_multi_wakeup")
        unsafe multiRead = try function("curl_multi_info_read")
        unsafe easySet = Symbol(address: try symbol("curl_easy_setopt"))
        unsafe easyGet = Symbol(address: try symbol("curl_easy_getinfo"))
        unsafe multiSet = Symbol(address: try symbol("curl_multi_setopt"))
        alerts = try unsafe ClosureAlerts(symbol)
        let initialize: @convention(c) (Int) -> CURLcode = try function("curl_global_init")
        guard initialize(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { throw Missing() }
    }
}

// MARK: Functions with any number of arguments

extension LibCurl {
    func set(_ handle: Handle, _ option: CURLoption, number: Int) -> CURLcode {
        unsafe countersign_curl_set_number(easySet.address, handle, option, number)
    }

    func set(_ handle: Handle, _ option: CURLoption, pointer: UnsafeRawPointer?) -> CURLcode {
        unsafe countersign_curl_set_pointer(easySet.address, handle, option, pointer)
    }

    func set(
        _ handle: Handle, _ option: CURLoption, receiver: @escaping curl_write_callback
    ) -> CURLcode {
        unsafe countersign_curl_set_receiver(easySet.address, handle, option, receiver)
    }

    func set(_ handle: Handle, contextReceiver: @escaping curl_ssl_ctx_callback) -> CURLcode {
        unsafe countersign_curl_set_context_receiver(easySet.address, handle, contextReceiver)
    }

    func set(_ handle: Handle, prerequest: @escaping curl_prereq_callback) -> CURLcode {
        unsafe countersign_curl_set_prerequest(easySet.address, handle, prerequest)
    }

    /// Returns a numeric property of a transfer (curl_easy_getinfo(3)); 0 if libcurl does not know the
    /// property.
    func number(_ handle: Handle, _ info: CURLINFO) -> Int {
        var value = 0
        _ = unsafe countersign_curl_get_number(easyGet.address, handle, info, &value)
        return value
    }

    func set(multi handle: Handle, _ option: CURLMoption, _ number: Int) -> CURLMcode {
        unsafe countersign_curl_set_multi_number(multiSet.address, handle, option, number)
    }
}
