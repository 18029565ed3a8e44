internal import PCSCTransport
internal import Reports

extension PCSCTransportError {
    /// What to do about it, for a person.
    var advice: String { ReaderUnavailable(id: id).advice }
}
