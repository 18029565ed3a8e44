/// A fault of a relay board's reply, or a board that contradicts the configuration.
package enum RelayFault: Error, Equatable, Sendable {
    /// No reply came in time.
    case noReply
    /// The device could not be written or read, and is still there.
    case deviceFailed
    /// The reply is shorter or longer than the request's reply, with its number of bytes.
    case wrongLength(Int)
    /// The reply belongs to no request, or to another command.
    case replyUnexpected
    /// The checksum does not fit the bytes.
    case wrongChecksum
    /// The reply has the number of another request (Modbus TCP).
    case wrongTransaction
    /// The reply is of another protocol than Modbus (Modbus TCP).
    case wrongProtocol
    /// The reply comes from another Modbus unit.
    case wrongUnit(UInt8)
    /// The reply has another Modbus function.
    case wrongFunction(UInt8)
    /// The board refused the request.
    case refused(ModbusException)
    /// The reply confirms another coil or the opposite command.
    case wrongEcho
    /// The reply confirms a coil with a value that is neither FF00 nor 0000.
    case illegalCoilValue(UInt16)
    /// The state of a contact is neither 00 nor 01.
    case illegalState(UInt8)
    /// The reply is about another contact.
    case wrongChannel(UInt8)
    /// The board reports other characters than those in the configuration.
    case wrongSerial
    /// The board's product text belongs to no protocol, or to another one.
    case productUnknown
    /// The board lacks the contact.
    case channelMissing(Int, of: Int)
    /// The board says that the contact is closed after it was opened.
    case stillClosed
}

/// A code with which a Modbus unit refuses a request (MODBUS Application Protocol Specification V1.1b3, 7).
package enum ModbusException: Equatable, Sendable {
    case illegalFunction, illegalAddress, illegalValue, deviceFailure, acknowledge, busy
    case gatewayPathUnavailable, gatewayTargetSilent
    case other(UInt8)

    init(_ code: UInt8) {
        self =
            switch code {
            case 1: .illegalFunction
            case 2: .illegalAddress
            case 3: .illegalValue
            case 4: .deviceFailure
            case 5: .acknowledge
            case 6: .busy
            case 10: .gatewayPathUnavailable
            case 11: .gatewayTargetSilent
            default: .other(code)
            }
    }
}

extension RelayFault {
    /// The state of the accessory that follows from the fault.
    package var state: AccessoryState {
        switch self {
        case .wrongSerial, .productUnknown, .channelMissing, .refused(.illegalFunction),
            .refused(.illegalAddress),
            .refused(.illegalValue):
            .misconfigured
        default: .notAnswering
        }
    }

    /// The fault as a text for people: what happened and what to do.
    package var explanation: String {
        switch self {
        case .noReply: "the board did not answer; check its power, its cable and its speed or address"
        case .deviceFailed: "the device could not be written or read; check its cable"
        case .wrongLength(let count):
            "the board answered with \(count) bytes, which is not its protocol; check the kind of board"
        case .replyUnexpected: "the board answered to no request; check that no other program uses it"
        case .wrongChecksum: "the board's answer has a wrong checksum; check the cable and the speed"
        case .wrongTransaction: "the board answered to another request; check that no other program uses it"
        case .wrongProtocol: "the address answers with another protocol than Modbus; check host and port"
        case .wrongUnit(let unit): "the Modbus unit \(unit) answered instead; check unit"
        case .wrongFunction(let function):
            "the board answered with the Modbus function \(function); check the kind of board"
        case .refused(let exception): "the board refused the request: \(exception.explanation)"
        case .wrongEcho: "the board confirmed another command; check that no other program uses it"
        case .illegalCoilValue(let value):
            "the board confirmed the value \(value), which is neither on nor off; it does not keep to Modbus"
        case .illegalState(let state):
            "the board reports the state \(state), which is neither on nor off; check the kind of board"
        case .wrongChannel(let channel):
            "the board answered for the contact \(channel); check the kind of board"
        case .wrongSerial: "another board answered; check serial"
        case .productUnknown:
            "the board's product text belongs to another kind of board; check the kind of board"
        case .channelMissing(let channel, let count):
            "the contact \(channel) is missing: the board has \(count); correct channel"
        case .stillClosed:
            "the contact is still closed after it was switched off; check the wiring and the board"
        }
    }
}

extension ModbusException {
    var explanation: String {
        switch self {
        case .illegalFunction: "it cannot switch coils; check the kind of board"
        case .illegalAddress: "it has no such coil; check coil"
        case .illegalValue: "it does not accept the value; check the kind of board"
        case .deviceFailure: "it reports a failure of its own; restart it"
        case .acknowledge, .busy: "it is busy; it is asked again"
        case .gatewayPathUnavailable: "the gateway has no path to the unit; check unit"
        case .gatewayTargetSilent: "the unit behind the gateway does not answer; check unit and its power"
        case .other(let code): "it reports the code \(code); see its manual"
        }
    }
}
