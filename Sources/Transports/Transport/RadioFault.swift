/// A reason why the Bluetooth radio, the message bus or bluetoothd cannot be used. The raw value is the id in
/// reports.
package enum RadioFaultID: String, CaseIterable, Sendable {
    /// No message bus runs.
    case busNotRunning = "bluez.bus_not_running"
    /// The message bus ended while it was in use.
    case busLost = "bluez.bus_lost"
    /// bluetoothd does not run.
    case daemonNotRunning = "bluez.daemon_not_running"
    /// bluetoothd ended while it was in use.
    case daemonLost = "bluez.daemon_lost"
    /// bluetoothd did not answer in time.
    case daemonHung = "bluez.daemon_hung"
    /// The message bus does not let this user call bluetoothd.
    case accessDenied = "bluez.access_denied"
    /// This computer has no adapter that can advertise.
    case noAdapter = "bluez.no_adapter"
    /// The configured adapter does not exist or cannot advertise.
    case adapterMissing = "bluez.adapter_missing"
    /// The adapter was removed while it was in use.
    case adapterLost = "bluez.adapter_lost"
    /// The adapter is switched off.
    case adapterOff = "bluez.adapter_off"
    /// bluetoothd lacks settings without which phones ask to pair, or parts of their answers are lost.
    case settingsMissing = "bluez.settings_missing"
    /// bluetoothd refused to register a service or an advertisement. It may refuse an advertisement although
    /// it reported that another advertisement is possible (Q239).
    case registrationRefused = "bluez.registration_refused"
    /// A device that belongs to no presentation stays connected to the adapter.
    case otherDeviceStays = "bluez.other_device_stays"
    /// Any other error of bluetoothd or the system.
    case failed = "bluez.failed"
}

/// A reason why Bluetooth cannot be used, with the error of bluetoothd or the message bus if there is one.
package typealias RadioFault = PeerFault<RadioFaultID>

extension RadioFault {
    package static var busNotRunning: Self { Self(.busNotRunning) }
    package static var busLost: Self { Self(.busLost) }
    package static var daemonNotRunning: Self { Self(.daemonNotRunning) }
    package static var daemonLost: Self { Self(.daemonLost) }
    package static var daemonHung: Self { Self(.daemonHung) }
    package static var accessDenied: Self { Self(.accessDenied) }
    package static var noAdapter: Self { Self(.noAdapter) }
    package static var adapterMissing: Self { Self(.adapterMissing) }
    package static var adapterLost: Self { Self(.adapterLost) }
    package static var adapterOff: Self { Self(.adapterOff) }
    package static var settingsMissing: Self { Self(.settingsMissing) }
    package static var registrationRefused: Self { Self(.registrationRefused) }
    package static var otherDeviceStays: Self { Self(.otherDeviceStays) }
    package static var failed: Self { Self(.failed) }
}

/// A reason why no Bluetooth link to the phone could be made. The raw value is the id in reports.
package enum ConnectionFaultID: String, CaseIterable, Sendable {
    /// bluetoothd has removed its data about the phone.
    case phoneForgotten = "connection.phone_forgotten"
    /// The controller or the kernel aborted the attempt to connect.
    case aborted = "connection.aborted"
    /// bluetoothd or the phone refused the connection.
    case refused = "connection.refused"
    /// The phone did not connect in time.
    case timedOut = "connection.timed_out"
    /// The phone disconnected before its service could be used.
    case phoneLeft = "connection.phone_left"
    /// bluetoothd did not learn the phone's services in time.
    case servicesUnresolved = "connection.services_unresolved"
    /// The phone does not have the service, or lacks one of its characteristics.
    case serviceIncomplete = "connection.service_incomplete"
    /// The phone did not subscribe to a characteristic that it needs.
    case notSubscribed = "connection.not_subscribed"
    /// The phone refused the L2CAP channel.
    case channelRefused = "connection.channel_refused"
    /// The system could not provide a socket for the L2CAP channel.
    case noSocket = "connection.no_socket"
    /// A value is longer than the link allows.
    case valueTooLong = "connection.value_too_long"
    /// The phone refused to let a characteristic be read.
    case readRefused = "connection.read_refused"
    /// The phone did not answer a read in time.
    case readTimedOut = "connection.read_timed_out"
    /// The value of the Ident characteristic belongs to another engagement (ISO/IEC 18013-5 8.3.3.1.1.4).
    case identOfAnother = "connection.ident_of_another"
    /// The phone disconnected before the transfer began.
    case leftBeforeStart = "connection.left_before_start"
}

/// A reason why no link could be made, with bluetoothd's error if there is one.
package typealias ConnectionFault = PeerFault<ConnectionFaultID>

extension ConnectionFault {
    package static var phoneForgotten: Self { Self(.phoneForgotten) }
    package static var aborted: Self { Self(.aborted) }
    package static var refused: Self { Self(.refused) }
    package static var timedOut: Self { Self(.timedOut) }
    package static var phoneLeft: Self { Self(.phoneLeft) }
    package static var servicesUnresolved: Self { Self(.servicesUnresolved) }
    package static var serviceIncomplete: Self { Self(.serviceIncomplete) }
    package static var notSubscribed: Self { Self(.notSubscribed) }
    package static var channelRefused: Self { Self(.channelRefused) }
    package static var noSocket: Self { Self(.noSocket) }
    package static var valueTooLong: Self { Self(.valueTooLong) }
    package static var readRefused: Self { Self(.readRefused) }
    package static var readTimedOut: Self { Self(.readTimedOut) }
    package static var identOfAnother: Self { Self(.identOfAnother) }
    package static var leftBeforeStart: Self { Self(.leftBeforeStart) }
}
