internal import CPCSCLite

/// The library through which pcscd is reached.
package enum PCSCLibrary {
    /// The version of PC/SC lite that this program was built against; the library does not report one at run time.
    package static let version = PCSCLITE_VERSION_NUMBER
}
