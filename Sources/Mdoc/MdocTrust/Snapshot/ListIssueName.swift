package import MdocModel

/// The number and date by which a message names one issue (edition) of a list.
package struct ListIssueName: Equatable, Sendable {
    /// The issue number in decimal, or in hexadecimal if it has more than 8 bytes; `nil` for lists without
    /// numbers.
    package let number: String?
    package let date: Timestamp

    package init(number: String?, date: Timestamp) {
        self.number = number
        self.date = date
    }
}
