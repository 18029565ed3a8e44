package import JSON
package import ReaderTokens

extension JSONText {
    /// A name as a reader token contains it.
    package func tokenText() throws(JSONFault) -> TokenText {
        guard let text = TokenText(try string(upTo: TokenText.longest)) else {
            throw wrong("must consist of letters, digits, -, _, . and :, and begin with a letter or digit")
        }
        return text
    }

    package func readerInstance() throws(JSONFault) -> ReaderInstance {
        guard let instance = ReaderInstance(try string(upTo: 64)) else {
            throw wrong("must be the 32 hexadecimal digits of `countersign token instance`")
        }
        return instance
    }
}
