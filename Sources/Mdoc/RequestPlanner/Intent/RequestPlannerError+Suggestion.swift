internal import JSON
internal import MdocModel

extension RequestPlannerError {
    /// A text that the parser accepts and that the user may have meant; `nil` if there is no such text.
    ///
    /// The text replaces words that are not understood, an element that the document does not have, or a
    /// portrait that nobody compares. The suggested text never requests more elements than the user's words.
    var suggestion: String? {
        switch self {
        case .notUnderstood(let words):
            [Self.corrected(words), words].compactMap(\.self).lazy
                .flatMap { [$0, Self.claim(meant: $0)].compactMap(\.self) }
                .first { $0 != words && Self.isAccepted($0) }
        // The suggestion is the portrait again, with the statement that a person compares it.
        case .overAsking(.portraitNobodyCompares, .portrait):
            Claim.portrait(isCompared: true).description
        case .documentLacks(.element(let name), let docType): Self.element(like: name, in: docType)
        default: nil
        }
    }

    /// Returns the text with every mistyped word replaced; `nil` if a mistyped word resembles no word of an
    /// intent.
    private static func corrected(_ text: String) -> String? {
        let words = text.split(separator: " ").map(String.init)
        let corrected = words.map { word in
            // A number, such as an age, is left as it is.
            vocabulary.contains(word) || Int(word) != nil
                ? word : Terminal.suggestion(for: word, among: vocabulary)
        }
        guard !corrected.contains(nil), corrected != words else { return nil }
        return corrected.compactMap(\.self).joined(separator: " ")
    }

    /// Whether the text is an intent, a purpose with its colon, or a clause of an intent.
    private static func isAccepted(_ text: String) -> Bool {
        text.last == ":"
            ? RequestPurpose(rawValue: String(text.dropLast())) != nil
            : [text, "age over 18; \(text)"].contains { (try? RequestIntent(parsing: $0)) != nil }
    }

    /// Returns the claim for words that are not its text form, such as "age 21" or "photo"; `nil` if no claim
    /// has exactly the meaning of these words.
    private static func claim(meant text: String) -> String? {
        let words = text.lowercased().replacing("-", with: " ").split(separator: " ").joined(separator: " ")
        if let claim = otherWords[words] { return claim.description }
        if let years = years(in: words) { return Claim.ageOver(years).description }
        let parts = text.split(separator: " ").map(String.init)
        guard let first = parts.first?.lowercased(), parts.count > 1 else { return nil }
        let codes = parts.dropFirst().joined(separator: " ").uppercased()
        return switch first {
        case "category", "categories", "drive", "drives": "categories \(codes)"
        case "class", "classes": "classes \(codes)"
        default: nil
        }
    }

    /// Returns the age in words such as "over 21", "21+" or "at least 21"; `nil` if another word or another
    /// number stands beside the age, as in "under 21".
    private static func years(in words: String) -> Int? {
        let parts = words.split { " _+=>≥".contains($0) }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 1, parts.allSatisfy({ Int($0) != nil || wordsOfAges.contains(String($0)) })
        else { return nil }
        return numbers[0]
    }

    private static let wordsOfAges: Set<String> = [
        "a", "above", "age", "aged", "at", "be", "is", "least", "min", "minimum", "of", "old", "older",
        "or", "over", "than", "year", "years",
    ]

    /// Other words for claims. Each means the same elements as its claim, and no more.
    private static let otherWords: [String: Claim] = {
        let portrait = Claim.portrait(isCompared: true)
        return [
            "photo": portrait, "picture": portrait, "image": portrait, "face": portrait,
            "full name": .name, "id number": .documentNumber, "licence no": .documentNumber,
            "license no": .documentNumber, "document no": .documentNumber,
            "expiry date": .expiry, "expiration": .expiry, "expiration date": .expiry, "expires": .expiry,
            "valid until": .expiry, "valid": .inDate, "is valid": .inDate, "not expired": .inDate,
            "date of issue": .issueDate, "issued": .issueDate, "issuing authority": .issuer,
            "date of birth": .birthDate, "birthdate": .birthDate, "birthday": .birthDate, "dob": .birthDate,
            "resident address": .address,
        ]
    }()

    /// Every word of the text form of an intent.
    private static let vocabulary: [String] = {
        var words = [
            "age", "over", "category", "categories", "class", "classes", "from", "or", "else", "required",
        ]
        words += RequestPurpose.allCases.map { $0.rawValue + ":" }
        words += DocumentFamily.known.map(\.word)
        let phrases: [String] = Claim.words + RequestIntent.AgeFallback.allCases.map(\.rawValue)
        for phrase in phrases { words += phrase.split(separator: " ").map(String.init) }
        return words
    }()

    /// Returns the element of the document whose identifier resembles the identifier of `name`; `nil` if
    /// there is no such element.
    private static func element(like name: ElementName, in docType: String) -> String? {
        let elements = DocumentFamily(docType)?.types.first { $0.docType == docType }?.elements ?? []
        let identifiers = elements.map(\.name).filter { $0.nameSpace == name.nameSpace }.map(\.identifier)
        return Terminal.suggestion(for: name.identifier, among: identifiers).map { "\(name.nameSpace)/\($0)" }
    }
}
