/// What a client of the token server asks for, and who it is.
package struct TokenRequest: Equatable, Sendable {
    /// The name under which the client was authenticated.
    package let caller: String
    package let brand: TokenText
    package let instance: ReaderInstance

    package init(caller: String, brand: TokenText, instance: ReaderInstance) {
        self.caller = caller
        self.brand = brand
        self.instance = instance
    }
}

/// Who may ask for tokens: for which brand, and for which of its readers.
package struct TokenGrant: Equatable, Sendable {
    package let caller: String
    package let brand: TokenText
    package let instances: Set<ReaderInstance>

    package init(caller: String, brand: TokenText, instances: Set<ReaderInstance>) {
        self.caller = caller
        self.brand = brand
        self.instances = instances
    }

    func allows(_ caller: String, _ brand: TokenText, _ instance: ReaderInstance) -> Bool {
        self.caller == caller && self.brand == brand && instances.contains(instance)
    }
}
