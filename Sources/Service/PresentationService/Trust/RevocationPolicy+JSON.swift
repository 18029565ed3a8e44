package import JSON
package import MdocTrust

extension RevocationPolicy {
    /// The most days for which a list may be stale.
    package static let mostStaleDays = 365

    /// `"age"`, `"rental"`, or the latter with the days that a list may be stale: `{"rental": 3}`.
    package init(_ text: JSONText) throws(JSONFault) {
        if let word = try? text.string() {
            switch word {
            case "age": self = .age
            case "rental": self = .rental(staleDays: 0)
            default: throw text.wrong("must be \"age\", \"rental\" or {\"rental\": days}")
            }
            return
        }
        self = .rental(
            staleDays: Int(
                try text.members(["rental"]).required("rental").integer(in: 0...Int64(Self.mostStaleDays))))
    }
}
