package import JSON
package import ReaderTokens

extension JSONText {
    /// A name as it stands in a reader token.
    package func tokenText() throws(JSONFault) -> TokenText {
        guard let text = TokenText(try string(upTo: TokenText.longest)) else {
            throw wrong("letters, digits, -, _, . and : are due, a letter or digit first")
        }
        return text
    }

    package func readerInstance() throws(JSONFault) -> ReaderInstance {
        guard let instance = ReaderInstance(try string(upTo: 64)) else {
            throw wrong("the 32 hexadecimal digits of `countersign token instance` are due")
        }
        return instance
    }
}
