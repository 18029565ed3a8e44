internal import MdocTrust

extension MobileDocumentReader.Setup {
    /// What is done where it is not known whether a document is revoked.
    public struct Revocation: Equatable, Sendable {
        let policy: RevocationPolicy

        /// It is believed, and the verdict says so: for age checks.
        public static let age = Revocation(policy: .age)
        /// It is refused: for handing over a thing of value.
        public static let rental = Revocation(policy: .rental(staleDays: 0))

        /// It is refused, unless the list that is there has been stale for no more than so many days.
        public static func rental(staleDays: Int) -> Revocation {
            Revocation(policy: .rental(staleDays: staleDays))
        }
    }
}
