internal import CPostgreSQL
internal import Glibc

/// The functions of libpq, loaded with `dlopen` when a database is first used. If the programs were linked
/// with libpq, every daemon would load Kerberos, LDAP and GnuTLS into its memory.
@safe struct LibPQ: Sendable {
    /// The functions of the installed library, or `nil` if the library is not installed.
    static let installed = try? LibPQ("libpq.so.5")

    typealias Connection = OpaquePointer
    typealias Rows = OpaquePointer

    let connectStart: @convention(c) (UnsafePointer<CChar>?) -> Connection?
    let connectPoll: @convention(c) (Connection?) -> PostgresPollingStatusType
    let status: @convention(c) (Connection?) -> ConnStatusType
    let socket: @convention(c) (Connection?) -> Int32
    let setnonblocking: @convention(c) (Connection?, Int32) -> Int32
    let sendQueryParams:
        @convention(c) (
            Connection?, UnsafePointer<CChar>?, Int32, UnsafePointer<Oid>?,
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32
    let flush: @convention(c) (Connection?) -> Int32
    let isBusy: @convention(c) (Connection?) -> Int32
    let consumeInput: @convention(c) (Connection?) -> Int32
    let getResult: @convention(c) (Connection?) -> Rows?
    let finish: @convention(c) (Connection?) -> Void
    let resultStatus: @convention(c) (Rows?) -> ExecStatusType
    let resultErrorField: @convention(c) (Rows?, Int32) -> UnsafeMutablePointer<CChar>?
    let ntuples: @convention(c) (Rows?) -> Int32
    let nfields: @convention(c) (Rows?) -> Int32
    let getisnull: @convention(c) (Rows?, Int32, Int32) -> Int32
    let getlength: @convention(c) (Rows?, Int32, Int32) -> Int32
    let getvalue: @convention(c) (Rows?, Int32, Int32) -> UnsafeMutablePointer<CChar>?
    let clear: @convention(c) (Rows?) -> Void

    /// The error that is thrown if the library is not installed or lacks a function.
    struct Missing: Error {}

    init(_ file: String) throws(Missing) {
        guard let library = unsafe dlopen(file, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
        /// Returns a function of the library. The type `Function` must be the function's type in libpq-fe.h.
        func function<Function>(_ name: String) throws(Missing) -> Function {
            guard let symbol = unsafe dlsym(library, name) else { throw Missing() }
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }
        unsafe connectStart = try function("PQconnectStart")
        unsafe connectPoll = try function("PQconnectPoll")
        unsafe status = try function("PQstatus")
        unsafe socket = try function("PQsocket")
        unsafe setnonblocking = try function("PQsetnonblocking")
        unsafe sendQueryParams = try function("PQsendQueryParams")
        unsafe flush = try function("PQflush")
        unsafe isBusy = try function("PQisBusy")
        unsafe consumeInput = try function("PQconsumeInput")
        unsafe getResult = try function("PQgetResult")
        unsafe finish = try function("PQfinish")
        unsafe resultStatus = try function("PQresultStatus")
        unsafe resultErrorField = try function("PQresultErrorField")
        unsafe ntuples = try function("PQntuples")
        unsafe nfields = try function("PQnfields")
        unsafe getisnull = try function("PQgetisnull")
        unsafe getlength = try function("PQgetlength")
        unsafe getvalue = try function("PQgetvalue")
        unsafe clear = try function("PQclear")
    }
}
