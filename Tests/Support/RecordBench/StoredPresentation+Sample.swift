internal import MdocModel
package import ReaderStore

extension StoredPresentation {
    /// A presentation that a till ordered, and that ended with `allow` after so many seconds.
    package static func sample(_ id: String, endedAfter seconds: Int64 = 3) -> StoredPresentation {
        StoredPresentation(
            id: id, owner: "till", reference: nil, holder: 1, order: [UInt8](repeating: 7, count: 32),
            created: RentalDocument.now, ended: RentalDocument.now.advanced(bySeconds: seconds),
            lane: "counter-1", outcome: .allow, isOfTest: false, description: "{}", outcomeDescription: "{}")
    }
}
