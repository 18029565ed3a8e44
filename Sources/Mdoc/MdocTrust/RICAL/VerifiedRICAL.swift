internal import CBOR
package import MdocModel
package import PKIX

/// A RICAL whose signature by a pinned provider was verified.
package struct VerifiedRICAL: Sendable {
    /// The maximum number of authorities in a list.
    package static let maximumEntries = 4096

    /// An authority that certifies readers, or that certifies other authorities for readers.
    package struct Entry: Sendable {
        package let certificate: Certificate
        /// Whether the entry has trust constraints, and none of them is empty.
        ///
        /// The draft defines no constraint yet. An unknown constraint is never met, so no reader whose
        /// certificate comes from a constrained authority is trusted.
        package let isConstrained: Bool
    }

    package let provider: String
    package let date: Timestamp
    package let number: UInt64?
    /// Whether the nextUpdate of the list has passed.
    package let isUpdateDue: Bool
    /// The entries that can be used.
    package let entries: [Entry]
    /// The indices of unusable entries, from 0. The certificate of such an entry cannot be read, or the
    /// entry's serial number or key identifier is missing or differs from the certificate.
    package let unusableEntries: [Int]

    /// Reads the entries of a list whose signature was verified.
    fileprivate init(_ list: UnverifiedRICAL, at now: Timestamp) throws(RICALError) {
        provider = list.provider
        date = list.date
        number = list.number
        isUpdateDue = list.nextUpdate.map { $0 < now } ?? false
        var (entries, unusable): ([Entry], [Int]) = ([], [])
        for (index, info) in list.infos.enumerated() {
            guard index < Self.maximumEntries else { throw .malformed(.tooMany(limit: Self.maximumEntries)) }
            if let entry = Entry(info) { entries.append(entry) } else { unusable.append(index) }
        }
        guard !entries.isEmpty else { throw .empty }
        (self.entries, unusableEntries) = (entries, unusable)
    }
}

extension UnverifiedRICAL {
    /// Verifies the provider's signature and the dates of the list.
    ///
    /// The profile of the signer's certificate is not public yet. A provider's root must therefore certify
    /// nothing but signers of lists.
    ///
    /// - Parameters:
    ///   - providers: The pinned roots of providers.
    ///   - now: The time at which list and signer must be valid. The signer must also be valid at the date of
    ///     the list.
    /// - Throws: `RICALError` if the list is not trusted, or must not be used at `now`.
    package func verify(
        by providers: [TrustAnchor], at now: Timestamp
    ) throws(RICALError) -> VerifiedRICAL {
        guard list.isSignerProtected else { throw .signerNotProtected }
        let chain = try list.signerChain()
        do throws(CertificatePathError) {
            // Only the check is needed, and not the root that it returns.
            for time in [date, now] { _ = try CertificatePath.verify(chain, to: providers, at: time) }
        } catch {
            throw .signerNotTrusted(error)
        }
        try list.verifySignature()
        guard type == Self.readerAuthentication else { throw .typeUnknown(type) }
        guard date <= now else { throw .notYetValid }
        if let notAfter, notAfter < now { throw .expired }
        return try VerifiedRICAL(self, at: now)
    }
}

extension VerifiedRICAL.Entry {
    /// Reads an entry; `nil` if it cannot be used.
    fileprivate init?(_ info: CBORItem) {
        guard let members = try? info.map(),
            let der = try? members.optional("certificate")?.byteString(),
            let certificate = try? Certificate(der: der),
            members.optional("serialNumber")?.isSerialNumber(certificate.serialNumber) == true,
            let identifier = try? members.optional("ski")?.byteString(),
            identifier == certificate.subjectKeyIdentifier
        else { return nil }
        self.certificate = certificate
        // The draft spells this member in two ways.
        let constraints = members.optional("trustConstraints") ?? members.optional("trustContraints")
        isConstrained = constraints.map { !Self.isMetByAll($0) } ?? false
    }

    /// Whether one of the constraints is empty, so that every reader meets it.
    private static func isMetByAll(_ constraints: CBORItem) -> Bool {
        guard let list = try? constraints.array() else { return false }
        return list.contains { (try? $0.map())?.count == 0 }
    }
}
