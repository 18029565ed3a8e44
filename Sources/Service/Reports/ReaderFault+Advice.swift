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
