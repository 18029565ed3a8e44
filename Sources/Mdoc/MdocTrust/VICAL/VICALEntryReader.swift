internal import CBOR
internal import PKIX

/// Reads the entries of a VICAL one by one.
///
/// The provider's signature covers the certificate itself. A wrong member beside the certificate therefore
/// does not make the certificate less trusted (Q232). Only the member with the document types has information
/// that is not in the certificate.
struct VICALEntryReader {
    private(set) var entries: [VerifiedVICAL.Entry] = []
    var findings: [VICALFinding] = []
    private var indexByCertificate: [ArraySlice<UInt8>: Int] = [:]

    /// Reads one entry, and records why it is left out or what is wrong with it.
    mutating func read(_ info: CBORItem, index: Int) {
        do throws(VICALEntryFault) {
            guard let map = try? info.map() else { throw .notAMap }
            let members = Members(map)
            let certificate = try members.certificate()
            let subject = certificate.subject.description
            let (docTypes, faults) = members.faults(beside: certificate)
            for (member, fault) in faults {
                findings.append(.memberWrong(member, fault, index: index, subject: subject))
            }
            if docTypes.isEmpty { findings.append(.withoutDocTypes(subject: subject)) }
            add(certificate, docTypes)
        } catch {
            findings.append(.entryLeftOut(index: index, error))
        }
    }

    /// Adds an entry, or combines it with an earlier entry of the same certificate.
    private mutating func add(_ certificate: Certificate, _ docTypes: Set<String>) {
        guard let place = indexByCertificate[certificate.der] else {
            indexByCertificate[certificate.der] = entries.count
            return entries.append(VerifiedVICAL.Entry(certificate: certificate, docTypes: docTypes))
        }
        findings.append(.entryTwice(subject: certificate.subject.description))
        entries[place] = VerifiedVICAL.Entry(
            certificate: certificate, docTypes: entries[place].docTypes.union(docTypes))
    }
}

/// The members of one entry, by their names in lower case.
private struct Members {
    private var items: [String: CBORItem] = [:]
    /// The names that occur in two spellings. Nothing says which of their values counts, so neither is used.
    private var ambiguous: Set<String> = []

    /// Gathers the members of a map by their names in lower case, because providers differ in the case of
    /// letters.
    init(_ map: CBORMap) {
        for member in map {
            guard let name = member.key.foldedName, !member.value.isNullOrUndefined else { continue }
            if items.updateValue(member.value, forKey: name) != nil { ambiguous.insert(name) }
        }
        for name in ambiguous { items[name] = nil }
    }

    /// Returns the certificate of the entry, or throws the reason to leave the entry out.
    func certificate() throws(VICALEntryFault) -> Certificate {
        guard let item = items["certificate"] else { throw .certificateMissing }
        guard let der = try? item.byteString() else { throw .certificateWrongType }
        do throws(PKIXError) {
            return try Certificate(der: der)
        } catch {
            throw .certificateUnreadable(error)
        }
    }

    /// Returns the readable document types, and the faults of the members beside the certificate.
    func faults(
        beside certificate: Certificate
    ) -> (docTypes: Set<String>, faults: [(VICALEntryMember, VICALMemberFault)]) {
        var faults: [(VICALEntryMember, VICALMemberFault)] = []
        func recordFault(_ member: VICALEntryMember, _ fault: VICALMemberFault?) {
            let isTwice = ambiguous.contains(member.rawValue.lowercased())
            if let fault = isTwice ? .twice : fault { faults.append((member, fault)) }
        }
        // A missing member is no fault, because the certificate has the value (Q232).
        recordFault(
            .serialNumber,
            items["serialnumber"].flatMap { $0.fault(asSerialNumber: certificate.serialNumber) })
        recordFault(
            .ski, items["ski"].flatMap { $0.fault(asKeyIdentifier: certificate.subjectKeyIdentifier) })
        // A missing member does not count as unreadable. `read` reports that the entry has no document types.
        let (docTypes, areAllRead) = items["doctype"]?.docTypes ?? ([], true)
        recordFault(.docType, areAllRead ? nil : .wrongType)
        return (docTypes, faults)
    }
}

extension CBORItem {
    private static let bignum: UInt64 = 2

    /// The bytes of an unsigned integer or bignum, without leading zeros; `nil` for other CBOR types.
    private var unsignedBytes: ArraySlice<UInt8>? {
        if let bytes = try? tagged(Self.bignum).byteString() { return bytes.drop { $0 == 0 } }
        guard let number = try? unsigned() else { return nil }
        return (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }.drop { $0 == 0 }
    }

    /// Whether this unsigned integer or bignum equals `serial`, the content of a DER INTEGER.
    func isSerialNumber(_ serial: ArraySlice<UInt8>) -> Bool {
        unsignedBytes?.elementsEqual(serial.drop { $0 == 0 }) == true
    }

    /// Returns the fault of the member `serialNumber`; `nil` if the member equals the certificate's serial
    /// number.
    fileprivate func fault(asSerialNumber serial: ArraySlice<UInt8>) -> VICALMemberFault? {
        guard unsignedBytes != nil else { return .wrongType }
        return isSerialNumber(serial) ? nil : .differs
    }

    /// Returns the fault of the member `ski`; `nil` if the member equals the certificate's subject key
    /// identifier.
    fileprivate func fault(asKeyIdentifier identifier: ArraySlice<UInt8>?) -> VICALMemberFault? {
        guard let own = try? byteString() else { return .wrongType }
        return own == identifier ? nil : .differs
    }

    /// The document types of an array, or of a single text. `areAllRead` is true only if the whole item has
    /// the form that the standard requires.
    fileprivate var docTypes: (names: Set<String>, areAllRead: Bool) {
        guard let array = try? array() else { return (docType.map { [$0] } ?? [], false) }
        var names: Set<String> = []
        var areAllRead = true
        for item in array {
            if let name = item.docType { names.insert(name) } else { areAllRead = false }
        }
        return (names, areAllRead)
    }

    /// The document type in this text; `nil` if the text is empty or has more than 255 bytes, or if the item
    /// is not a text.
    private var docType: String? {
        guard let name = try? utf8(), !name.isEmpty, name.count <= 255 else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}
