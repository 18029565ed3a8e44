package import MdocTrust

/// What became of one target.
package struct FetchResult: Sendable {
    package let target: FetchTarget
    package let outcome: Result<FetchOutcome, TrustFetchError>
}

package enum FetchOutcome: Sendable {
    /// The list as the server sent it; nothing about it has been judged.
    case fetched(TrustSource, CacheValidators?)
    /// The list that the target's validators are of is still the newest.
    case notModified
}
