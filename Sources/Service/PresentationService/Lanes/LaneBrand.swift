internal import ErrorMapping
internal import Glibc
package import ReaderTokens

/// A shop's name, logo and colours on the pages of its lane. The brand shows whose screen this is, and not
/// who requests data. It therefore needs no reader token, which would prove who requests the data.
package struct LaneBrand: Equatable, Sendable {
    package let name: String
    /// The path of the logo, a PNG file; `nil` for no logo.
    package let logo: String?
    package let colours: BrandColours?
    /// The greeting that is shown while no presentation is running; `nil` for the page's own text.
    package let welcome: String?

    package init(name: String, logo: String? = nil, colours: BrandColours? = nil, welcome: String? = nil) {
        self.name = name
        self.logo = logo
        self.colours = colours
        self.welcome = welcome
    }

    /// Reads the logo from its file; `nil` if no file is named.
    package func image() throws(LogoFileFault) -> BrandLogo? {
        guard let logo else { return nil }
        let data = try Self.contents(of: logo)
        return try mapping(BrandLogo(png: data), LogoFileFault.refused)
    }

    /// Reads a regular file up to the size limit of a logo. A device or a pipe is refused, since reading it
    /// might never end.
    private static func contents(of path: String) throws(LogoFileFault) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        var bytes: [UInt8] = []
        while bytes.count <= BrandLogo.longest {
            // A failed read counts as the end of the file: `BrandLogo` refuses a PNG that is cut off.
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
        throw .refused(.tooLong(limit: BrandLogo.longest))
    }
}

/// The reason why a file cannot be shown as a logo.
package enum LogoFileFault: Error, Equatable, Sendable {
    case unreadable
    case refused(LogoFault)

    package var explanation: String {
        switch self {
        case .unreadable:
            "the file does not exist, or cannot be read: name a PNG file that the daemon may read"
        case .refused(let fault): BrandRegistryError.logo(fault).explanation
        }
    }
}
