package import Transport

extension ReaderFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .serviceNotRunning:
            "pcscd does not run: install it (apt-get install pcscd), start it (systemctl start pcscd.socket)"
        case .serviceLost: "pcscd ended while it was used: start it again (systemctl start pcscd.socket)"
        case .serviceHung: "pcscd does not answer: systemctl restart pcscd"
        case .serviceAccessDenied:
            "pcscd refuses this user: install the rule for polkit (countersign doctor --fix)"
        case .cardAccessDenied:
            "pcscd refuses this user access to cards: install the rule for polkit (countersign doctor --fix)"
        case .tooManyClients: "pcscd accepts no further program: close others, or raise --max-thread"
        case .noReader:
            "no contactless reader is connected: plug one in (Documentation/hardware.md), or try Hardware/try --virtual"
        case .readerMissing: "the reader is not connected any more: plug it in again"
        case .readerBlocked:
            "the reader hangs: lift the phone; if that does not help, pull the reader out and plug it in again"
        case .readerInUse: "another program uses the reader: close it"
        case .serviceIncompatible:
            "pcscd and libpcsclite are of different versions: install both from the same source"
        case .benchLinkUnreachable: "nothing answers at the bench link: start the wallet first"
        case .failed: "the reader cannot be used: pull it out and plug it in again (\(rawValue))"
        }
    }
}

extension RadioFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .busNotRunning: "the system message bus does not run: start it (systemctl start dbus)"
        case .busLost: "the system message bus ended while it was used: start it again (systemctl start dbus)"
        case .daemonNotRunning:
            "bluetoothd does not run: install it (apt-get install bluez), start it (systemctl start bluetooth)"
        case .daemonLost: "bluetoothd ended while it was used: start it again (systemctl start bluetooth)"
        case .daemonHung: "bluetoothd does not answer: systemctl restart bluetooth"
        case .accessDenied: "the message bus refuses this user: add the user to the group bluetooth"
        case .noAdapter: "there is no Bluetooth adapter that can advertise: plug one in"
        case .adapterMissing: "the Bluetooth adapter of that name is not there: plug it in, or name another"
        case .adapterLost: "the Bluetooth adapter is not connected any more: plug it in again"
        case .adapterOff:
            "the Bluetooth adapter is off: bluetoothctl power on; where that is refused, rfkill unblock bluetooth"
        case .settingsMissing:
            "bluetoothd's settings make phones ask to pair, or lose parts of their answers: countersign doctor --fix, then systemctl daemon-reload && systemctl restart bluetooth"
        case .registrationRefused:
            "bluetoothd accepts no further advertisement: close other programs that advertise"
        case .otherDeviceStays:
            "another device stays connected to the adapter: switch it off and try again"
        case .failed: "Bluetooth cannot be used: systemctl restart bluetooth (\(rawValue))"
        }
    }
}

extension ConnectionFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .serviceIncomplete: "the phone connected and does not offer the service for IDs: tap again"
        case .notSubscribed: "the phone connected and did not subscribe to messages: tap again"
        case .leftBeforeStart: "the phone left before the transfer began: tap again"
        default: "no connection to the phone could be made (\(rawValue)): tap again"
        }
    }
}
