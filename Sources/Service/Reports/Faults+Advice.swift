package import Transport

extension ReaderFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .serviceNotRunning, .serviceLost:
            "pcscd does not run: install it (apt-get install pcscd), start it (systemctl start pcscd.socket)"
        case .serviceHung: "pcscd does not answer: systemctl restart pcscd"
        case .serviceAccessDenied, .cardAccessDenied:
            "pcscd refuses this user: Hardware/polkit has the rule for org.debian.pcsc-lite"
        case .tooManyClients: "pcscd accepts no further program: close others, or raise --max-thread"
        case .noReader:
            "no contactless reader: plug one in (Documentation/hardware.md), or try Hardware/try --virtual"
        case .readerMissing: "the reader is not connected any more: plug it in again"
        case .readerBlocked:
            "the reader hangs: lift the phone; if that does not help, pull the reader out and plug it in again"
        case .readerInUse: "another program uses the reader: close it"
        case .serviceIncompatible:
            "pcscd and libpcsclite are of different versions: install both from one source"
        case .benchLinkUnreachable: "nothing answers at the bench link: start the wallet first"
        case .failed: "the reader cannot be used: pull it out and plug it in again (\(rawValue))"
        }
    }
}

extension RadioFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .busNotRunning, .busLost: "the system message bus does not run: start dbus"
        case .daemonNotRunning, .daemonLost:
            "bluetoothd does not run: install it (apt-get install bluez), start it (systemctl start bluetooth)"
        case .daemonHung: "bluetoothd does not answer: systemctl restart bluetooth"
        case .accessDenied: "the message bus refuses this user: join the group bluetooth"
        case .noAdapter: "no Bluetooth adapter that can advertise: plug one in"
        case .adapterMissing: "the Bluetooth adapter of that name is not there"
        case .adapterLost: "the Bluetooth adapter is not connected any more: plug it in again"
        case .adapterOff:
            "the Bluetooth adapter is off: bluetoothctl power on; where that is refused, rfkill unblock bluetooth"
        case .registrationRefused:
            "bluetoothd accepts no further advertisement: close other programs that advertise"
        case .otherDeviceStays:
            "another device stays connected to the adapter: take it away and try again"
        case .failed: "Bluetooth cannot be used: systemctl restart bluetooth (\(rawValue))"
        }
    }
}

extension ConnectionFault {
    /// What to do about it, for a person.
    package var advice: String {
        switch self {
        case .serviceIncomplete: "the phone connected without the service of an ID: tap again"
        case .notSubscribed: "the phone connected and did not listen: tap again"
        case .leftBeforeStart: "the phone left before the transfer began: tap again"
        default: "no connection to the phone could be made (\(rawValue)): tap again"
        }
    }
}
