/// A fault of an output's template, for the author of the configuration file.
///
/// `at` is the place in the text, counted in characters from 1. The faults after `waitsTooLong` concern the
/// parts of a template that was read, and name the character or the value instead of its place.
package enum OutputTemplateFault: Error, Equatable, Sendable {
    /// The text is empty.
    case empty
    /// The text has more than `OutputTemplate.mostCharacters` characters.
    case tooLong
    /// The template has more than `OutputTemplate.mostParts` parts.
    case tooManyParts
    /// A character that no template may contain.
    case characterRefused(Unicode.Scalar, at: Int)
    /// A `{` without its `}`.
    case braceUnclosed(at: Int)
    /// A `}` without its `{`.
    case braceUnopened(at: Int)
    /// A name in braces that is no key, wait or value.
    case nameUnknown(at: Int)
    /// A wait shorter or longer than `OutputTemplate.waits`.
    case waitOutOfRange(at: Int)
    /// A format of `{standIn:…}` with other signs than `MM`, `DD`, `YYYY`, `YY`, space, `-`, `/` and `.`,
    /// with one of them twice, or with none of them.
    case standInFormat(at: Int)
    /// The waits together take longer than `OutputTemplate.longestWaits`.
    case waitsTooLong
    /// A text begins as the data of an AAMVA driver's licence begins.
    case looksLikeLicence
    /// The template has `{standIn:…}`, and the output has no date for it.
    case standInMissing
    /// The output's date does not exist.
    case standInImpossible
    /// A character that stands on another key in another layout, and the output names no layout.
    case layoutMissing(Unicode.Scalar)
    /// A value with characters that stand on other keys in other layouts, and the output names no layout. The
    /// associated text is the value's name without its braces.
    case layoutMissingForValue(String)
    /// A character that the layout lacks.
    case characterNotInLayout(Unicode.Scalar, KeyboardLayout)
    /// A function key, which a serial line does not have.
    case functionKeyOnLine(Int)
}

extension OutputTemplateFault {
    /// The fault as a text for people: what is wrong, where it is, and what to do.
    package var explanation: String {
        switch self {
        case .empty: "the template is empty; give it a text or a key, or leave the outcome out"
        case .tooLong: "the template is longer than \(OutputTemplate.mostCharacters) characters; shorten it"
        case .tooManyParts: "the template has more than \(OutputTemplate.mostParts) parts; shorten it"
        case .characterRefused(let scalar, let place):
            "character \(place): \(Self.quoted(scalar)) is not allowed, because the keys go to whichever program "
                + "is in front; use letters, digits, spaces and other signs, without ` $ ; | & < > \\"
        case .braceUnclosed(let place): "character \(place): this { has no }; close it"
        case .braceUnopened(let place): "character \(place): this } has no {; remove it"
        case .nameUnknown(let place):
            "character \(place): this name is unknown; use {tab}, {enter}, {f1} to {f24}, {wait:200}, "
                + "{outcome}, {age}, {lane}, {code} or {standIn:MMDDYYYY}"
        case .waitOutOfRange(let place):
            "character \(place): a wait takes from 10 to 2000 milliseconds, for example {wait:200}"
        case .standInFormat(let place):
            "character \(place): the format of the date consists of MM, DD and YYYY or YY, each at most once, "
                + "and the signs - / . and space, for example {standIn:MM/DD/YYYY}"
        case .waitsTooLong: "the waits take longer than 5 seconds together; shorten them"
        case .looksLikeLicence:
            "the text begins with @, ANSI or AAMVA, as the data of a scanned licence does, and would be a "
                + "forged document in the till's journal; begin with another text"
        case .standInMissing: "{standIn:…} needs a date; set standIn"
        case .standInImpossible: "standIn is not a date of the calendar from 1900 to 9999; correct it"
        case .layoutMissing(let scalar):
            "\(Self.quoted(scalar)) is on another key in another layout; set layout, or use only the letters "
                + "\(KeyStrokes.commonLetters) and keys"
        case .layoutMissingForValue(let name):
            "{\(name)} has characters that are on other keys in other layouts; set layout"
        case .characterNotInLayout(let scalar, let layout):
            "the layout \(layout.rawValue) has no key for \(Self.quoted(scalar)) alone; use another character"
        case .functionKeyOnLine(let number): "a serial line has no key F\(number); remove {f\(number)}"
        }
    }

    /// The character in quotes, or its number if it cannot be shown in a terminal.
    private static func quoted(_ scalar: Unicode.Scalar) -> String {
        guard OutputTemplate.isPrintable(scalar) else {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
        return "\"\(scalar)\""
    }
}
