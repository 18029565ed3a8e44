/// Why a contactless reader, or the service that drives it, cannot be used. The raw value is its id in reports.
package enum ReaderFaultID: String, CaseIterable, Sendable {
    /// No pcscd listens.
    case serviceNotRunning = "pcsc.service_not_running"
    /// pcscd ended while it was used.
    case serviceLost = "pcsc.service_lost"
    /// pcscd did not answer in time.
    case serviceHung = "pcsc.service_hung"
    /// pcscd and its library do not understand each other.
    case serviceIncompatible = "pcsc.service_incompatible"
    /// pcscd does not let this user use it at all.
    case serviceAccessDenied = "pcsc.service_access_denied"
    /// pcscd does not let this user connect to a card.
    case cardAccessDenied = "pcsc.card_access_denied"
    /// pcscd serves as many programs as it may.
    case tooManyClients = "pcsc.too_many_clients"
    /// No reader is connected, or none that may be used.
    case noReader = "pcsc.no_reader"
    /// The reader that was used is not connected any more.
    case readerMissing = "pcsc.reader_missing"
    /// Another program, or another presentation of this one, uses the reader.
    case readerInUse = "pcsc.reader_in_use"
    /// The reader has not answered an earlier call.
    case readerBlocked = "pcsc.reader_blocked"
    /// Any other refusal of pcscd or the reader.
    case failed = "pcsc.failed"
    /// Nothing listens where the bench link leads.
    case benchLinkUnreachable = "bench_link.unreachable"
}

/// Why a reader cannot be used, with pcscd's error behind it.
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
