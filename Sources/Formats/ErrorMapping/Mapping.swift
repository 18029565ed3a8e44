/// Calls `body` and converts its error into an error of the caller.
///
///     key = try mapping(COSEKey(item), HolderError.readerKey)
///
/// The type of `turn` determines which error `body` may throw. An enum case or a key path contains this type
/// already; a closure has to name it: `{ (error: CBORError) in … }`. A body that throws another error does
/// not compile. `Documentation/Decisions/error-mapping.md` lists where `do throws` is used instead.
///
/// - Parameter body: the call whose error is converted. The keyword `try` before `mapping` covers this call.
/// - Parameter turn: converts the error.
@inlinable
package func mapping<Value: ~Copyable, Cause: Error, Fault: Error>(
    _ body: @autoclosure () throws(Cause) -> Value, _ turn: (Cause) -> Fault
) throws(Fault) -> Value {
    do throws(Cause) { return try body() } catch { throw turn(error) }
}
