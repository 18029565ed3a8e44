/// In whose name a presentation is made, once a reader token says so.
package struct PreparedBrand: Equatable, Sendable {
    package let name: String
    /// Where the page finds the logo, as a path on the daemon's own origin.
    package let logo: String?
    /// The reader identity that the brand's tokens are bound to.
    package let identity: String?

    package init(name: String, logo: String?, identity: String?) {
        self.name = name
        self.logo = logo
        self.identity = identity
    }
}

/// What makes a brand of a reader token. Without one no data is asked.
package protocol BrandPreparation: Sendable {
    /// Verifies a token, or throws `readerTokenRefused` with the reason.
    func prepare(_ token: String) async throws(APIProblem) -> PreparedBrand
}
