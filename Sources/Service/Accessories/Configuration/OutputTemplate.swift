/// The text or keys that an output types for one outcome.
///
/// A template consists of literal characters, keys (`{tab}`, `{enter}`, `{f1}` to `{f24}`), waits (`{wait:200}`, in
/// milliseconds) and these values: `{outcome}`, `{age}` (the age that was asked), `{lane}`, `{code}` (six digits that
/// belong to the presentation) and `{standIn:MMDDYYYY}` (a fixed date of the owner, never the holder's). No element of a
/// document has a name here, so that none can be typed.
package struct OutputTemplate: Equatable, Sendable {
    package enum Part: Equatable, Sendable {
        case literal(String)
        case tab, enter
        /// A function key, from 1 to 24.
        case function(Int)
        case wait(Duration)
        case outcome, age, lane, code
        /// The owner's date in a format of `MM`, `DD`, `YYYY`, `YY` and signs.
        case standIn(format: String)
    }

    package let parts: [Part]

    package init(parts: [Part]) {
        self.parts = parts
    }
}

/// A fixed date of the owner that stands for "old enough" at a till which asks for a date of birth.
package struct StandInDate: Equatable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }
}

/// An output that is due, as the daemon reports it to `countersign-accessories`. It contains nothing else about the
/// presentation.
package struct DueOutput: Equatable, Sendable {
    /// The number under which the daemon has recorded the output.
    package let number: Int64
    package let accessory: String
    package let lane: String
    package let presentation: String
    package let outcome: AccessoryOutcome
    /// Whether a test issuer signed a document. `false` too if no document was judged.
    package let isTest: Bool
    /// The age that was asked; `nil` if no age was asked.
    package let age: Int?
    /// Six digits that belong to the presentation, for a till's journal.
    package let code: String

    package init(
        number: Int64, accessory: String, lane: String, presentation: String, outcome: AccessoryOutcome,
        isTest: Bool, age: Int?, code: String
    ) {
        self.number = number
        self.accessory = accessory
        self.lane = lane
        self.presentation = presentation
        self.outcome = outcome
        self.isTest = isTest
        self.age = age
        self.code = code
    }
}
