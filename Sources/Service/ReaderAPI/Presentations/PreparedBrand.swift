/// In whose name a presentation is made, once a reader token says so.
package struct PreparedBrand: Equatable, Sendable {
    /// As the identity rules name it.
    package let identifier: String
    package let name: String
    /// Where the page finds the logo, as a path on the daemon's own origin.
    package let logo: String?
    /// The reader identity that the brand's tokens are bound to.
    package let identity: String?

    package init(identifier: String, name: String, logo: String?, identity: String?) {
        self.identifier = identifier
        self.name = name
        self.logo = logo
        self.identity = identity
    }
}
