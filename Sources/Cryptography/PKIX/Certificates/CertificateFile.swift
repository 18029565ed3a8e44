internal import OpenSSLCrypto

/// Returns the certificates of a file: a single certificate in DER, or the certificates of all PEM blocks.
/// The form is found by trying DER, not by the first byte, because the text before a PEM block may begin with
/// any byte (Q233).
package func certificates(fromPEMOrDER bytes: ArraySlice<UInt8>) throws(PKIXError) -> [Certificate] {
    let fault: PKIXError
    do throws(PKIXError) {
        return [try Certificate(der: bytes)]
    } catch {
        fault = error
    }
    let blocks = (try? PEM.blocks(bytes)) ?? []
    guard !blocks.isEmpty else { throw CertificateFile.fault(of: bytes, otherwise: fault) }
    let certificates = blocks.filter { $0.is("CERTIFICATE") }
    guard !certificates.isEmpty else { throw CertificateFile.isPKCS7(blocks) ? .pkcs7 : .pemMalformed }
    return try certificates.map { block throws(PKIXError) in
        guard let contents = block.contents else { throw .pemMalformed }
        return try Certificate(der: contents[...])
    }
}

/// Diagnosis of files that have no readable certificates.
package enum CertificateFile {
    private static let pkcs7Labels: Set<String> = ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]
    /// The identifier signedData (RFC 2315) in DER.
    private static let signedData: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]

    /// Returns the reason why the certificate in a file is not readable; `nil` if it is readable, or if
    /// the file has nothing that can be decoded as a certificate.
    package static func fault(in bytes: ArraySlice<UInt8>) -> PKIXError? {
        do throws(PKIXError) {
            _ = try certificates(fromPEMOrDER: bytes)
            return nil
        } catch .pemMalformed {
            // The file has no certificate to diagnose: a PEM block is damaged, no PEM block is a certificate,
            // or the file has no PEM block and is not DER.
            return nil
        } catch {
            return error
        }
    }

    fileprivate static func isPKCS7(_ blocks: [PEM.Block]) -> Bool {
        blocks.contains { pkcs7Labels.contains($0.label) }
    }

    /// Returns the reason why bytes without a PEM block are not a certificate.
    fileprivate static func fault(of bytes: ArraySlice<UInt8>, otherwise error: PKIXError) -> PKIXError {
        guard bytes.first == DERTag.sequence else { return .pemMalformed }
        let isPKCS7 =
            DERReader.contents(of: DERTag.sequence, begunBy: bytes)?.starts(with: signedData) == true
        return isPKCS7 ? .pkcs7 : error
    }
}
