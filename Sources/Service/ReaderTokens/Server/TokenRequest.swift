package import JSON

/// What a client of the token server asks for: `{"brand": …, "instance": …}`, and who it is.
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

    /// The request in a body. Throws what is wrong with its form; a text that names no brand or instance is
    /// of another type.
    package init(caller: String, body: ArraySlice<UInt8>) throws(JSONError) {
        let members = try JSONItem.parse(body, limits: (bytes: 1024, depth: 1)).members("brand", "instance")
        let (brand, instance) = (try members.required("brand"), try members.required("instance"))
        guard let brandText = TokenText(try brand.string()) else {
            throw .unexpectedType(expected: .string, at: brand.offset)
        }
        guard let instanceText = ReaderInstance(try instance.string()) else {
            throw .unexpectedType(expected: .string, at: instance.offset)
        }
        self.init(caller: caller, brand: brandText, instance: instanceText)
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

    func allows(_ request: TokenRequest) -> Bool {
        caller == request.caller && brand == request.brand && instances.contains(request.instance)
    }
}
