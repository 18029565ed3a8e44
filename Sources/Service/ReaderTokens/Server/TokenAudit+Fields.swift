internal import JSON

extension TokenAudit {
    /// The fields of a line in a server's log. They never include the token.
    package var fields: [String: String] {
        let words: (outcome: String, key: String?) =
            switch outcome {
            case .granted(let key): ("granted", key.text)
            case .refused(let refusal): (refusal.id, nil)
            }
        var fields = [
            "caller": Terminal.safe(caller), "brand": brand.text, "instance": instance.text.text,
            "at": "\(at)", "outcome": words.outcome,
        ]
        // A refused request has no key. Assigning `nil` adds no field.
        fields["kid"] = words.key
        return fields
    }
}
