package import CBOR
package import COSE

/// Why bytes are not a signed list of statuses.
package enum StatusTokenError: Error, Equatable, Sendable {
    /// They do not decode as a token, or one of its claims has another form.
    case malformed(CBORError)
    /// They are no COSE_Sign1.
    case cose(COSEError)
    /// The protected header names no type, or another than that of a status or identifier list.
    case typeWrong
    /// A claim that has to be there is not: subject 2, expiry 4, issue 6, or the list.
    case claimMissing(Int64)
    /// A status list among the claims of an identifier list.
    case claimMisplaced(Int64)
    /// A status of other than 1, 2, 4 or 8 bits.
    case bitsWrong(UInt64)
    /// The list is not a complete zlib stream.
    case listNotCompressed
    /// The list opens to more than the limit.
    case listTooLong
}
