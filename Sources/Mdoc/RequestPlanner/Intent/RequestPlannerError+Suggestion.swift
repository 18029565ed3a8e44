internal import JSON
internal import MdocModel

extension RequestPlannerError {
    /// A correction of words that are not understood, or of an element that the document does not have.
    var suggestion: String? {
        switch self {
        case .notUnderstood(let words): Self.corrected(words)
        case .documentLacks(.element(let name), let docType): Self.element(like: name, in: docType)
        default: nil
        }
    }

    /// Returns the text with every mistyped word replaced; `nil` if one of them resembles no word of an
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
