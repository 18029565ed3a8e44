package import JSON

extension JSONText {
    package func readerInstance() throws(JSONFault) -> ReaderInstance {
        // The limit is above 32, so that a slightly longer text gets the message below, which describes the
        // required form.
        guard let instance = ReaderInstance(try string(upTo: 64)) else {
            throw wrong("must be the 32 hexadecimal digits that `countersign token instance` shows")
        }
        return instance
    }
}

extension TokenRequest {
    /// Reads the request from a request body.
    package init(
        _ body: JSONText, by caller: String, in groups: Set<String> = []
    ) throws(JSONFault) {
        let members = try body.members(["brand", "instance"])
        self.init(
            caller: caller, in: groups, brand: try members.required("brand").tokenText(),
            instance: try members.required("instance").readerInstance())
    }
}
