/// Returns the result of `body`, and converts an error of `body` into the caller's type of error.
///
///     key = try mapping(COSEKey(item), HolderError.readerKey)
///
/// The type of `turn` determines which error `body` may throw. If `turn` is an enum case or a key path, the
/// compiler infers this type. A closure has to state it: `{ (error: CBORError) in … }`. A body that throws
/// another error does not compile. `Documentation/Decisions/error-mapping.md` lists where `do throws` is used
/// instead.
///
/// - Parameter body: the call whose error is converted. The keyword `try` before `mapping` covers this call.
/// - Parameter turn: converts the error.
@inlinable
package func mapping<Value: ~Copyable, Cause: Error, Fault: Error>(
    _ body: @autoclosure () throws(Cause) -> Value, _ turn: (Cause) -> Fault
) throws(Fault) -> Value {
    do throws(Cause) { return try body() } catch { throw turn(error) }
}
