/// Shows the operator elements of a driver's license, with its portrait. None of them reaches the app.
public struct MobileDriversLicenseDisplayRequest: MobileDocumentRequest {
    /// What can be shown. The portrait comes on its own.
    public enum Element: Hashable, Sendable {
        case age, familyName, givenName
        /// Whether the holder is at least so many years old, 0 to 99; at most two such questions in one request.
        case ageAtLeast(Int)
    }

    /// How the result is shown.
    public struct Options: Hashable, Sendable {
        /// What the operator is asked.
        public struct ValidationMode: Hashable, Sendable {
            private enum Kind { case check, checkMultiple, confirm }

            private let kind: Kind

            /// To continue, after the one document.
            public static let check = ValidationMode(kind: .check)
            /// To continue, after one of several documents in a session.
            public static let checkMultiple = ValidationMode(kind: .checkMultiple)
            /// To state a decision: does the person match?
            public static let confirm = ValidationMode(kind: .confirm)
        }

        /// What the operator is asked.
        public var validationMode: ValidationMode

        /// A request for these.
        public init(validationMode: ValidationMode) {
            self.validationMode = validationMode
        }
    }

    /// The result of a display request: the operator's decision, and nothing of the document.
    public struct Response: Hashable, Sendable {
        /// What the operator decided.
        public enum ValidationOutcome: Hashable, Sendable {
            /// The operator said that the person matches, and every age that was asked about is proven.
            case approved
            /// The operator said no, or the answer to an age is no.
            case rejected
            /// Neither: nothing was asked, nobody answered, the document does not say an age, or no portrait came.
            case dismissed
        }

        /// What the operator decided.
        public let validationOutcome: ValidationOutcome
    }

    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}
