internal import MdocSession

/// What to do about Bluetooth that is not there, for a person.
package enum BluetoothAdvice {
    /// - Parameter id: of a condition of the radio.
    package static func text(forID id: String) -> String {
        switch id {
        case "bluez-bus-not-running", "bluez-bus-lost": "the system message bus does not run: start dbus"
        case "bluez-daemon-not-running", "bluez-daemon-lost":
            "bluetoothd does not run: install it (apt-get install bluez), start it (systemctl start bluetooth)"
        case "bluez-daemon-hung", "radio-silent": "bluetoothd does not answer: systemctl restart bluetooth"
        case "bluez-access-denied": "the message bus refuses this user: join the group bluetooth"
        case "bluez-no-adapter": "no Bluetooth adapter that can advertise: plug one in"
        case "bluez-adapter-missing": "the Bluetooth adapter of that name is not there"
        case "bluez-adapter-lost": "the Bluetooth adapter is gone: plug it in again"
        case "bluez-adapter-off":
            "the Bluetooth adapter is off: bluetoothctl power on; where that is refused, rfkill unblock bluetooth"
        case "bluez-registration-refused":
            "bluetoothd takes no further advertisement: close other programs that advertise"
        case "bluez-stranger-stays":
            "another device stays connected to the adapter: take it away and try again"
        default: "Bluetooth cannot be used (\(id))"
        }
    }

    /// - Parameter id: of a condition of the connection.
    package static func text(forConnection id: String) -> String {
        switch id {
        case "service-incomplete": "the phone connected without the service of an ID: tap again"
        case "not-subscribed": "the phone connected and did not listen: tap again"
        case "left-before-start": "the phone left before the transfer began: tap again"
        default: "no connection to the phone came about (\(id)): tap again"
        }
    }
}
