/// Functions that read the fields of `TBSCertificate` (RFC 5280 4.1.2), in their order.
extension DERReader {
    /// The maximum number of extensions in a certificate.
    private static var maximumExtensions: Int { 64 }

    /// Reads the version. The encoded number is the version less 1. Without the field the version is 1.
    mutating func readVersion(_ deviations: inout EncodingDeviations) throws(PKIXError) -> Int {
        guard nextTag == DERTag.constructed(0) else { return 1 }
        var reader = try enter(DERTag.constructed(0))
        let number = try reader.readSmallInteger()
        try reader.finish()
        guard number <= 2 else { throw .certificateVersionWrong }
        // Version 1 is the default value, which DER requires to be omitted.
        if number == 0 { deviations.insert(.defaultValueWritten) }
        return number + 1
    }

    /// Reads the serial number. A number that is not positive, or is too long, is recorded and accepted.
    mutating func readSerialNumber(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> ArraySlice<UInt8> {
        let serial = try readInteger()
        // A first bit of 1 makes the number negative. `??` binds tighter than `>`.
        if serial.first ?? 0 > 0x7f || serial.elementsEqual([0]) {
            deviations.insert(.serialNumberNotPositive)
        }
        if serial.count > 20 { deviations.insert(.serialNumberTooLong) }
        return serial
    }

    /// Reads the first and the last second of validity.
    mutating func readValidity(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> (notBefore: Int64, notAfter: Int64) {
        var validity = try enter(DERTag.sequence)
        let notBefore = try validity.readTime(&deviations)
        let notAfter = try validity.readTime(&deviations)
        try validity.finish()
        return (notBefore, notAfter)
    }

    /// Reads a time. A GeneralizedTime where UTCTime is required is recorded and accepted.
    mutating func readTime(_ deviations: inout EncodingDeviations) throws(PKIXError) -> Int64 {
        let element = try readElement()
        let seconds = try DERTime.seconds(of: element)
        if element.tag == DERTag.generalizedTime, DERTime.isWrittenAsUTCTime(seconds) {
            deviations.insert(.generalizedTimeBefore2050)
        }
        return seconds
    }

    /// Skips `issuerUniqueID` and `subjectUniqueID`, which version 2 introduced and nobody uses.
    mutating func skipUniqueIdentifiers(version: Int) throws(PKIXError) {
        for number: UInt8 in [1, 2] where nextTag == DERTag.primitive(number) {
            guard version > 1 else { throw .certificateVersionWrong }
            _ = try readElement()
        }
    }

    /// Reads the extensions of a certificate, which only version 3 may have.
    mutating func readExtensions(
        version: Int, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> [CertificateExtension] {
        guard nextTag == DERTag.constructed(3) else { return [] }
        guard version == 3 else { throw .certificateVersionWrong }
        return try readExtensions(in: DERTag.constructed(3), &deviations)
    }

    /// Reads the extensions in an element with `tag`. Throws if the element is missing, if the list of
    /// extensions is empty, or if two extensions have the same identifier.
    mutating func readExtensions(
        in tag: UInt8, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> [CertificateExtension] {
        var outer = try enter(tag)
        var list = try outer.enter(DERTag.sequence)
        try outer.finish()
        guard !list.isAtEnd else { throw .valueMalformed(at: list.position) }
        var extensions: [CertificateExtension] = []
        extensions.reserveCapacity(8)
        while !list.isAtEnd {
            let start = list.position
            guard extensions.count < Self.maximumExtensions else { throw .limitExceeded(at: start) }
            let next = try list.readExtension(&deviations)
            guard !extensions.contains(where: { $0.oid == next.oid }) else {
                throw .duplicateExtension(at: start)
            }
            extensions.append(next)
        }
        return extensions
    }

    /// Reads one extension, without interpreting its value.
    mutating func readExtension(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> CertificateExtension {
        var reader = try enter(DERTag.sequence)
        let oid = try reader.readObjectIdentifier()
        // Some roots encode TRUE as 01 in basicConstraints (Q215). In other extensions 01 is refused.
        let isCritical = try reader.readBooleanDefaultingToFalse(
            acceptingOne: oid == .basicConstraints, &deviations)
        let value = try reader.read(DERTag.octetString)
        try reader.finish()
        return CertificateExtension(oid: oid, isCritical: isCritical, value: value)
    }

    /// Reads a BOOLEAN DEFAULT FALSE.
    ///
    /// - Parameter acceptingOne: whether 01 is read as TRUE and recorded as a deviation.
    mutating func readBooleanDefaultingToFalse(
        acceptingOne: Bool = false, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> Bool {
        guard nextTag == DERTag.boolean else { return false }
        // The value is read from a copy of the reader. Unless the value is 01, the value is read a second
        // time below, strictly.
        var ahead = self
        if acceptingOne, try ahead.read(DERTag.boolean).elementsEqual([0x01]) {
            self = ahead
            deviations.insert(.booleanTrueNotFF)
            return true
        }
        let value = try readBoolean()
        if !value { deviations.insert(.defaultValueWritten) }
        return value
    }
}
