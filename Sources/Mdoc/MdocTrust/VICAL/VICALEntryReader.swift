internal import CBOR
internal import PKIX

/// Reads the entries of a VICAL one by one. The provider signed the certificate itself, so a member beside the certificate that is
/// wrong takes nothing from it (Q232); only the document types say more than the certificate does.
struct VICALEntryReader {
    private(set) var entries: [VerifiedVICAL.Entry] = []
    var findings: [VICALFinding] = []
    private var places: [ArraySlice<UInt8>: Int] = [:]

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

/// The members of one entry by their names in small letters.
private struct Members {
    private var items: [String: CBORItem] = [:]
    /// Names that occur in more than one way of writing: which member counts is not known.
    private var ambiguous: Set<String> = []

    init(_ map: CBORMap) {
        for member in map {
            guard let name = member.key.foldedName, !member.value.isNullOrUndefined else { continue }
            if items.updateValue(member.value, forKey: name) != nil { ambiguous.insert(name) }
        }
        for name in ambiguous { items[name] = nil }
    }

    func certificate() throws(VICALEntryFault) -> Certificate {
        guard let item = items["certificate"] else { throw .certificateMissing }
        guard let der = try? item.byteString() else { throw .certificateWrongType }
        do throws(PKIXError) {
            return try Certificate(der: der)
        } catch {
            throw .certificateUnreadable(error)
        }
    }

    /// The document types that can be read, and what is wrong with the members beside the certificate.
    func faults(
        beside certificate: Certificate
    ) -> (docTypes: Set<String>, faults: [(VICALEntryMember, VICALMemberFault)]) {
        var faults: [(VICALEntryMember, VICALMemberFault)] = []
        func note(_ member: VICALEntryMember, _ fault: VICALMemberFault?) {
            let isTwice = ambiguous.contains(member.rawValue.lowercased())
            if let fault = isTwice ? .twice : fault { faults.append((member, fault)) }
        }
        note(
            .serialNumber,
            items["serialnumber"].flatMap { $0.fault(asSerialNumber: certificate.serialNumber) })
        note(.ski, items["ski"].flatMap { $0.fault(asKeyIdentifier: certificate.subjectKeyIdentifier) })
        let (docTypes, areAllRead) = items["doctype"]?.docTypes ?? ([], true)
        note(.docType, areAllRead ? nil : .wrongType)
        return (docTypes, faults)
    }
}

extension CBORItem {
    private static let bignum: UInt64 = 2

    /// The bytes of a biguint without leading zeros; nil for an item of another type.
    private var unsignedBytes: ArraySlice<UInt8>? {
        if let bytes = try? tagged(Self.bignum).byteString() { return bytes.drop { $0 == 0 } }
        guard let number = try? unsigned() else { return nil }
        return (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }.drop { $0 == 0 }
    }

    /// Whether this biguint is the serial number, whose bytes are those of an INTEGER.
    func isSerialNumber(_ serial: ArraySlice<UInt8>) -> Bool {
        unsignedBytes?.elementsEqual(serial.drop { $0 == 0 }) == true
    }

    fileprivate func fault(asSerialNumber serial: ArraySlice<UInt8>) -> VICALMemberFault? {
        guard unsignedBytes != nil else { return .wrongType }
        return isSerialNumber(serial) ? nil : .differs
    }

    fileprivate func fault(asKeyIdentifier identifier: ArraySlice<UInt8>?) -> VICALMemberFault? {
        guard let own = try? byteString() else { return .wrongType }
        return own == identifier ? nil : .differs
    }

    /// The names of reasonable length in an array, or a name alone, and whether all of it is as the format says.
    fileprivate var docTypes: (names: Set<String>, areAllRead: Bool) {
        guard let array = try? array() else { return (docType.map { [$0] } ?? [], false) }
        var names: Set<String> = []
        var areAllRead = true
        for item in array {
            if let name = item.docType { names.insert(name) } else { areAllRead = false }
        }
        return (names, areAllRead)
    }

    private var docType: String? {
        guard let name = try? utf8(), !name.isEmpty, name.count <= 255 else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}
