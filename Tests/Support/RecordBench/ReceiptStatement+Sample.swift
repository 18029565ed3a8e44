package import MdocModel
internal import MdocTrust
internal import MdocVerification
package import ReaderStore
internal import RequestPlanner

extension ReceiptStatement {
    package struct NoSample: Error {}

    /// What a receipt of a rental desk says.
    package static func sample(
        at time: Timestamp = RentalDocument.now, _ verdict: Verdict = .verified,
        hasTestDocument: Bool = false, documents: [ReceiptDocument] = [], reasons: [ReceiptReason] = [],
        decision: Decision? = nil, engagement: Engagement? = nil, proof: Proof? = nil,
        decidedFrom source: DecisionSource? = nil
    ) throws -> ReceiptStatement {
        guard let lane = ReceiptLabel("counter-1"), let policy = ReceiptLabel("age"),
            let software = ReceiptLabel("0.1.0"), let age = AgeAttestation(years: 21),
            let code = VehicleCode("B")
        else { throw NoSample() }
        return ReceiptStatement(
            time: time, lane: lane, kind: .display, purpose: .rental,
            questions: [
                ReceiptQuestion(.ageOver(age), .yes), ReceiptQuestion(.category(code), .unknown),
                ReceiptQuestion(.portrait, .no),
            ], verdict: verdict, hasTestDocument: hasTestDocument, reasons: reasons, documents: documents,
            trust: Trust(
                snapshot: TrustSnapshot.ID(bytes: [UInt8](repeating: 7, count: 32)), ageSeconds: 3600),
            policy: policy, software: software, retention: .receipt, decision: decision,
            engagement: engagement, proof: proof, decidedFrom: source)
    }
}
