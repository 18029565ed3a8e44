internal import JSON
package import Transport
internal import MdocVerification

extension ReaderFault {
    /// A message for a person that states the fault and what to do, followed by the error that pcscd
    /// returned.
    package var advice: String { words + (refusal?.suffix ?? "") }

    private var words: String {
        switch id {
        case .serviceNotRunning:
            "pcscd does not run: install it (apt-get install pcscd) and start it (systemctl start pcscd.socket)"
        case .serviceLost: "pcscd ended while it was used: start it again (systemctl start pcscd.socket)"
        case .serviceHung: "pcscd does not answer: restart it (systemctl restart pcscd)"
        case .serviceAccessDenied:
            "pcscd refuses this user: install the rule for polkit (countersign doctor --fix)"
        case .cardAccessDenied:
            "pcscd refuses this user access to cards: install the rule for polkit (countersign doctor --fix)"
        case .tooManyClients:
            "pcscd accepts no further program: close other programs that use pcscd, or start pcscd with a larger --max-thread"
        case .noReader:
            "no contactless reader is connected: plug one in (Documentation/hardware.md), or try Hardware/try --virtual"
        case .readerMissing: "the reader is not connected any more: plug it in again"
        case .readerBlocked:
            "the reader hangs: lift the phone; if that does not help, pull the reader out and plug it in again"
        case .readerInUse: "another program uses the reader: close it"
        case .serviceIncompatible:
            "pcscd and libpcsclite are of different versions: install both from the same source"
        case .benchLinkUnreachable: "no wallet answers at the bench link: start the wallet first"
        case .failed: "the reader cannot be used: pull it out and plug it in again (\(id.rawValue))"
        }
    }
}

extension RadioFault {
    /// A message for a person that states the fault and what to do, followed by the error that bluetoothd or
    /// the message bus returned.
    package var advice: String { words + (refusal?.suffix ?? "") }

    private var words: String {
        switch id {
        case .busNotRunning: "the system message bus does not run: start it (systemctl start dbus)"
        case .busLost: "the system message bus ended while it was used: start it again (systemctl start dbus)"
        case .daemonNotRunning:
            "bluetoothd does not run: install it (apt-get install bluez) and start it (systemctl start bluetooth)"
        case .daemonLost: "bluetoothd ended while it was used: start it again (systemctl start bluetooth)"
        case .daemonHung: "bluetoothd does not answer: restart it (systemctl restart bluetooth)"
        case .accessDenied:
            "the message bus refuses this user: add the user to the group bluetooth, then log in again"
        case .noAdapter: "there is no Bluetooth adapter that can advertise: plug one in"
        case .adapterMissing: "the named Bluetooth adapter is not there: plug it in, or name another"
        case .adapterLost: "the Bluetooth adapter is not connected any more: plug it in again"
        case .adapterOff:
            "the Bluetooth adapter is off: run bluetoothctl power on; if that is refused, run rfkill unblock bluetooth first"
        case .settingsMissing:
            "with its present settings, bluetoothd makes phones ask to pair, or loses parts of their answers: run countersign doctor --fix, then systemctl daemon-reload && systemctl restart bluetooth"
        // bluetoothd returns this error when the adapter already sends as many advertisements as it can.
        case .registrationRefused where refusal?.name == "org.bluez.Error.NotPermitted":
            "bluetoothd accepts no further advertisement: close other programs that advertise"
        // bluetoothd can refuse although the adapter reports that it can advertise another service (Q239).
        case .registrationRefused:
            "bluetoothd refuses to advertise this reader: restart it (systemctl restart bluetooth); if it still refuses, use another kernel or bluez (Linux 6.12.93 and 6.18.34 with bluez 5.75 are known to refuse), or another adapter"
        case .otherDeviceStays:
            "another device stays connected to the adapter: switch it off and try again"
        case .failed: "Bluetooth cannot be used: run systemctl restart bluetooth (\(id.rawValue))"
        }
    }
}

extension ConnectionFault {
    /// A message for a person that states the fault and what to do, followed by the error that bluetoothd
    /// returned. The fault's id is included, because reports have the id `connection.failed` for all of these
    /// faults.
    package var advice: String { "\(event) (\(id.rawValue)): tap again\(refusal?.suffix ?? "")" }

    private var event: String {
        switch id {
        case .phoneForgotten: "bluetoothd lost the phone before the phone was connected"
        case .aborted: "the Bluetooth adapter or the kernel gave up connecting to the phone"
        case .refused: "the phone refused the connection"
        case .timedOut: "the phone did not accept the connection in time"
        case .phoneLeft: "the phone disconnected before it could be used"
        case .servicesUnresolved: "the phone did not list its services in time"
        case .serviceIncomplete:
            "the phone connected, but does not offer the GATT service for mobile documents"
        case .notSubscribed: "the phone connected, but did not subscribe to messages"
        case .channelRefused: "the phone refused the L2CAP channel"
        case .noSocket: "the system could not open a socket for the connection"
        case .valueTooLong: "a message part is longer than the connection allows"
        case .readRefused: "the phone did not let the reader read a characteristic"
        case .readTimedOut: "the phone did not answer in time when the reader read a characteristic"
        case .identOfAnother:
            "over Bluetooth, the phone found another reader than the one that it tapped (its Ident differs)"
        case .leftBeforeStart: "the phone disconnected before the transfer began"
        }
    }
}

extension PeerRefusal {
    /// The daemon's error in parentheses, for the end of a one-line message about a fault.
    fileprivate var suffix: String { " (\(text))" }

    /// The call and the daemon's error, such as `RegisterAdvertisement: org.bluez.Error.Failed: Failed to
    /// register advertisement`.
    package var text: String {
        // The limits keep the whole text to a few lines of a terminal, whatever the daemon writes.
        let parts = [(call, 48), (name, 80), (message, 160)].map { Terminal.safe($0, limit: $1) }
        return parts.filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// The call and the name of the error, without the daemon's message.
    package var title: String { PeerRefusal(call: call, name: name, message: "").text }
}

extension TransactionReport {
    /// Adds advice to the error of a phone that could not decode the request (status 11 of the session or of
    /// the answer).
    ///
    /// - Parameter isExtended: whether the request was of version 1.1; `nil` if that is not known.
    package mutating func adviseOnUndecodedRequest(isExtended: Bool?) {
        let advice =
            switch isExtended {
            case true?: "the request was of version 1.1: try --request-version 1.0"
            case nil: "if the request was of version 1.1, try --request-version 1.0"
            case false?:
                "the request was already of version 1.0: tap again; if this happens again, record a field trace"
            }
        // The error is the status of the session or of the answer, which the caller has found to be 11.
        advise(advice, about: [.transaction(.sessionStatus11), .response(.statusNotOK)])
    }
}
