/// The reader, or the service that drives it, is not there.
package struct ReaderUnavailable: Error, Equatable, Sendable {
    /// The transport's name for it.
    package let id: String

    package init(id: String) {
        self.id = id
    }

    /// What to do about it, for a person.
    package var advice: String {
        switch id {
        case "pcsc-service-not-running", "pcsc-service-lost":
            "pcscd does not run: install it (apt-get install pcscd), start it (systemctl start pcscd.socket)"
        case "pcsc-access-denied-service", "pcsc-access-denied-card":
            "pcscd refuses this user: Hardware/polkit has the rule for org.debian.pcsc-lite"
        case "pcsc-too-many-clients": "pcscd takes no further program: close others, or raise --max-thread"
        case "pcsc-no-reader":
            "no contactless reader: plug one in (Hardware/readers.md), or try Hardware/try --virtual"
        case "pcsc-reader-missing": "the reader is gone: plug it in again"
        case "pcsc-reader-blocked":
            "the reader hangs: lift the phone; if that does not help, pull the reader out and plug it in again"
        case "pcsc-reader-in-use": "another program uses the reader: close it"
        case "pcsc-service-incompatible":
            "pcscd and libpcsclite are of different versions: install both from one source"
        case "bench-link-unreachable": "nothing answers at the bench link: start the wallet first"
        default: "the reader cannot be used (\(id))"
        }
    }
}
