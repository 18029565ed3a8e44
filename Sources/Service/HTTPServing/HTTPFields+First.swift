package import HTTPTypes

extension HTTPFields {
    /// The first value of a field without a predefined constant; its name is in lower case.
    package func first(_ name: String) -> String? {
        first { $0.name.canonicalName == name }?.value
    }
}

extension String {
    /// The token of credentials of the scheme `Bearer` (RFC 6750 2.1), in capital or small letters (RFC 9110 11.1); nil for others.
    package var bearerToken: String? {
        let scheme = "bearer "
        guard prefix(scheme.count).lowercased() == scheme, count > scheme.count else { return nil }
        return String(dropFirst(scheme.count))
    }
}
