package import MdocTrust

/// A list to be asked for.
package struct FetchTarget: Hashable, Sendable {
    /// What the list is known by when it has come.
    package let identity: TrustSource.Identity
    /// The validators of the present list; the server gives a short answer if there is no newer one.
    package let validators: CacheValidators?
    let location: FetchLocation

    package var url: String { location.text }

    /// - Parameters:
    ///   - name: what the list is known by; for a status or identifier list the URI that documents know it by.
    ///   - url: where it is, if that is not its name.
    /// - Throws: `locationRefused` where nobody is to be asked.
    package init(
        _ kind: TrustSource.Kind, name: String, url: String? = nil, validators: CacheValidators? = nil
    ) throws(TrustFetchError) {
        guard kind != .provider else { throw .locationRefused(.pinned) }
        location = try FetchLocation(url ?? name, for: kind)
        identity = TrustSource.Identity(kind: kind, name: name)
        self.validators = validators
    }
}

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

/// What a server calls the version of a list that it served (RFC 9110, 8.8). It is sent when the list is requested
/// again.
package struct CacheValidators: Hashable, Sendable {
    /// The longest that is kept of each, in bytes.
    private static let maximumLength = 256

    package let entityTag: String?
    package let lastModified: String?

    /// Nil where there is neither, or none that could be sent back as it came.
    package init?(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag.flatMap { Self.isFit($0) ? $0 : nil }
        self.lastModified = lastModified.flatMap { Self.isFit($0) ? $0 : nil }
        if self.entityTag == nil, self.lastModified == nil { return nil }
    }

    private static func isFit(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumLength
            && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}
