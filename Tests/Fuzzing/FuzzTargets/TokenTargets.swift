internal import JSON
internal import MdocModel
internal import ReaderTokens

/// Any JSON text: what is read and written anew is the same, and every place lies in the text.
func fuzzJSON(_ input: ArraySlice<UInt8>) {
    let item: JSONItem
    do throws(JSONError) {
        item = try JSONItem.parse(input)
    } catch {
        let offset = error.offset ?? input.startIndex
        demand((input.startIndex...input.endIndex).contains(offset), "a fault outside the text")
        return
    }
    demand(input.indices.contains(item.offset), "a value outside the text")
    guard let text = item.written else { return }
    guard let again = try? JSONItem.parse(Array(text.utf8)[...]) else {
        fatalError("what was written is refused")
    }
    demand(again.written == text, "a value written anew is another")
}

extension JSONItem {
    /// The value with its strings escaped throughout; nil where there is a number whose value is not kept.
    fileprivate var written: String? {
        switch value {
        case .null: return "null"
        case .boolean(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .otherNumber: return nil
        case .string(let text): return Self.escaped(text)
        case .array(let items):
            let parts = items.map(\.written)
            return parts.contains(nil) ? nil : "[" + parts.compactMap(\.self).joined(separator: ",") + "]"
        case .object(let members):
            let parts = members.map { member in
                member.item.written.map { "\(Self.escaped(member.name)):\($0)" }
            }
            return parts.contains(nil) ? nil : "{" + parts.compactMap(\.self).joined(separator: ",") + "}"
        }
    }

    private static func escaped(_ text: String) -> String {
        let units = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + units.joined() + "\""
    }
}

/// A reader token before its signature is looked at: all of it is of the form that is believed.
func fuzzReaderToken(_ input: ArraySlice<UInt8>) {
    guard let token = try? UnverifiedReaderToken(input) else { return }
    demand(input.count <= ReaderToken.maximumLength, "a token that is too long")
    demand(input.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a token that is no text")
    demand(input.count { $0 == UInt8(ascii: ".") } == 2, "a token of other than three parts")
    demand(token.digest.count == 32, "a digest of another size")
    let claims = token.claims
    for text in [token.keyIdentifier, claims.brand, claims.instance, claims.audience] {
        demand(TokenText(text.text) == text, "a name that is none")
    }
    for instant in [claims.issued, claims.expires] {
        demand(Timestamp(received: instant.secondsSince1970) != nil, "an instant outside the calendar")
    }
    // Another signature leaves it the same token.
    let signature = input.suffix(while: { $0 != UInt8(ascii: ".") })
    var other = input.dropLast(signature.count)
    other += [UInt8](repeating: UInt8(ascii: "A"), count: signature.count)
    demand((try? UnverifiedReaderToken(other))?.digest == token.digest, "the signature is in the digest")
}

extension ArraySlice {
    fileprivate func suffix(while predicate: (Element) -> Bool) -> ArraySlice {
        suffix(reversed().prefix(while: predicate).count)
    }
}

/// The registry of brands: whatever is read can be looked up, and no key is two brands'.
func fuzzBrandRegistry(_ input: ArraySlice<UInt8>) {
    guard let registry = try? BrandRegistry(json: Array(input)) else { return }
    for brand in registry.brands {
        demand(registry.brand(brand.identifier) == brand, "a brand that is not found")
        for key in brand.keys {
            guard let (owner, found) = registry.key(key.identifier) else {
                fatalError("a key that is not found")
            }
            demand(owner == brand && found == key, "a key of two brands")
            demand(key.x.count == 32 && key.y.count == 32, "a key of another size")
        }
    }
}
