package import MdocModel

/// Which issue of a list something is.
package struct ListIssueName: Equatable, Sendable {
    /// In decimal, or as hexadecimal bytes where it is long; nil if issues are not counted.
    package let number: String?
    package let date: Timestamp

    package init(number: String?, date: Timestamp) {
        self.number = number
        self.date = date
    }
}
