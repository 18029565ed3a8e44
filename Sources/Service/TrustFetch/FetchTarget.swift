package import MdocTrust

/// A list to be asked for.
package struct FetchTarget: Hashable, Sendable {
    /// What the list is known by when it has come.
    package let identity: TrustSource.Identity
    let location: FetchLocation

    package var url: String { location.text }

    /// - Parameters:
    ///   - name: what the list is known by; for a status or identifier list the URI that documents know it by.
    ///   - url: where it is, if that is not its name.
    /// - Throws: `locationRefused` where nobody is to be asked.
    package init(
        _ kind: TrustSource.Kind, name: String, url: String? = nil
    ) throws(TrustFetchError) {
        guard kind != .provider else { throw .locationRefused(.pinned) }
        location = try FetchLocation(url ?? name, for: kind)
        identity = TrustSource.Identity(kind: kind, name: name)
    }
}

/// What became of one target.
package struct FetchResult: Sendable {
    package let target: FetchTarget
    /// The list as the server sent it; nothing about it has been judged.
    package let outcome: Result<TrustSource, TrustFetchError>
}
