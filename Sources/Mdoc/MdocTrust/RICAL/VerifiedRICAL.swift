internal import CBOR
package import MdocModel
package import PKIX

/// A RICAL whose provider's signature was verified.
package struct VerifiedRICAL: Sendable {
    /// How many authorities one list may hold here.
    package static let maximumEntries = 4096

    /// An authority that certifies readers, or other such authorities.
    package struct Entry: Sendable {
        package let certificate: Certificate
        /// Whether each of its trust constraints has something in it. None is defined, and one that is not known never
        /// holds, so that no reader meets them.
        package let isConstrained: Bool
    }

    package let provider: String
    package let date: Timestamp
    package let number: UInt64?
    /// Whether a newer list should be there by now.
    package let isUpdateDue: Bool
    /// The entries that can be used.
    package let entries: [Entry]
    /// The places of the entries that cannot, the first is 0: their certificates cannot be read, or differ from what stands
    /// beside them.
    package let unusableEntries: [Int]

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
    /// The list behind its provider's signature.
    ///
    /// The profile of the signer's certificate is not public yet: a provider's root must certify signers of lists alone.
    ///
    /// - Parameters:
    ///   - providers: the pinned roots of providers.
    ///   - now: when list and signer have to be valid, beside the date of the list, at which the signer has to be.
    package func verify(
        by providers: [TrustAnchor], at now: Timestamp
    ) throws(RICALError) -> VerifiedRICAL {
        guard list.isSignerProtected else { throw .signerNotProtected }
        let chain = try list.signerChain()
        do throws(CertificatePathError) {
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
    /// Nil for an entry that cannot be used.
    fileprivate init?(_ info: CBORItem) {
        guard let members = try? info.map(),
            let der = try? members.optional("certificate")?.byteString(),
            let certificate = try? Certificate(der: der),
            members.optional("serialNumber")?.isSerialNumber(certificate.serialNumber) == true,
            let identifier = try? members.optional("ski")?.byteString(),
            identifier == certificate.subjectKeyIdentifier
        else { return nil }
        self.certificate = certificate
        // The draft spells the member in two ways.
        let constraints = members.optional("trustConstraints") ?? members.optional("trustContraints")
        isConstrained = constraints.map { !Self.isMetByAll($0) } ?? false
    }

    /// Whether one of the constraints asks for nothing.
    private static func isMetByAll(_ constraints: CBORItem) -> Bool {
        guard let list = try? constraints.array() else { return false }
        return list.contains { (try? $0.map())?.count == 0 }
    }
}
