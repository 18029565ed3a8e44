internal import MdocModel

/// The text form of an intent, in the notation of RFC 5234:
///
///     intent   = [ purpose ":" ] claims *( ";" clause )
///     purpose  = "age" / "rental" / "identity" / "elements"  ; "age" if absent
///     claims   = claim *( ( "," / " with " / " and " ) claim )
///     claim    = "age over" N  ; 0 to 99
///              / "name" / "licence number" / "document number" / "expiry" / "in date" / "issue date"
///              / "issuer"
///              / "category" C / "categories" 1*( C )  ; vehicle categories of ISO/IEC 18013-5
///              / "class" C / "classes" 1*( C )  ; domestic classes of AAMVA
///              / "portrait" / "portrait for a human to compare"
///              / "birth date" / "nationality" / "address" / namespace "/" element
///     clause   = "from" document *( "or" document )  ; "from mdl" if absent
///              / "else" ( "nothing" / "age in years" / "birth date" )  ; "else age in years" if absent
///              / "required" claims  ; claims from above that must be answered
///     document = "mdl" / "photoid" / "pid" / "av" / "mnc" / a document type
///
/// The options of `countersign request` stand for parts of this text:
///
/// - `--age-over N` is "age over N";
/// - `--portrait` is "portrait for a human to compare";
/// - `--element NS/ID` is the element, and makes the purpose `elements`; without the option, the purpose is
///   `age`;
/// - `--doc-type T` is "from T".
///
/// An intent does not say which parts of the answer are stored. A `RetentionChoice` says this, and the option
/// `--keep` sets it.
extension RequestIntent {
    /// The maximum length of the text in bytes.
    package static let maximumLength = 2048

    /// Parses the text form of an intent.
    ///
    /// - Throws: `RequestPlannerError.textTooLong`, `notUnderstood`, `nothingAsked` or `ageOutOfRange`.
    package init(parsing text: String) throws(RequestPlannerError) {
        guard text.utf8.count <= Self.maximumLength else { throw .textTooLong(limit: Self.maximumLength) }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.words)
        // There is at least one part, since `split` keeps empty parts here.
        var head = parts.removeFirst()
        purpose = .age
        if let first = head.first, first.hasSuffix(":") {
            guard let named = RequestPurpose(rawValue: String(first.dropLast())) else {
                throw .notUnderstood(first)
            }
            purpose = named
            head.removeFirst()
        }
        claims = try Self.claims(head)
        documents = [.drivingLicence]
        ageFallback = .ageInYears
        required = []
        for clause in parts { try apply(clause) }
    }

    /// Reads claims that are separated by commas, "with" or "and".
    private static func claims(_ words: [String]) throws(RequestPlannerError) -> [Claim] {
        var claims: [Claim] = []
        for part in words.split(whereSeparator: { [",", "with", "and"].contains($0) }) {
            claims.append(try Claim(words: Array(part)))
        }
        guard !claims.isEmpty else { throw .nothingAsked }
        return claims
    }

    /// Reads one clause after a semicolon: `from`, `else` or `required`.
    private mutating func apply(_ clause: [String]) throws(RequestPlannerError) {
        let rest = clause.dropFirst().joined(separator: " ")
        switch clause.first {
        case "from":
            documents = []
            // Empty parts are kept, so that `from mdl or` is refused below.
            for words in clause.dropFirst().split(separator: "or", omittingEmptySubsequences: false) {
                guard words.count == 1, let word = words.first, let family = DocumentFamily(word) else {
                    throw .notUnderstood(clause.joined(separator: " "))
                }
                documents.append(family)
            }
        case "else":
            guard let fallback = AgeFallback(rawValue: rest) else { throw .notUnderstood("else \(rest)") }
            ageFallback = fallback
        case "required":
            guard !rest.isEmpty else { throw .notUnderstood("required") }
            required += try Self.claims(Array(clause.dropFirst()))
        default: throw .notUnderstood(clause.joined(separator: " "))
        }
    }
}

extension RequestIntent: CustomStringConvertible {
    /// The text form of the intent. Parsing it gives the same intent.
    package var description: String {
        var text = purpose == .age ? "" : "\(purpose.rawValue): "
        text += claims.map(\.description).joined(separator: ", ")
        if documents != [.drivingLicence] {
            text += "; from \(documents.map(\.word).joined(separator: " or "))"
        }
        if ageFallback != .ageInYears { text += "; else \(ageFallback.rawValue)" }
        if !required.isEmpty { text += "; required \(required.map(\.description).joined(separator: ", "))" }
        return text
    }
}

extension Claim: CustomStringConvertible {
    private static let phrases: [(words: String, claim: Claim)] = [
        ("name", .name), ("document number", .documentNumber), ("licence number", .documentNumber),
        ("expiry", .expiry), ("in date", .inDate), ("issue date", .issueDate), ("issuer", .issuer),
        ("portrait", .portrait(isCompared: false)),
        ("portrait for a human to compare", .portrait(isCompared: true)), ("birth date", .birthDate),
        ("nationality", .nationality), ("address", .address),
    ]

    /// The phrases of claims without an argument.
    static var words: [String] { phrases.map(\.words) }

    /// Parses the words of one claim.
    fileprivate init(words: [String]) throws(RequestPlannerError) {
        let text = words.joined(separator: " ")
        let rest = Array(words.dropFirst())
        if let phrase = Self.phrases.first(where: { $0.words == text }) {
            self = phrase.claim
        } else if words.count == 3, words[0] == "age", words[1] == "over", let years = Int(words[2]) {
            guard AgeAttestation(years: years) != nil else { throw .ageOutOfRange(years) }
            self = .ageOver(years)
        } else if ["category", "categories"].contains(words[0]), rest.areCodes {
            self = .categories(rest)
        } else if ["class", "classes"].contains(words[0]), rest.areCodes {
            self = .domesticClasses(rest)
        } else if words.count == 1, let name = ElementName(path: text) {
            self = .element(name)
        } else {
            throw .notUnderstood(text)
        }
    }

    package var description: String {
        switch self {
        case .ageOver(let years): "age over \(years)"
        case .categories(let codes): "categories \(codes.joined(separator: " "))"
        case .domesticClasses(let codes): "classes \(codes.joined(separator: " "))"
        case .element(let name): "\(name.nameSpace)/\(name.identifier)"
        // Every other claim has a phrase, so the empty text is not used.
        default: Self.phrases.first { $0.claim == self }?.words ?? ""
        }
    }
}

extension ElementName {
    /// Parses `namespace/element`. Returns `nil` for other text. A text that ends with a colon is refused
    /// too, because it may be a purpose.
    fileprivate init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !path.hasSuffix(":") else { return nil }
        self.init(nameSpace: String(parts[0]), identifier: String(parts[1]))
    }
}

extension Substring {
    /// The words of the text. Each comma is a separate word.
    fileprivate var words: [String] {
        split(whereSeparator: \.isWhitespace).flatMap { word -> [String] in
            let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // `split` has removed the commas, so they are put back between the parts.
            return Array(parts.map { [$0] }.joined(separator: [","])).filter { !$0.isEmpty }
        }
    }
}

extension [String] {
    /// Whether the words are 1 to 16 codes of vehicle categories or classes. A code has at most 8 characters,
    /// all of them capital letters or digits.
    fileprivate var areCodes: Bool {
        !isEmpty && count <= 16
            && allSatisfy { code in
                code.utf8.count <= 8
                    && code.utf8.allSatisfy {
                        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    }
            }
    }
}
