/// ISO/IEC 18013-5, 8.3.3.1.1.4: the values of the State characteristic.
package enum BLEStateValue: UInt8, Sendable {
    /// The GATT client begins the session.
    case start = 1
    /// Either side ends it.
    case end = 2
}
