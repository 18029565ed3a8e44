internal import JSON

/// The text of a check: in full for the person at the computer, and without this installation's own names and paths
/// for others.
package struct CheckText: Equatable, Sendable, ExpressibleByStringInterpolation {
    package let full: String
    package let shared: String

    package init(stringLiteral value: String) {
        (full, shared) = (value, value)
    }

    package init(stringInterpolation: StringInterpolation) {
        (full, shared) = (stringInterpolation.full, stringInterpolation.shared)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        /// The longest value that is shown, in characters.
        private static let limit = 400

        fileprivate var full = ""
        fileprivate var shared = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            full += literal
            shared += literal
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            appendLiteral(Terminal.safe(value.description, limit: Self.limit))
        }

        package mutating func appendInterpolation(_ text: CheckText) {
            full += text.full
            shared += text.shared
        }

        /// - Parameter word: what others read in its place.
        package mutating func appendInterpolation(own value: some CustomStringConvertible, as word: String) {
            full += Terminal.safe(value.description, limit: Self.limit)
            shared += Terminal.safe(word, limit: Self.limit)
        }
    }
}

extension [CheckText] {
    package func joined(by separator: String) -> CheckText {
        guard var text = first else { return "" }
        for next in dropFirst() { text = "\(text)\(separator)\(next)" }
        return text
    }
}
