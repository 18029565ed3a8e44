/// Calls `body`, and throws the error of the caller in place of the body's own.
///
///     key = try mapping(COSEKey(item), HolderError.readerKey)
///
/// The parameter of `turn` says which error the body may throw: a case that holds it names none, and neither does a
/// key path from it; a closure names it, `{ (error: CBORError) in … }`. A body that throws another error does not
/// compile. `Documentation/Decisions/error-mapping.md` says where `do throws` stands instead.
@inlinable
package func mapping<Value: ~Copyable, Cause: Error, Fault: Error>(
    _ body: @autoclosure () throws(Cause) -> Value, _ turn: (Cause) -> Fault
) throws(Fault) -> Value {
    do throws(Cause) { return try body() } catch { throw turn(error) }
}
