/// Why an NFC machine ended: what happened, in which phase (Q12). Holds no message bytes.
package struct NFCEndReason: Error, Equatable, Sendable {
    package let phase: NFCPhase
    package let fault: NFCFault

    package init(_ phase: NFCPhase, _ fault: NFCFault) {
        self.phase = phase
        self.fault = fault
    }
}

extension NFCEndReason {
    /// What happened, and in which phase (Q12).
    package var explanation: String { "NFC ended in \(phase.rawValue): \(fault.explanation)" }
}
