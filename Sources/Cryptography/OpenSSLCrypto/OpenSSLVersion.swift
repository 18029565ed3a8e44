internal import COpenSSL

/// The library that does the computing.
package enum OpenSSLVersion {
    /// Name, version and date of the library that is loaded, which may be newer than the one built against.
    package static var text: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
