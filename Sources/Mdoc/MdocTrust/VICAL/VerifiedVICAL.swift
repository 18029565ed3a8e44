internal import CBOR
internal import JSON
package import MdocModel
package import PKIX

/// A VICAL whose provider's signature was verified.
package struct VerifiedVICAL: Sendable {
    /// How many certificates one list may hold here.
    package static let maximumEntries = 4096

    /// An IACA and what it is trusted for.
    package struct Entry: Sendable {
        package let certificate: Certificate
        /// Empty if the list says nothing: trusted for nothing (Q175).
        package let docTypes: Set<String>
    }

    package let provider: String
    package let date: Timestamp
    package let issueID: UInt64?
    package let nextUpdate: Timestamp?
    /// The entries that can be used; of the same certificate once.
    package let entries: [Entry]
    /// What is wrong with entries, used or not.
    package let findings: [VICALFinding]
    /// The rules of its profile that the signer breaks without being refused.
    package let signerFindings: [ProfileFinding]
    /// The pinned root that its signer led to.
    let root: TrustAnchor

    fileprivate init(
        _ list: borrowing UnverifiedVICAL, root: TrustAnchor, _ signerFindings: [ProfileFinding]
    ) throws(VICALError) {
        self.root = root
        self.signerFindings = signerFindings
        provider = list.provider
        date = list.date
        issueID = list.issueID
        nextUpdate = list.nextUpdate
        var reader = EntryReader()
        var count = 0
        for info in list.infos {
            guard count < Self.maximumEntries else {
                throw .malformed(.tooMany(limit: Self.maximumEntries))
            }
            reader.read(info, index: count)
            count += 1
        }
        if count == 0 { reader.findings.append(.listEmpty) }
        entries = reader.entries
        findings = reader.findings
    }
}

extension UnverifiedVICAL {
    /// The list behind its provider's signature.
    ///
    /// - Parameters:
    ///   - providers: the pinned roots of providers.
    ///   - now: when list and signer have to be valid, beside the date of the list, at which the signer always has to
    ///     be; nil for a list that was accepted before and is kept until there is a better one (Q176).
    package func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict
    ) throws(VICALError) -> VerifiedVICAL {
        try verify(by: providers, at: now, strictness, revokedBy: RevocationLists([]))
    }

    /// As `verify(by:at:_:)`, if CRLs of the providers are available.
    ///
    /// - Parameter tolerated: the seconds by which the list may be past its nextUpdate.
    func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict,
        revokedBy revocationLists: RevocationLists, overdueBy tolerated: Int64 = 0
    ) throws(VICALError) -> VerifiedVICAL {
        let chain = try list.signerChain()
        let path: VerifiedPath
        do throws(CertificatePathError) {
            // A list older than its signer's certificate could be imported, and would then not be used.
            path = try CertificatePath.path(chain, to: providers, at: date)
            if let now { _ = try CertificatePath.path(chain, to: providers, at: now) }
        } catch {
            throw .signerNotTrusted(error)
        }
        try list.verifySignature(with: chain[0])
        let profile = CertificateProfile.vicalSigner
        let found = profile.findings(of: chain[0], issuedBy: nil)
        // Three published lists have such a signer (Q214).
        let refusals = profile.refusals(among: found.filter { !$0.rule.isHarmless }, strictness)
        guard refusals.isEmpty else { throw .signerProfile(refusals) }
        if path.isDirect {
            let revocation = SignerRevocation(of: chain[0], issuedBy: path.root, in: revocationLists)
            guard !revocation.isRevokedForGood else { throw .signerRevoked }
        }
        if let now {
            guard date <= now else { throw .notYetValid }
            if let nextUpdate, nextUpdate.advanced(bySeconds: tolerated) < now { throw .expired }
        }
        return try VerifiedVICAL(self, root: path.root, found)
    }
}

/// What is noted about a VICAL.
package enum VICALFinding: Equatable, Sendable {
    /// The list has no entry at all.
    case listEmpty
    /// The entry has no certificate that can be read; it is skipped.
    case entryUnreadable(index: Int)
    /// The serial number beside the certificate is another; the entry is skipped.
    case serialNumberDiffers(index: Int, subject: String)
    /// The key identifier beside the certificate is another.
    case keyIdentifierDiffers(subject: String)
    /// The entry names no document type.
    case withoutDocTypes(subject: String)
    /// The certificate occurs in the list more than once; what the entries allow is combined.
    case entryTwice(subject: String)
}

extension VICALFinding {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .listEmpty: "the list names no root"
        case .entryUnreadable(let index): "entry \(index) cannot be read and is left out"
        case .serialNumberDiffers(let index, let subject):
            "entry \(index), \(Terminal.safe(subject)), has another serial number than its certificate and is left out"
        case .keyIdentifierDiffers(let subject):
            "the entry of \(Terminal.safe(subject)) has another key identifier than its certificate"
        case .withoutDocTypes(let subject):
            "\(Terminal.safe(subject)) is listed without document types, so it is trusted for none"
        case .entryTwice(let subject): "\(Terminal.safe(subject)) is listed twice"
        }
    }
}

private struct EntryReader {
    private(set) var entries: [VerifiedVICAL.Entry] = []
    var findings: [VICALFinding] = []
    private var places: [ArraySlice<UInt8>: Int] = [:]

    mutating func read(_ info: CBORItem, index: Int) {
        guard let members = try? info.membersByFoldedName(),
            let der = try? members["certificate"]?.byteString(), let certificate = try? Certificate(der: der)
        else { return findings.append(.entryUnreadable(index: index)) }
        let subject = certificate.subject.description
        guard members["serialnumber"].map({ $0.isSerialNumber(certificate.serialNumber) }) ?? true else {
            return findings.append(.serialNumberDiffers(index: index, subject: subject))
        }
        if let identifier = try? members["ski"]?.byteString(), identifier != certificate.subjectKeyIdentifier
        {
            findings.append(.keyIdentifierDiffers(subject: subject))
        }
        let docTypes = members["doctype"]?.docTypes ?? []
        if docTypes.isEmpty { findings.append(.withoutDocTypes(subject: subject)) }
        add(certificate, docTypes)
    }

    private mutating func add(_ certificate: Certificate, _ docTypes: Set<String>) {
        guard let place = places[certificate.der] else {
            places[certificate.der] = entries.count
            return entries.append(VerifiedVICAL.Entry(certificate: certificate, docTypes: docTypes))
        }
        findings.append(.entryTwice(subject: certificate.subject.description))
        entries[place] = VerifiedVICAL.Entry(
            certificate: certificate, docTypes: entries[place].docTypes.union(docTypes))
    }
}

extension CBORItem {
    private static let bignum: UInt64 = 2

    /// Whether this biguint is the serial number, whose bytes are those of an INTEGER.
    func isSerialNumber(_ serial: ArraySlice<UInt8>) -> Bool {
        let wanted = serial.drop { $0 == 0 }
        if let bytes = try? tagged(Self.bignum).byteString() {
            return bytes.drop { $0 == 0 }.elementsEqual(wanted)
        }
        guard let number = try? unsigned() else { return false }
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return bytes.drop { $0 == 0 }.elementsEqual(wanted)
    }

    /// Names of reasonable length.
    fileprivate var docTypes: Set<String> {
        var names: Set<String> = []
        guard let array = try? array() else { return [] }
        for item in array {
            guard let name = try? item.utf8(), !name.isEmpty, name.count <= 255 else { continue }
            names.insert(String(decoding: name, as: UTF8.self))
        }
        return names
    }
}
