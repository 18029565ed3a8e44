import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

/// The parts of a certificate, each a complete encoding, good by default. Nothing signs it: parsing must
/// not depend on that.
struct CertificateParts {
    var version: [UInt8] = "a003020102".bytes
    var serialNumber: [UInt8] = "02020123".bytes
    var innerAlgorithm = ecdsaWithSHA256
    var issuer = name("Issuer")
    var validity: [UInt8] = DERWriter.encode {
        $0.write(DERTag.sequence) {
            $0.writeTime(secondsSince1970: 0)
            $0.writeTime(secondsSince1970: 86400)
        }
    }
    var subject = name("Subject")
    var publicKey: [UInt8] = CertificateParts.generator
    var uniqueIdentifiers: [UInt8] = []
    var extensions: [[UInt8]] = []
    var afterExtensions: [UInt8] = []
    var outerAlgorithm = ecdsaWithSHA256
    var signature: [UInt8] = "0309003006020101020101".bytes

    static let ecdsaWithSHA256 = "300a06082a8648ce3d040302".bytes

    /// The generator of P-256 as a key.
    static let generator =
        ("3059301306072a8648ce3d020106082a8648ce3d03010703420004"
        + "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5").bytes

    static func name(_ commonName: String) -> [UInt8] {
        [UInt8](DistinguishedName([(.countryName, "UT"), (.commonName, commonName)]).encoded)
    }

    /// One extension with any contents.
    static func encodedExtension(_ oid: ObjectIdentifier, critical: [UInt8] = [], _ value: String) -> [UInt8]
    {
        DERWriter.encode {
            $0.write(DERTag.sequence) {
                $0.write(oid)
                $0.write(encoded: critical)
                $0.writeOctetString(value.bytes)
            }
        }
    }

    var tbsFields: [UInt8] {
        var fields = version + serialNumber + innerAlgorithm + issuer + validity + subject + publicKey
        fields += uniqueIdentifiers
        if !extensions.isEmpty {
            fields += DERWriter.encode {
                $0.write(DERTag.constructed(3)) {
                    $0.write(DERTag.sequence, contents: extensions.flatMap(\.self))
                }
            }
        }
        return fields + afterExtensions
    }

    var der: [UInt8] {
        DERWriter.encode {
            $0.write(DERTag.sequence) {
                $0.write(DERTag.sequence, contents: tbsFields)
                $0.write(encoded: outerAlgorithm)
                $0.write(encoded: signature)
            }
        }
    }

    func parse() throws(PKIXError) -> Certificate { try Certificate(der: der[...]) }
}
