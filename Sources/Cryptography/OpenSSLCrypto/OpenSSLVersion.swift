internal import COpenSSL

/// The OpenSSL library that is loaded.
package enum OpenSSLVersion {
    /// The name, version and date of the loaded library, which may be newer than the library with which the
    /// program was built.
    package static var text: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
