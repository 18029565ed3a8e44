/// Something did not come in time.
package struct Overdue: Error, CustomStringConvertible {
    package let what: String

    package init(_ what: String) {
        self.what = what
    }

    package var description: String { "overdue: \(what)" }
}
