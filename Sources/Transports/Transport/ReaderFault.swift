/// A reason why a contactless reader or pcscd cannot be used. The raw value is the id in reports.
package enum ReaderFaultID: String, CaseIterable, Sendable {
    /// pcscd does not run.
    case serviceNotRunning = "pcsc.service_not_running"
    /// pcscd ended while it was in use.
    case serviceLost = "pcsc.service_lost"
    /// pcscd did not answer in time.
    case serviceHung = "pcsc.service_hung"
    /// pcscd and its client library use different versions of their protocol.
    case serviceIncompatible = "pcsc.service_incompatible"
    /// pcscd refuses this user any access.
    case serviceAccessDenied = "pcsc.service_access_denied"
    /// pcscd refuses to let this user connect to a card.
    case cardAccessDenied = "pcsc.card_access_denied"
    /// pcscd has reached its limit of clients.
    case tooManyClients = "pcsc.too_many_clients"
    /// No reader that may be used is plugged in.
    case noReader = "pcsc.no_reader"
    /// The reader in use was unplugged.
    case readerMissing = "pcsc.reader_missing"
    /// Another program, or another presentation of this program, uses the reader.
    case readerInUse = "pcsc.reader_in_use"
    /// The reader has not answered an earlier call yet.
    case readerBlocked = "pcsc.reader_blocked"
    /// Any other error of pcscd or the reader.
    case failed = "pcsc.failed"
    /// No program listens at the address of the bench link, a TCP connection that replaces NFC in trials.
    case benchLinkUnreachable = "bench_link.unreachable"
}

/// A reason why a reader cannot be used, with pcscd's error if there is one.
package typealias ReaderFault = PeerFault<ReaderFaultID>

extension ReaderFault {
    package static var serviceNotRunning: Self { Self(.serviceNotRunning) }
    package static var serviceLost: Self { Self(.serviceLost) }
    package static var serviceHung: Self { Self(.serviceHung) }
    package static var serviceIncompatible: Self { Self(.serviceIncompatible) }
    package static var serviceAccessDenied: Self { Self(.serviceAccessDenied) }
    package static var cardAccessDenied: Self { Self(.cardAccessDenied) }
    package static var tooManyClients: Self { Self(.tooManyClients) }
    package static var noReader: Self { Self(.noReader) }
    package static var readerMissing: Self { Self(.readerMissing) }
    package static var readerInUse: Self { Self(.readerInUse) }
    package static var readerBlocked: Self { Self(.readerBlocked) }
    package static var failed: Self { Self(.failed) }
    package static var benchLinkUnreachable: Self { Self(.benchLinkUnreachable) }
}
